use hloom_graph::{Spec, Tensor};
use hloom_runtime::{
    Callback, CallbackBuilder, CallbackContext, CallbackError, InputView, OutputView,
};

struct Copy;

impl Callback for Copy {
    type Inputs = Spec;
    type Outputs = Spec;

    fn call(
        &self,
        _: &CallbackContext<'_>,
        _: InputView<'_>,
        _: OutputView<'_>,
    ) -> Result<(), CallbackError> {
        Ok(())
    }
}

struct Nothing;

fn pair(x: Tensor) -> Tensor {
    CallbackBuilder::new("pair", (x, x), Spec::of(x.shape())).bound::<Copy>()
}

fn none(x: Tensor) -> Tensor {
    CallbackBuilder::new("none", x, Spec::of(x.shape())).bound::<Nothing>()
}

fn main() {
    let _ = (pair, none);
}
