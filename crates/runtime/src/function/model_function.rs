//! Functions of a model and its inputs, whose specs follow from the tensors that they take.

use crate::{Arg, Args, Buffer, ByReference, ByValue, Compiler, Exe, Function, Result, ResultTree};
use hloom_graph::{Spec, Tensor, Tree};

/// A function whose first argument is a model, a tree of tensors, by value or by reference, and
/// whose other arguments are `Inputs`. `T` and `By` are always inferred.
#[diagnostic::on_unimplemented(
    message = "this function does not take a model and the inputs `{Inputs}` as tensors",
    note = "the first argument is a tree of `Tensor`, such as `&self` of a model; for each input, \
            a tree of `Spec`, it takes the same tree of `Tensor`"
)]
pub trait ModelFunction<T, Inputs: Args, Passing> {
    /// The specs of the model.
    type Model: Tree<Leaf = Spec>;
    /// The model and the inputs.
    type All: Args;
    /// The result of the function.
    type Output;

    /// Compiles the function.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    fn compile(
        self,
        compiler: Compiler<'_>,
        model: Self::Model,
        inputs: Inputs,
    ) -> Result<Exe<Self::All, Self::Output>>
    where
        Self::Output: ResultTree;

    /// Binds the model's buffers.
    ///
    /// # Errors
    /// As [`Exe::bind`].
    fn bind(
        exe: &Exe<Self::All, Self::Output>,
        model: &<Self::Model as Tree>::With<Buffer>,
    ) -> Result<Exe<Inputs, Self::Output>>
    where
        Self::Output: ResultTree;
}

macro_rules! model_function {
    ($by:ident ($($reference:tt)?) $($input:ident),*) => {
        impl<Fun, T, Res, $($input: Arg),*> ModelFunction<T, ($($input,)*), $by> for Fun
        where
            Fun: FnOnce($($reference)? T, $($input::Traced),*) -> Res,
            Fun: Function<(T::With<Spec>, $($input,)*), $by, Output = Res>,
            T: Tree<Leaf = Tensor>,
            T::With<Spec>: Tree<Leaf = Spec, With<Tensor> = T>,
            <T::With<Spec> as Tree>::With<Buffer>: 'static,
        {
            type Model = T::With<Spec>;
            type All = (T::With<Spec>, $($input,)*);
            type Output = Res;

            #[track_caller]
            #[allow(non_snake_case, reason = "the inputs are bound to the names of their types")]
            fn compile(
                self,
                compiler: Compiler<'_>,
                model: T::With<Spec>,
                inputs: ($($input,)*),
            ) -> Result<Exe<Self::All, Res>>
            where
                Res: ResultTree,
            {
                let ($($input,)*) = inputs;
                compiler.compile(self, (model, $($input,)*))
            }

            fn bind(
                exe: &Exe<Self::All, Res>,
                model: &<T::With<Spec> as Tree>::With<Buffer>,
            ) -> Result<Exe<($($input,)*), Res>>
            where
                Res: ResultTree,
            {
                exe.bind(model)
            }
        }
    };
}

// The model is the first of the arguments, of which there are up to eight.
macro_rules! both {
    () => {};
    ($model:ident $p:ident 0 $(, $input:ident $q:ident $at:tt)*) => {
        model_function!(ByValue () $($input),*);
        model_function!(ByReference (&) $($input),*);
    };
}
hloom_graph::for_each_arity!(both);
