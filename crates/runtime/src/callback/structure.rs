//! The trees in which a callback receives its views.

use super::{
    CallbackContext, CallbackError, InputView, Inputs, OutputView, Outputs,
    host_function::{CallSource, HostFrame, Shapes},
    views::ViewMemory,
};
use hloom_graph::{Spec, Tree};
use hloom_pjrt::extension::ffi;
use smallvec::SmallVec;

/// The structure of a callback's inputs and outputs, in which it receives its views.
#[derive(Clone)]
pub(crate) struct Structure<I, S> {
    pub inputs: I,
    pub outputs: S,
    pub counts: (usize, usize),
}

/// A tree of specs that a callback keeps to arrange its views in the same structure.
pub trait ViewTree: Tree<Leaf = Spec> + Clone + Send + Sync + 'static {}

impl<T: Tree<Leaf = Spec> + Clone + Send + Sync + 'static> ViewTree for T {}

impl<I: ViewTree, S: ViewTree> Structure<I, S> {
    pub fn new(inputs: I, outputs: S) -> Structure<I, S> {
        let count = |mut count: usize, visit: &dyn Fn(&mut dyn FnMut())| {
            visit(&mut || count += 1);
            count
        };
        let counts = (
            count(0, &|f| inputs.visit(&mut |_, _| f())),
            count(0, &|f| outputs.visit(&mut |_, _| f())),
        );
        Structure { inputs, outputs, counts }
    }

    /// The shapes of the inputs and outputs.
    pub fn shapes(&self) -> Shapes {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        self.inputs.visit(&mut |_, spec| inputs.push(spec.shape()));
        self.outputs.visit(&mut |_, spec| outputs.push(spec.shape()));
        Shapes { inputs, outputs }
    }

    /// Whether the types alone determine the whole structure, without fields of other values or
    /// lengths.
    pub fn is_fixed(&self) -> bool {
        let size = size_of::<Spec>();
        (size_of::<I>(), size_of::<S>()) == (size * self.counts.0, size * self.counts.1)
    }

    /// Arranges views in the structure.
    pub fn views<'a>(
        &self,
        place: ViewMemory,
        inputs: impl ExactSizeIterator<Item = ffi::Input<'a>>,
        outputs: impl ExactSizeIterator<Item = ffi::Output<'a>>,
    ) -> Result<(Inputs<'a, I>, Outputs<'a, S>), CallbackError> {
        // An ordered call has one more input and one more output.
        let found = (inputs.len(), outputs.len());
        if found.0 < self.counts.0 || found.1 < self.counts.1 {
            let (inputs, outputs) = self.counts;
            return Err(CallbackError::new(format!(
                "the program passes {} inputs and {} outputs to a callback of {inputs} and \
                 {outputs}",
                found.0, found.1
            )));
        }
        let (mut inputs, mut outputs) = (inputs, outputs);
        let inputs = self.inputs.clone().map(&mut |_, spec| {
            let raw = inputs.next().expect("they were counted");
            InputView::new(raw, spec.shape(), place)
        });
        let outputs = self.outputs.clone().map(&mut |_, spec| {
            let raw = outputs.next().expect("they were counted");
            OutputView::new(raw, spec.shape(), place)
        });
        Ok((inputs, outputs))
    }

    /// Passes the views of a call to `work`.
    pub fn show<R>(
        &self,
        call: HostFrame<'_, '_>,
        work: impl for<'a> FnOnce(
            &CallbackContext<'a>,
            Inputs<'a, I>,
            Outputs<'a, S>,
        ) -> Result<R, CallbackError>,
    ) -> Result<R, CallbackError> {
        match call.source {
            CallSource::Frame(frame) => {
                let frame = &*frame;
                let inputs =
                    (0..frame.num_arguments().min(self.counts.0)).map(|i| frame.argument(i));
                let inputs = inputs.collect::<Result<SmallVec<[_; 4]>, _>>()?;
                let outputs = (0..frame.num_results().min(self.counts.1)).map(|i| frame.result(i));
                let outputs = outputs.collect::<Result<SmallVec<[_; 4]>, _>>()?;
                let (inputs, outputs) =
                    self.views(call.place, inputs.into_iter(), outputs.into_iter())?;
                let context = CallbackContext::new(Some(frame), call.record, call.slot);
                work(&context, inputs, outputs)
            }
            CallSource::Arrays(frame, arrays) => {
                let (inputs, outputs) = arrays.arrays()?;
                let (inputs, outputs) =
                    self.views(call.place, inputs.into_iter(), outputs.into_iter())?;
                let context = CallbackContext::new(frame, call.record, call.slot);
                work(&context, inputs, outputs)
            }
        }
    }
}
