//! A checkpoint's model as a program with its weights bound.

use crate::{Loader, Result};
use hloom_graph::{SpecTree, Tree};
use hloom_runtime::{Args, Compiler, Exe, Mesh, ModelFunction, Placement, Platform, ResultTree};

/// Compiles functions of models whose weights are in a checkpoint.
pub trait LoadAndCompile: private::Sealed {
    /// Reads the specs of a model from a checkpoint, compiles a function of the model and other
    /// inputs, loads the weights and binds them: the executable takes only the inputs.
    ///
    /// ```no_run
    /// # use hloom_graph::{Spec, Tensor, Tree};
    /// # use hloom_io::{Checkpoint, LoadAndCompile};
    /// # use hloom_runtime::{Buffer, Platform};
    /// #[derive(Tree, Clone)]
    /// struct Scale<T = Tensor> {
    ///     by: T,
    /// }
    ///
    /// impl Scale {
    ///     fn forward(&self, x: Tensor) -> Tensor {
    ///         x * self.by
    ///     }
    /// }
    ///
    /// # fn example(platform: &Platform, x: Buffer) -> hloom_runtime::Result<()> {
    /// let weights = Checkpoint::open("scale.safetensors")?;
    /// let exe = platform.load_and_compile(Scale::forward, &weights, (Spec::f32([3]),))?;
    /// println!("{}", exe.call((&x,))?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It does what [`Tree::spec`], [`Platform::compile`], [`Loader::load`] and [`Exe::bind`] do,
    /// for programs that need no step in between. `weights` is a checkpoint, a part of one, or a
    /// loader with options.
    ///
    /// # Errors
    /// All tensors that are missing, unused or of another shape; the first error recorded while
    /// tracing; or the plugin's error.
    #[track_caller]
    fn load_and_compile<'l, T, F, Inputs, Passing>(
        &self,
        function: F,
        weights: impl Into<Loader<'l>>,
        inputs: Inputs,
    ) -> Result<Exe<Inputs, F::Output>>
    where
        Inputs: Args,
        F: ModelFunction<T, Inputs, Passing>,
        F::Output: ResultTree,
        F::Model: SpecTree + Clone,
    {
        self.load_and_compile_with(function, weights, &(), inputs)
    }

    /// As [`load_and_compile`](Self::load_and_compile), for a model that is read with a
    /// configuration: `#[tree(config = Type)]`.
    ///
    /// ```no_run
    /// # use hloom_graph::{Spec, Tensor, Tree};
    /// # use hloom_io::{Checkpoint, LoadAndCompile};
    /// # use hloom_runtime::{Buffer, Platform};
    /// struct Config {
    ///     power: f64,
    /// }
    ///
    /// #[derive(Tree, Clone)]
    /// #[tree(config = Config)]
    /// struct Scale<T = Tensor> {
    ///     by: T,
    ///     #[tree(value = config.power)]
    ///     power: f64,
    /// }
    ///
    /// impl Scale {
    ///     fn forward(&self, x: Tensor) -> Tensor {
    ///         x * self.by.pow(self.power)
    ///     }
    /// }
    ///
    /// # fn example(platform: &Platform, x: Buffer) -> hloom_runtime::Result<()> {
    /// let (weights, config) = (Checkpoint::open("scale.safetensors")?, Config { power: 2.0 });
    /// let inputs = (Spec::f32([3]),);
    /// let exe = platform.load_and_compile_with(Scale::forward, &weights, &config, inputs)?;
    /// println!("{}", exe.call((&x,))?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`load_and_compile`](Self::load_and_compile).
    #[track_caller]
    fn load_and_compile_with<'l, T, F, Inputs, Passing, C>(
        &self,
        function: F,
        weights: impl Into<Loader<'l>>,
        config: &C,
        inputs: Inputs,
    ) -> Result<Exe<Inputs, F::Output>>
    where
        Inputs: Args,
        F: ModelFunction<T, Inputs, Passing>,
        F::Output: ResultTree,
        F::Model: SpecTree<C> + Clone,
    {
        let (compiler, weights) = (self.place_compiler(), weights.into());
        let spec = F::Model::spec_with(weights.view(), config)?;
        let exe = function.compile(compiler, spec.clone(), inputs)?;
        Ok(F::bind(&exe, &weights.load(self.placement(), &spec)?)?)
    }

    #[doc(hidden)]
    fn place_compiler(&self) -> Compiler<'_>;

    #[doc(hidden)]
    fn placement(&self) -> Placement<'_>;
}

mod private {
    pub trait Sealed {}
}

macro_rules! load_and_compile {
    ($($place:ty),*) => { $(
        impl private::Sealed for $place {}
        impl LoadAndCompile for $place {
            fn place_compiler(&self) -> Compiler<'_> {
                self.compiler()
            }

            fn placement(&self) -> Placement<'_> {
                self.into()
            }
        }
    )* };
}
load_and_compile!(Platform, Mesh);
