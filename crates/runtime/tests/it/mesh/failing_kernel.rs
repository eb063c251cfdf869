//! Kernels whose handlers may fail: on one device of a mesh, while another waits in a collective.

use super::{CPUS, mesh};
use hloom_graph::{
    CustomCall, NodeId, Op, PartitionSpec, Reduction, Rewrite, Spec, Tensor, Unary, ValueId, manual,
};
use hloom_pjrt::extension::ffi::{CallFrame, Ffi, Handler, HandlerError, Handlers};
use hloom_runtime::{Buffer, Kernels, Platform, PlatformKernel};

/// A kernel for absolute values that refuses negative numbers.
struct Picky {
    never_fails: bool,
}

struct PickyHandler;

impl Handler for PickyHandler {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        let x = frame.argument(0)?;
        let x = x.as_slice::<f32>()?;
        frame.result(0)?.as_mut_slice::<f32>()?.copy_from_slice(x);
        if x.iter().any(|x| *x < 0.0) {
            Err(HandlerError::from("less than nothing"))
        } else {
            Ok(())
        }
    }
}

impl PlatformKernel for Picky {
    fn name(&self) -> &str {
        "test.picky.v1"
    }

    fn never_fails(&self) -> bool {
        self.never_fails
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        ffi.register("test.picky.v1", &Handlers::new::<PickyHandler>())
    }

    fn replace(
        &self,
        _: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let graph = rewrite.from();
        let Op::Unary(Unary::Abs) = graph.node(node).op else { return None };
        let x = graph.operands(node)[0];
        let call = CustomCall::new("test.picky.v1", [graph.shape(x)]);
        rewrite.add(call, &[rewrite.value(x)?])
    }
}

#[test]
fn a_kernel_that_may_fail_is_not_used_on_several_devices() {
    let function = |x: Tensor| {
        manual(x, PartitionSpec::shard("a", "model"), PartitionSpec::replicated(), |x: Tensor| {
            x.abs().sum("a").all_reduce(Reduction::Sum, "model")
        })
    };
    for (picky, uses) in [(Picky { never_fails: false }, 0), (Picky { never_fails: true }, 1)] {
        let mesh = mesh([("model", 2)]);
        let spec = Spec::f32([("a", 4)]).shard("a", "model");
        let compiler = mesh.compiler().kernels(Kernels::off().with(picky));
        let exe = compiler.compile(function, (spec.clone(),)).unwrap();
        assert_eq!(exe.kernels().len(), uses);
        // With an error on one device the other would wait in the collective.
        for values in [[1.0f32, 2.0, 3.0, 4.0], [1.0, 2.0, -3.0, 4.0], [-1.0; 4]] {
            if uses == 1 && values.iter().any(|x| *x < 0.0) {
                continue;
            }
            let x = Buffer::from_slice(&mesh.sharding(&spec).unwrap(), &values, [("a", 4)]);
            let y = exe.call((&x.unwrap(),)).unwrap();
            let expected: f32 = values.iter().map(|x| x.abs()).sum();
            assert_eq!(y.to_vec::<f32>().unwrap(), [expected]);
        }
    }
    // On one device the failure is an error of the call.
    let compiler = CPUS.compiler().kernels(Kernels::off().with(Picky { never_fails: false }));
    let exe = compiler.compile(|x: Tensor| x.abs(), (Spec::f32([1]),)).unwrap();
    let x = Buffer::from_slice(&CPUS, &[-1f32], [1]).unwrap();
    let error = exe.call((&x,)).and_then(|y| y.to_vec::<f32>()).unwrap_err();
    assert!(error.to_string().contains("less than nothing"), "{error}");
}
