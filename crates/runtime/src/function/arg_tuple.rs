//! The tuple of a function's arguments, as three types: the specs that it is compiled for, the
//! tensors that the traced function takes, and the buffers that a call passes.

use crate::Buffer;
use hloom_graph::{Path, Spec, Structure, StructureMismatch, Tensor, Tree};

/// An argument that a call consumes: it is passed by value, and its memory may be reused for a
/// result.
///
/// Using a donated buffer twice does not compile:
///
/// ```compile_fail
/// # use hloom_runtime::{Buffer, Donated, Exe};
/// # use hloom_graph::{Spec, Tensor};
/// # fn example(exe: Exe<(Donated<Spec>,), Tensor>, cache: Buffer) {
/// let _ = exe.call((cache,));
/// let _ = exe.call((cache,));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Donated<T>(pub T);

/// An argument: a tree of specs, for which a call borrows buffers, or a [`Donated`] one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument to compile for",
    note = "an argument is a tree of `Spec`, such as `Spec::f32([2, 3])` or `Mlp<Spec>`, or \
            `Donated` around one"
)]
pub trait Arg {
    /// The argument of the traced function.
    type Traced;
    /// The argument of a call.
    type Call<'a>;
    /// The same argument, borrowed by every call.
    type Kept: Arg;
    /// Whether a call consumes it.
    const DONATED: bool;

    /// The structure of the argument, which calls compare with that of their trees.
    fn structure(&self) -> Structure;

    /// Compares the tree of a call with a kept structure.
    ///
    /// # Errors
    /// The first difference.
    fn check(call: &Self::Call<'_>, structure: &Structure) -> Result<(), Box<StructureMismatch>>;

    /// Rebuilds the argument as tensors.
    fn trace(self, f: &mut dyn FnMut(&Path<'_>, Spec) -> Tensor) -> Self::Traced;

    /// Passes the buffers of a call to `f`, in order.
    fn visit<'b>(call: &'b Self::Call<'_>, f: &mut dyn FnMut(&'b Buffer));

    /// The buffers of a call with their paths, in order.
    fn leaves<'b>(call: &'b Self::Call<'_>) -> Vec<(String, Option<&'b Buffer>)>;
}

/// An argument that every call borrows, so that it can be bound.
#[diagnostic::on_unimplemented(
    message = "the first argument of this executable cannot be bound",
    note = "a donated argument is consumed by each call; only borrowed ones can be bound"
)]
pub trait Borrowed: Arg {}

impl<T: Tree<Leaf = Spec>> Arg for T
where
    T::With<Buffer>: 'static,
{
    type Traced = T::With<Tensor>;
    type Call<'a> = &'a T::With<Buffer>;
    type Kept = T;
    const DONATED: bool = false;

    fn structure(&self) -> Structure {
        Structure::of(self)
    }

    fn check(call: &Self::Call<'_>, structure: &Structure) -> Result<(), Box<StructureMismatch>> {
        structure.check(*call)
    }

    fn trace(self, f: &mut dyn FnMut(&Path<'_>, Spec) -> Tensor) -> Self::Traced {
        self.map(f)
    }

    fn visit<'b>(call: &'b Self::Call<'_>, f: &mut dyn FnMut(&'b Buffer)) {
        call.visit(&mut |_, buffer| f(buffer));
    }

    fn leaves<'b>(call: &'b Self::Call<'_>) -> Vec<(String, Option<&'b Buffer>)> {
        leaves_of(*call)
    }
}

impl<T: Tree<Leaf = Spec>> Borrowed for T where T::With<Buffer>: 'static {}

impl<T: Tree<Leaf = Spec>> Arg for Donated<T>
where
    T::With<Buffer>: 'static,
{
    type Traced = T::With<Tensor>;
    type Call<'a> = T::With<Buffer>;
    type Kept = T;
    const DONATED: bool = true;

    fn structure(&self) -> Structure {
        Structure::of(&self.0)
    }

    fn check(call: &Self::Call<'_>, structure: &Structure) -> Result<(), Box<StructureMismatch>> {
        structure.check(call)
    }

    fn trace(self, f: &mut dyn FnMut(&Path<'_>, Spec) -> Tensor) -> Self::Traced {
        self.0.map(f)
    }

    fn visit<'b>(call: &'b Self::Call<'_>, f: &mut dyn FnMut(&'b Buffer)) {
        call.visit(&mut |_, buffer| f(buffer));
    }

    fn leaves<'b>(call: &'b Self::Call<'_>) -> Vec<(String, Option<&'b Buffer>)> {
        leaves_of(call)
    }
}

fn leaves_of<T: Tree<Leaf = Buffer>>(tree: &T) -> Vec<(String, Option<&Buffer>)> {
    let mut leaves = Vec::new();
    tree.visit(&mut |path, buffer| leaves.push((path.to_string(), Some(buffer))));
    leaves
}

/// All arguments of a function: a tuple of up to eight.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not arguments to compile for",
    note = "arguments are a tuple, also when there is one: `(spec,)`; each is a tree of `Spec`, \
            or `Donated` around one"
)]
pub trait Args {
    /// The arguments of the traced function.
    type Traced;
    /// The arguments of a call.
    type Call<'a>;
    /// The same arguments, all borrowed by every call.
    type Kept: Args;
    /// The number of arguments.
    const COUNT: usize;

    /// The structures of the arguments, which calls compare with those of their trees.
    fn structures(&self) -> Box<[Structure]>;

    /// Compares the trees of a call with as many kept structures.
    ///
    /// # Errors
    /// The position of the first argument that differs, and the first difference in it.
    fn check(
        call: &Self::Call<'_>,
        structures: &[Structure],
    ) -> Result<(), (usize, Box<StructureMismatch>)>;

    /// Rebuilds the arguments as tensors. `f` takes the position of the argument and whether a call
    /// consumes it.
    fn trace(self, f: &mut dyn FnMut(usize, bool, &Path<'_>, Spec) -> Tensor) -> Self::Traced;

    /// Passes the buffers of a call to `f`, in order.
    fn visit<'b>(call: &'b Self::Call<'_>, f: &mut dyn FnMut(&'b Buffer));

    /// The buffers of the argument at `position` with their paths, in order.
    fn leaves<'b>(call: &'b Self::Call<'_>, position: usize) -> Vec<(String, Option<&'b Buffer>)>;
}

/// Arguments whose first one can be bound.
pub trait BindFirst: Args {
    /// The first argument.
    type First: Borrowed;
    /// The remaining arguments.
    type Rest: Args;
}

/// The form of a [`Function`] that takes all arguments by value.
pub enum ByValue {}

/// The form of a [`Function`] that takes its first argument by reference, such as a method with
/// `&self`.
pub enum ByReference {}

/// A function, method or closure that can be traced with arguments `A`. It takes them by value, or
/// the first one by reference: `By` distinguishes these forms, and is always inferred.
#[diagnostic::on_unimplemented(
    message = "this function does not take the arguments `{A}` as tensors",
    note = "for each tree of `Spec` the function takes the same tree of `Tensor`, the first one \
            also by reference (`&self`); closures name the types of their parameters"
)]
pub trait Function<A: Args, Passing = ByValue> {
    /// The result of the function. Its bound is checked where the function is compiled, so that the
    /// compiler's message about a wrong result is about the result.
    type Output;

    /// Calls the function.
    fn run(self, arguments: A::Traced) -> Self::Output;
}

macro_rules! arguments {
    ($($arg:ident $p:ident $at:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the tuple of no arguments is the unit")]
        impl<$($arg: Arg),*> Args for ($($arg,)*) {
            type Traced = ($($arg::Traced,)*);
            type Call<'a> = ($($arg::Call<'a>,)*);
            type Kept = ($($arg::Kept,)*);
            const COUNT: usize = <[usize]>::len(&[$($at),*]);

            fn structures(&self) -> Box<[Structure]> {
                Box::new([$(self.$at.structure()),*])
            }

            #[inline]
            fn check(
                call: &Self::Call<'_>,
                structures: &[Structure],
            ) -> Result<(), (usize, Box<StructureMismatch>)> {
                let _ = (&call, &structures);
                $(if let Some(structure) = structures.get($at)
                    && let Err(mismatch) = $arg::check(&call.$at, structure)
                {
                    return Err(($at, mismatch));
                })*
                Ok(())
            }

            fn trace(
                self,
                f: &mut dyn FnMut(usize, bool, &Path<'_>, Spec) -> Tensor,
            ) -> Self::Traced {
                let _ = &f;
                ($(self.$at.trace(&mut |path, spec| f($at, $arg::DONATED, path, spec)),)*)
            }

            fn visit<'b>(call: &'b Self::Call<'_>, f: &mut dyn FnMut(&'b Buffer)) {
                let _ = (&call, &f);
                $($arg::visit(&call.$at, f);)*
            }

            fn leaves<'b>(call: &'b Self::Call<'_>, position: usize) -> Vec<(String, Option<&'b Buffer>)> {
                let _ = &call;
                match position {
                    $($at => $arg::leaves(&call.$at),)*
                    _ => Vec::new(),
                }
            }
        }

        impl<Fun, Res, $($arg: Arg),*> Function<($($arg,)*), ByValue> for Fun
        where
            Fun: FnOnce($($arg::Traced),*) -> Res,
        {
            type Output = Res;

            fn run(self, arguments: ($($arg::Traced,)*)) -> Res {
                let _ = &arguments;
                self($(arguments.$at),*)
            }
        }
    };
}
hloom_graph::for_each_arity!(arguments);

macro_rules! first_argument {
    () => {};
    ($a:ident $p:ident 0 $(, $rest:ident $q:ident $at:tt)*) => {
        impl<Fun, Res, First: Arg, $($rest: Arg),*> Function<(First, $($rest,)*), ByReference>
            for Fun
        where
            Fun: FnOnce(&First::Traced, $($rest::Traced),*) -> Res,
        {
            type Output = Res;

            fn run(self, arguments: (First::Traced, $($rest::Traced,)*)) -> Res {
                self(&arguments.0, $(arguments.$at),*)
            }
        }

        impl<First: Borrowed, $($rest: Arg),*> BindFirst for (First, $($rest,)*) {
            type First = First;
            type Rest = ($($rest,)*);
        }
    };
}
hloom_graph::for_each_arity!(first_argument);
