//! Compiled functions on lazy tensors.

use crate::{
    Lazy,
    realize::{buffers, realize_all},
};
use hloom_graph::{Spec, Tree};
use hloom_runtime::{Buffer, Exe, Result, ResultTree};
use std::sync::Arc;

/// Calls of an executable on lazy tensors.
pub trait CallLazy: private::Sealed {
    /// The arguments: trees of lazy tensors.
    type Arguments<'a>;
    /// The result of a call.
    type Buffers;

    /// Realizes all arguments together, and calls the executable on their buffers.
    ///
    /// ```no_run
    /// # use hloom_lazy::*; use hloom_graph::*; use hloom_runtime::*;
    /// # fn example(exe: Exe<(Spec, Spec), Tensor>, x: Lazy) -> Result<Buffer> {
    /// exe.call_lazy((&(&x * 2), &(&x + 1)))
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Lazy::realize`] and [`Exe::call`].
    fn call_lazy(&self, arguments: Self::Arguments<'_>) -> Result<Self::Buffers>;
}

mod private {
    pub trait Sealed {}
}

impl<A, R: ResultTree> private::Sealed for Exe<A, R> {}

macro_rules! call_lazy {
    () => {};
    ($($arg:ident $p:ident $at:tt),+) => {
        impl<R: ResultTree, $($arg: Tree<Leaf = Spec>),+> CallLazy for Exe<($($arg,)+), R>
        where
            $($arg::With<Buffer>: 'static, $arg::With<Lazy>: 'static),+
        {
            type Arguments<'a> = ($(&'a $arg::With<Lazy>,)+);
            type Buffers = R::Buffers;

            #[track_caller]
            fn call_lazy(&self, arguments: Self::Arguments<'_>) -> Result<R::Buffers> {
                $(self.check_structure($at, arguments.$at)?;)+
                let mut lazies: Vec<&Lazy> = Vec::new();
                $(arguments.$at.visit(&mut |_, lazy| lazies.push(lazy));)+
                realize_all(lazies.iter().copied())?;
                let own = |lazy: &&Lazy| Ok(buffers(&lazy.node)?[lazy.result as usize].clone());
                let own = lazies.iter().map(own).collect::<Result<Vec<Arc<Buffer>>>>()?;
                self.call_with(|each| own.iter().for_each(|buffer| each(buffer)))
            }
        }
    };
}
hloom_graph::for_each_arity!(call_lazy);
