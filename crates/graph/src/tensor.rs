//! Handles to values of the thread's current trace.

use crate::{
    Axis, DType, Op, Scalar, Shape, ValueId,
    ops::{Argument, Convert, Splat},
    trace::{self, OpError, Rule, emit},
};
use half::{bf16, f16};
use num_complex::Complex;
use std::{fmt, marker::PhantomData, panic::Location};

/// A tensor inside a traced function: a `Copy` handle of a value in the thread's current trace.
///
/// Its methods record ops. They never panic: an error is recorded with the caller's location and
/// reported when the function has been traced, and the op returns a poisoned tensor.
#[derive(Clone, Copy)]
pub struct Tensor {
    trace: u32,
    value: u32,
    not_send: PhantomData<BelongsToTheTraceOfOneThread>,
}

const POISONED: u32 = u32::MAX;

/// The trace id of tensors that are made outside of any trace.
const NO_TRACE: u32 = u32::MAX;

/// A marker that keeps a tensor in the thread of its trace. The compiler's message for a tensor
/// that is sent to another thread contains this name: start threads around compiled functions, not
/// inside of them.
struct BelongsToTheTraceOfOneThread(
    #[expect(dead_code, reason = "its type is what matters")] *const (),
);

/// The second operand of an elementwise op: another tensor, or a Rust number, which becomes a
/// constant of the tensor's element type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operand of an op: a `Tensor` or a number",
    note = "a `Buffer` holds data outside of the traced function: pass it to the call, and take a \
            `Tensor` as an argument of the function; `Tensor::constant` makes one of values that \
            never change"
)]
pub trait Operand {
    /// The tensor, or the number as a constant with the shape and type of `other`.
    #[track_caller]
    fn like(self, other: Tensor) -> Tensor;
}

/// A Rust number whose element type is not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Bool(bool),
    Int(i128),
    Float(f64),
}

#[hloom_derive::tensor_methods(tensor)]
impl Tensor {
    pub(crate) fn new(trace: u32, value: ValueId) -> Tensor {
        Tensor { trace, value: value.0, not_send: PhantomData }
    }

    /// A tensor of the current trace, or its poisoned tensor.
    pub(crate) fn or_poisoned(value: Option<ValueId>) -> Tensor {
        let trace = trace::current_id().unwrap_or(NO_TRACE);
        Tensor { trace, value: value.map_or(POISONED, |v| v.0), not_send: PhantomData }
    }

    /// The tensor of a value of the current trace.
    pub(crate) fn of(value: ValueId) -> Tensor {
        Tensor::or_poisoned(Some(value))
    }

    pub(crate) fn poisoned() -> Tensor {
        Tensor::or_poisoned(None)
    }

    pub(crate) fn trace_id(self) -> u32 {
        self.trace
    }

    pub(crate) fn value(self) -> ValueId {
        ValueId(self.value)
    }

    /// Whether the tensor has no value in any open trace of this thread: an op that led to it
    /// failed, or its trace has ended. An op on a tensor of another trace, ended or not, is an
    /// error that names both traces.
    #[lazy(by_hand)]
    pub fn is_poisoned(self) -> bool {
        self.has_failed() || !trace::is_open(self.trace)
    }

    /// Whether an op that led to this tensor failed.
    pub(crate) fn has_failed(self) -> bool {
        self.value == POISONED
    }

    /// The shape; `f32[]` when the tensor is poisoned.
    #[lazy(by_hand)]
    pub fn shape(self) -> Shape {
        trace::shape_of(self).unwrap_or(Shape::scalar(DType::F32))
    }

    /// The element type; `f32` when the tensor is poisoned.
    #[lazy(by_hand)]
    pub fn dtype(self) -> DType {
        self.shape().dtype()
    }

    /// The number of axes.
    #[lazy(by_hand)]
    pub fn rank(self) -> usize {
        self.shape().rank()
    }

    /// The size of an axis. A missing axis is an error of the trace, and the size is 1.
    #[lazy(by_hand)]
    #[track_caller]
    pub fn size(self, axis: impl Into<Axis>) -> usize {
        let axis = axis.into();
        let size = emit("size", &[self], Location::caller(), |_, shapes, _| {
            Ok(shapes[0].sizes()[shapes[0].position(axis)?])
        });
        size.unwrap_or(1)
    }

    /// Requests that this tensor, as a result of the function, reuse the memory of `argument`, a
    /// donated argument of the same element type and sizes. Returns the tensor.
    #[lazy(absent)]
    #[track_caller]
    pub fn reuse(self, argument: Tensor) -> Tensor {
        let value =
            emit("reuse", &[self, argument], Location::caller(), |builder, shapes, values| {
                let &Op::Parameter(Argument(position)) = builder.op(values[1]) else {
                    return Err("only an argument's memory can be reused".into());
                };
                let parameter = position as usize;
                let graph = builder.graph();
                if graph.root().parameters.get(parameter) != Some(&values[1]) {
                    return Err("only an argument's memory can be reused".into());
                }
                if !graph.parameters[parameter].donated {
                    let name = &graph.parameters[parameter].name;
                    return Err(
                        format!("argument `{name}` is borrowed; declare it as `Donated`").into()
                    );
                }
                if !shapes[0].fits(&shapes[1]) {
                    let (result, argument) = (&shapes[0], &shapes[1]);
                    let hint = result.order_hint(argument);
                    return Err(format!("the argument is {argument}, not {result}{hint}").into());
                }
                trace::alias(graph, values[0], parameter);
                Ok(values[0])
            });
        Tensor::or_poisoned(value)
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match trace::shape_of(*self) {
            Some(shape) => write!(f, "Tensor(%{} : {shape})", self.value),
            None if self.trace == NO_TRACE => f.write_str(
                "Tensor(made outside of a traced function, where it has no value: a function that \
                 is compiled or jitted makes tensors)",
            ),
            None if self.has_failed() => f.write_str(
                "Tensor(poisoned: an op before it failed, and the error is that of `compile`)",
            ),
            None => f.write_str("Tensor(of a trace that has ended: it has no value any more)"),
        }
    }
}

impl Number {
    /// The number as a scalar of `dtype`, exact for integers; `None` for the float types below 16
    /// bits, which the program converts from `f32`.
    pub(crate) fn scalar(self, dtype: DType) -> Rule<Option<Scalar>> {
        let unfit = || OpError(format!("{self} is not a value of type {dtype}"));
        if let Number::Bool(value) = self {
            return if dtype == DType::Bool { Ok(Some(Scalar::new(value))) } else { Err(unfit()) };
        }
        if dtype == DType::Bool {
            return Err(unfit());
        }
        if dtype.is_int() {
            let value = match self {
                Number::Int(value) => value,
                Number::Float(value) if value.fract() == 0.0 && value.abs() < 1e18 => value as i128,
                _ => return Err(unfit()),
            };
            let bits = dtype.bits() as u32;
            let (low, high) = if dtype.is_signed_int() {
                (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
            } else {
                (0, (1i128 << bits) - 1)
            };
            if !(low..=high).contains(&value) {
                return Err(unfit());
            }
            return Ok(Some(Scalar::from_int(dtype, value)));
        }
        let value = match self {
            Number::Float(value) => value,
            Number::Int(value) => value as f64,
            Number::Bool(_) => return Err(unfit()),
        };
        // The program rounds narrow floats from `f32`.
        let rounded = if dtype.bits() < 16 { f64::from(value as f32) } else { value };
        if value.is_finite() && rounded.abs() >= dtype.real().overflow() {
            return Err(unfit());
        }
        Ok(match dtype {
            DType::BF16 => Some(Scalar::new(bf16::from_f64(value))),
            DType::F16 => Some(Scalar::new(f16::from_f64(value))),
            DType::F32 => Some(Scalar::new(value as f32)),
            DType::F64 => Some(Scalar::new(value)),
            DType::C64 => Some(Scalar::new(Complex::new(value as f32, 0.0))),
            DType::C128 => Some(Scalar::new(Complex::new(value, 0.0))),
            _ => None,
        })
    }

    /// A constant filled with this number; `operands` are the tensors shown in an error.
    #[track_caller]
    pub(crate) fn splat(self, op: &'static str, operands: &[Tensor], shape: Shape) -> Tensor {
        let location = Location::caller();
        let value = emit(op, operands, location, |builder, _, _| {
            let dims = shape.axes();
            match self.scalar(shape.dtype())? {
                Some(scalar) => builder.add(Splat { scalar, dims }, &[]),
                None => {
                    let scalar = self.scalar(DType::F32)?.expect("f32 has scalars");
                    let wide = builder.add(Splat { scalar, dims }, &[])?;
                    builder.add(Convert { dtype: shape.dtype() }, &[wide])
                }
            }
        });
        Tensor::or_poisoned(value)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Bool(value) => write!(f, "{value}"),
            Number::Int(value) => write!(f, "{value}"),
            Number::Float(value) => write!(f, "{value:?}"),
        }
    }
}

impl Operand for Tensor {
    fn like(self, _: Tensor) -> Tensor {
        self
    }
}

macro_rules! numbers {
    ($($rust:ty: $value:ident => $number:expr),*) => { $(
        impl From<$rust> for Number {
            fn from($value: $rust) -> Number {
                $number
            }
        }
        impl Operand for $rust {
            #[track_caller]
            fn like(self, other: Tensor) -> Tensor {
                match trace::shape_of(other) {
                    Some(shape) => Number::from(self).splat("constant", &[other], shape),
                    // The tensor is poisoned or of another trace: the op that uses it reports the
                    // error.
                    None => other,
                }
            }
        }
    )* };
}
numbers!(
    bool: v => Number::Bool(v),
    f64: v => Number::Float(v), f32: v => Number::Float(v.into()),
    f16: v => Number::Float(v.into()), bf16: v => Number::Float(v.into()),
    i8: v => Number::Int(v.into()), i16: v => Number::Int(v.into()),
    i32: v => Number::Int(v.into()), i64: v => Number::Int(v.into()),
    u8: v => Number::Int(v.into()), u16: v => Number::Int(v.into()),
    u32: v => Number::Int(v.into()), u64: v => Number::Int(v.into()),
    usize: v => Number::Int(v as i128)
);
