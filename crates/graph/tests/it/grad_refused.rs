//! Each op without a derivative is an error that names it and its line.

use crate::traced::traced;
use hloom_graph::*;

/// A loss through an op without a derivative, with the line of the op.
type Loss = fn(Tensor) -> (Tensor, u32);

fn window() -> WindowDims {
    WindowDims::new(PerAxis::collect([2]))
}

fn cases() -> Vec<(&'static str, Loss)> {
    vec![
        ("`while` has no derivative", |x| {
            (while_loop(x, |x| x.sum(..).lt(100), |x| x * 2), line!())
        }),
        ("`custom_call` calls a function whose derivative is not known", |x| {
            (custom_call("acme.smooth", x, Spec::of(x.shape())).call(), line!())
        }),
        ("`reduce_by` has no derivative", |x| {
            (reduce_by(x, Tensor::scalar(1, DType::F32), 0, |a, b| a * b), line!())
        }),
        ("`reduce_window_by` has no derivative", |x| {
            let one = Tensor::scalar(1, DType::F32);
            (reduce_window_by(x, one, window(), |a, b| a * b), line!())
        }),
        ("`sort_by` has no derivative", |x| (sort_by(x, 0, |a, b| a.lt(b)), line!())),
        ("`scatter_by` has no derivative", |x| {
            let dims = ScatterDims {
                inserted_window_dims: PerAxis::collect([0]),
                scatter_dims_to_operand_dims: PerAxis::collect([0]),
                index_vector_dim: 1,
                ..ScatterDims::default()
            };
            let i = Tensor::constant(&[1i32], [1, 1]);
            (scatter_by(x, i, x.slice(0, ..1), dims, |a, b| a * b), line!())
        }),
        ("`next_after` has no derivative", |x| (x.next_after(0), line!())),
        ("`reduce_window` of products has no derivative", |x| {
            (x.reduce_window(Reduction::Prod, window()), line!())
        }),
    ]
}

#[test]
fn an_op_without_a_derivative_is_an_error_at_its_line() {
    for (message, loss) in cases() {
        let mut line = 0;
        let result = traced(TraceScope::begin("test"), [Spec::f32([3])], |[x]| {
            grad(x, |x| {
                let (y, own) = loss(x);
                line = own;
                y.sum(..)
            })
        });
        let error = result.expect_err(message);
        assert!(error.message.starts_with(message), "{message}: {error}");
        assert_eq!((error.location.file(), error.location.line()), (file!(), line), "{error}");
    }
}

#[test]
fn products_over_devices_have_no_derivative() {
    for (op, on_device) in [
        ("all_reduce", (|x| x.all_reduce(Reduction::Prod, "x")) as fn(Tensor) -> Tensor),
        ("reduce_scatter", |x| x.reduce_scatter(Reduction::Prod, 0, "x")),
    ] {
        let mesh = MeshShape::new([("x", 2)]).expect("a mesh");
        let trace = TraceScope::begin_over("test", mesh);
        let line = line!() + 3;
        let result = traced(trace, [Spec::f32([4])], |[x]| {
            let (split, joined) = (PartitionSpec::shard(0, "x"), PartitionSpec::shard(0, "x"));
            grad(x, |x| manual(x, split, joined, on_device).sum(..))
        });
        let error = result.expect_err(op);
        assert!(
            error.message.starts_with(&format!("`{op}` of products has no derivative")),
            "{error}"
        );
        assert_eq!(error.location.file(), file!());
        assert!(error.location.line() < line, "{error}");
    }
}

#[test]
fn a_loss_that_does_not_use_its_argument_is_an_error() {
    let expected = "the loss is computed from the parameters outside of its function";
    let outer = |x: Tensor| grad(x, |_| (x * x).sum(..));
    let aux = |x: Tensor| value_and_grad_aux(x, |y| ((x * x).sum(..), y)).1;
    for function in [outer, aux] {
        let found = traced(TraceScope::begin("test"), [Spec::f32([3])], |[x]| function(x));
        let message = found.map(|graph| graph.to_string()).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    // The tensors were computed from a parameter, also in the body of a loop.
    let square = |x: Tensor| {
        let square = x * x;
        grad(x, |_| square.sum(..))
    };
    let looped = |x: Tensor| grad(x, |_| for_loop(3, x.zeros_like(), |_, sum| sum + x).sum(..));
    let some = |x: Tensor| grad((x, Tensor::scalar(1, DType::I32)), |_| x.sum(..)).0;
    for function in [square as fn(Tensor) -> Tensor, looped, some] {
        let found = traced(TraceScope::begin("test"), [Spec::f32([3])], |[x]| function(x));
        assert!(found.unwrap_err().to_string().contains(expected));
    }
    // Integers have no derivative, one parameter of two is used, and the gradient of a sum is a
    // constant.
    let integers =
        |x: Tensor| grad(Tensor::scalar(1, DType::I32), |_| x.sum(..)).convert(x.dtype());
    let two = |x: Tensor| grad((x, x + 1), |(x, _)| x.sum(..)).0;
    let twice = |x: Tensor| grad(x + 1, |y| grad(y, |y| y.sum(..)).sum(..));
    let other = |x: Tensor| grad(x + 1, |_| x.sum(..));
    for function in [integers as fn(Tensor) -> Tensor, two, twice, other] {
        traced(TraceScope::begin("test"), [Spec::f32([3])], |[x]| function(x)).unwrap();
    }
}
