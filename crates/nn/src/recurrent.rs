//! Recurrent layers, with the weights and the order of gates of PyTorch's checkpoints.
//!
//! ```
//! use hloom_graph::{DType, Spec, Tree, TraceScope};
//! use hloom_nn::{Lstm, LstmState};
//!
//! let trace = TraceScope::begin("example");
//! let lstm = Lstm::new(16, 32, true, DType::F32);
//! let lstm = lstm.map(&mut |path, spec| trace.parameter(path.to_string(), &spec, false));
//! let x = Spec::f32([("time", 10), ("batch", 4), ("in", 16)]);
//! let x = trace.parameter("x", &x, false);
//! let (last, outputs) = lstm.forward(x, "time", lstm.zero_state(x.index("time", 0)));
//! assert_eq!(outputs.shape().to_string(), "f32[time=10, batch=4, in=32]");
//! assert_eq!(last.cell.shape().to_string(), "f32[batch=4, in=32]");
//! ```

use crate::product::{along_last, name_of, own_axis, times_weight, with_last};
use hloom_graph::{Axis, DType, Dims, Name, Spec, Tensor, Tree, function_scope, scan};

/// A long short-term memory
/// ([Hochreiter and Schmidhuber 1997](https://doi.org/10.1162/neco.1997.9.8.1735)), with gates in
/// the order input, forget, update, output. In a module of one layer the fields are called
/// `weight_ih_l0` and so on: `#[tree(rename = "..")]`.
#[derive(Tree, Clone, Debug)]
pub struct Lstm<T = Tensor> {
    /// `[4 * hidden, in]`.
    #[axes(gate, in)]
    pub weight_ih: T,
    /// `[4 * hidden, hidden]`.
    #[axes(gate, hidden)]
    pub weight_hh: T,
    /// `[4 * hidden]`.
    #[axes(gate)]
    pub bias_ih: Option<T>,
    /// `[4 * hidden]`.
    #[axes(gate)]
    pub bias_hh: Option<T>,
}

/// The state of an [`Lstm`], of the shape of an input with another size of the axis that the layer
/// works along.
#[derive(Tree, Clone, Debug)]
pub struct LstmState<T = Tensor> {
    /// The output of the last step.
    pub hidden: T,
    /// The cell.
    pub cell: T,
}

/// A gated recurrent unit ([Cho et al. 2014](https://arxiv.org/abs/1406.1078)), with gates in the
/// order reset, update, new, where the reset gate follows the product with the state.
#[derive(Tree, Clone, Debug)]
pub struct Gru<T = Tensor> {
    /// `[3 * hidden, in]`.
    #[axes(gate, in)]
    pub weight_ih: T,
    /// `[3 * hidden, hidden]`.
    #[axes(gate, hidden)]
    pub weight_hh: T,
    /// `[3 * hidden]`.
    #[axes(gate)]
    pub bias_ih: Option<T>,
    /// `[3 * hidden]`.
    #[axes(gate)]
    pub bias_hh: Option<T>,
}

/// `x` times a weight, plus its bias.
#[track_caller]
fn gates(x: Tensor, weight: Tensor, bias: Option<Tensor>, name: Option<Name>) -> Tensor {
    let y = times_weight(x, weight, name);
    match bias {
        Some(bias) => y + along_last(bias, y),
        None => y,
    }
}

/// Zeros of the type of `x` and its shape, with another size of the axis `own`.
#[track_caller]
fn zeros(x: Tensor, own: usize, hidden: usize) -> Tensor {
    let shape = x.shape();
    let axes = shape.names().iter().copied().zip(shape.sizes().iter().copied()).enumerate();
    let resized =
        axes.map(|(i, (name, size))| if i == own { (name, hidden) } else { (name, size) });
    Tensor::zeros(x.dtype(), Dims::new(resized))
}

impl Lstm {
    /// The state after an input. The layer works along the axis of the input with the name of the
    /// weight's axis, `in`, or its last axis if there is none.
    #[track_caller]
    pub fn step(&self, x: Tensor, state: &LstmState) -> LstmState {
        let own = own_axis(x, name_of(self.weight_ih, 1));
        let last = |x: Tensor| x.moveaxis(own, -1);
        if own + 1 >= x.rank() {
            return self.step_last(x, state);
        }
        let (hidden, cell) = (last(state.hidden), last(state.cell));
        let next = self.step_last(last(x), &LstmState { hidden, cell });
        let back = |x: Tensor| x.moveaxis(-1, own as isize);
        LstmState { hidden: back(next.hidden), cell: back(next.cell) }
    }

    #[track_caller]
    fn step_last(&self, x: Tensor, state: &LstmState) -> LstmState {
        let name = name_of(x, x.rank().saturating_sub(1));
        function_scope("nn::Lstm", || {
            let all = gates(x, self.weight_ih, self.bias_ih, name)
                + gates(state.hidden, self.weight_hh, self.bias_hh, name);
            let parts = all.split(-1, 4);
            let &[input, forget, update, output] = parts.as_slice() else {
                // The split has recorded its error.
                return state.clone();
            };
            let cell = forget.sigmoid() * state.cell + input.sigmoid() * update.tanh();
            LstmState { hidden: output.sigmoid() * cell.tanh(), cell }
        })
    }

    /// The state after all inputs along `axis`, and the output of each step along a first axis of
    /// the same name.
    #[track_caller]
    pub fn forward(
        &self,
        x: Tensor,
        axis: impl Into<Axis>,
        state: LstmState,
    ) -> (LstmState, Tensor) {
        let axis = axis.into();
        function_scope("nn::Lstm", || {
            scan(state, x, axis, |state, x| {
                let next = self.step(x, &state);
                let output = next.hidden;
                (next, output)
            })
        })
    }

    /// A state of zeros for inputs of one step.
    #[track_caller]
    pub fn zero_state(&self, x: Tensor) -> LstmState {
        let zeros = zeros(x, own_axis(x, name_of(self.weight_ih, 1)), self.weight_hh.size(1));
        LstmState { hidden: zeros, cell: zeros }
    }
}

impl Lstm<Spec> {
    /// The specs of a layer from `inputs` to `hidden` features.
    pub fn new(inputs: usize, hidden: usize, bias: bool, dtype: DType) -> Lstm<Spec> {
        let [weight_ih, weight_hh, bias_ih] = specs(inputs, hidden, 4 * hidden, dtype);
        let bias_ih = bias.then_some(bias_ih);
        Lstm { weight_ih, weight_hh, bias_hh: bias_ih.clone(), bias_ih }
    }
}

impl Gru {
    /// The state after an input. The layer works along the axis of the input with the name of the
    /// weight's axis, `in`, or its last axis if there is none. The state has the shape of the
    /// input, with `hidden` as the size of that axis.
    #[track_caller]
    pub fn step(&self, x: Tensor, state: Tensor) -> Tensor {
        let own = own_axis(x, name_of(self.weight_ih, 1));
        with_last(state, own, |state| {
            let x = if own + 1 < x.rank() { x.moveaxis(own, -1) } else { x };
            self.step_last(x, state)
        })
    }

    #[track_caller]
    fn step_last(&self, x: Tensor, state: Tensor) -> Tensor {
        let name = name_of(x, x.rank().saturating_sub(1));
        function_scope("nn::Gru", || {
            let of_input = gates(x, self.weight_ih, self.bias_ih, name).split(-1, 3);
            let of_state = gates(state, self.weight_hh, self.bias_hh, name).split(-1, 3);
            let (&[reset, update, new], &[state_reset, state_update, state_new]) =
                (of_input.as_slice(), of_state.as_slice())
            else {
                // The split has recorded its error.
                return state;
            };
            let kept = (update + state_update).sigmoid();
            let new = (new + (reset + state_reset).sigmoid() * state_new).tanh();
            (state - new) * kept + new
        })
    }

    /// The state after all inputs along `axis`, and the state after each along a first axis of the
    /// same name.
    #[track_caller]
    pub fn forward(&self, x: Tensor, axis: impl Into<Axis>, state: Tensor) -> (Tensor, Tensor) {
        let axis = axis.into();
        function_scope("nn::Gru", || {
            scan(state, x, axis, |state, x| {
                let next = self.step(x, state);
                (next, next)
            })
        })
    }

    /// A state of zeros for inputs of one step.
    #[track_caller]
    pub fn zero_state(&self, x: Tensor) -> Tensor {
        zeros(x, own_axis(x, name_of(self.weight_ih, 1)), self.weight_hh.size(1))
    }
}

impl Gru<Spec> {
    /// The specs of a layer from `inputs` to `hidden` features.
    pub fn new(inputs: usize, hidden: usize, bias: bool, dtype: DType) -> Gru<Spec> {
        let [weight_ih, weight_hh, bias_ih] = specs(inputs, hidden, 3 * hidden, dtype);
        let bias_ih = bias.then_some(bias_ih);
        Gru { weight_ih, weight_hh, bias_hh: bias_ih.clone(), bias_ih }
    }
}

/// The specs of both weights, and of a bias.
fn specs(inputs: usize, hidden: usize, gates: usize, dtype: DType) -> [Spec; 3] {
    [
        Spec::new(dtype, [("gate", gates), ("in", inputs)]),
        Spec::new(dtype, [("gate", gates), ("hidden", hidden)]),
        Spec::new(dtype, [("gate", gates)]),
    ]
}
