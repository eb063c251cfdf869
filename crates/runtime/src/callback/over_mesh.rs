//! Callbacks in programs over a mesh.

use hloom_graph::{
    MeshShape, Name, PartitionSpec, Shape, Spec, Tensor, axis_index, cond, manual, record_error,
};

/// The way in which a program over a mesh calls a callback, outside `manual`.
#[derive(Clone, Debug, Default)]
pub(super) enum OverMesh {
    /// The callback is called once, on the first device, with whole tensors.
    #[default]
    Once,
    /// The callback is called on every device, with that device's shards.
    PerShard(Box<PartitionSpec>),
    /// The program does not compile.
    Refused,
}

/// Makes the call on the first device and broadcasts its outputs.
pub(super) fn once(
    mesh: &MeshShape,
    inputs: Vec<Tensor>,
    outputs: &[Spec],
    call: impl FnOnce(Vec<Tensor>) -> Vec<Tensor>,
) -> Vec<Tensor> {
    let axes: Vec<Name> = mesh.axes().map(|(name, _)| name).collect();
    let whole = |count: usize| vec![PartitionSpec::replicated(); count];
    let (in_specs, out_specs) = (whole(inputs.len()), whole(outputs.len()));
    manual(inputs, in_specs, out_specs, |inputs: Vec<Tensor>| {
        let is_first = axis_index(&axes).eq(0);
        let zeros = |spec: &Spec| Tensor::zeros(spec.shape().dtype(), spec.shape().axes());
        let made = cond(is_first, || call(inputs), || outputs.iter().map(zeros).collect());
        let given = made.into_iter().map(|made| made.collective_broadcast(0, &axes));
        given.collect::<Vec<_>>()
    })
}

/// Makes the call on every device with its shards of the inputs and outputs.
pub(super) fn per_shard(
    mesh: &MeshShape,
    name: &str,
    partition: PartitionSpec,
    inputs: Vec<Tensor>,
    outputs: &[Spec],
    call: impl FnOnce(Vec<Tensor>, Vec<Spec>) -> Vec<Tensor>,
) -> Vec<Tensor> {
    let in_specs: Vec<PartitionSpec> =
        inputs.iter().map(|x| of_axes(&partition, &x.shape())).collect();
    let out_specs: Vec<PartitionSpec> =
        outputs.iter().map(|spec| of_axes(&partition, &spec.shape())).collect();
    let all = || in_specs.iter().chain(&out_specs);
    if let Some((axis, _)) =
        partition.splits().find(|split| !all().any(|of| of.splits().any(|other| other == *split)))
    {
        record_error(
            "callback",
            &inputs,
            format!("`{name}`: no input or output has an axis {axis} to split"),
        );
    }
    let parts = outputs.iter().zip(&out_specs).map(|(spec, of)| {
        let shape = spec.shape();
        match of.resolve(&shape, mesh) {
            Ok(resolved) => Spec::of(resolved.local(&shape, mesh)),
            Err(error) => {
                record_error("callback", &inputs, format!("`{name}`: {error}"));
                spec.clone()
            }
        }
    });
    let parts: Vec<Spec> = parts.collect();
    manual(inputs.clone(), in_specs.clone(), out_specs.clone(), |inputs: Vec<Tensor>| {
        call(inputs, parts)
    })
}

/// The axes of the partition that the shape has.
fn of_axes(partition: &PartitionSpec, shape: &Shape) -> PartitionSpec {
    let own = partition.splits().filter(|(axis, _)| shape.position(*axis).is_ok());
    own.fold(PartitionSpec::replicated(), |all, (axis, over)| all.and(axis, over))
}
