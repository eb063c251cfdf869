//! The sharding of a tensor by axis indices.

use crate::{MeshShape, PerAxis, Shape, ShardingError};
use smallvec::SmallVec;

/// The sharding of a tensor of a certain rank over a mesh: a resolved
/// [`PartitionSpec`](crate::PartitionSpec).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ResolvedSharding {
    rank: u8,
    /// Sorted by the tensor's axis, and within one axis from slowest to fastest.
    splits: PerAxis<AxisSplit>,
    /// A bit per axis that the compiler may split further.
    open: u8,
    padded: bool,
}

/// A split of one axis of the tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct AxisSplit {
    axis: u8,
    split: MeshAxisPart,
}

/// A mesh axis along which a tensor is split, or a part of one: a mesh axis of size 6 is equivalent
/// to an axis of size 2 around one of size 3, and a compiler may split along either part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MeshAxisPart {
    /// The index of the mesh axis.
    pub mesh_axis: u8,
    /// The product of the sizes of the enclosing parts; 1 for a whole mesh axis.
    pub around: u32,
    /// The number of parts that the tensor's axis is split into.
    pub size: u32,
}

impl MeshAxisPart {
    /// A whole mesh axis.
    pub(crate) fn whole(mesh_axis: usize, mesh: &MeshShape) -> MeshAxisPart {
        MeshAxisPart { mesh_axis: mesh_axis as u8, around: 1, size: mesh.sizes()[mesh_axis] as u32 }
    }

    /// Whether this is a whole mesh axis.
    pub fn is_whole(&self, mesh: &MeshShape) -> bool {
        self.size as usize == mesh.sizes()[self.mesh_axis as usize]
    }

    /// The index of the part that a device with this coordinate on the mesh axis holds.
    fn part(&self, coordinate: usize, mesh: &MeshShape) -> usize {
        let inner =
            mesh.sizes()[self.mesh_axis as usize] / (self.around as usize * self.size as usize);
        coordinate / inner % self.size as usize
    }
}

impl ResolvedSharding {
    /// Replicated on every device.
    pub fn replicated(rank: usize) -> ResolvedSharding {
        ResolvedSharding { rank: rank as u8, ..ResolvedSharding::default() }
    }

    pub(crate) fn add(&mut self, axis: usize, split: MeshAxisPart) {
        if split.size == 1 {
            // A mesh axis of one device splits nothing.
            return;
        }
        let axis = axis as u8;
        let more = self.splits.push(AxisSplit { axis, split });
        debug_assert!(more.is_some(), "a mesh has no more axes than a list of splits has room");
        // Sorted by axis, in the given order within an axis.
        let at = self.splits.iter().position(|split| split.axis > axis);
        if let (Some(()), Some(at)) = (more, at) {
            self.splits.as_mut_slice()[at..].rotate_right(1);
        }
    }

    pub(crate) fn open(&mut self, axis: usize) {
        self.open |= 1 << axis;
    }

    pub(crate) fn pad(&mut self) {
        self.padded = true;
    }

    /// The rank of the tensor.
    pub fn rank(&self) -> usize {
        self.rank.into()
    }

    /// The mesh axes that split an axis of the tensor, the slowest first.
    pub fn splits(&self, axis: usize) -> impl Iterator<Item = MeshAxisPart> + '_ {
        let own = move |split: &&AxisSplit| usize::from(split.axis) == axis;
        self.splits.iter().filter(own).map(|split| split.split)
    }

    /// Whether the compiler may split an axis further.
    pub fn is_open(&self, axis: usize) -> bool {
        self.open & (1 << axis) != 0
    }

    /// Whether the compiler may split any axis further.
    pub fn has_open(&self) -> bool {
        self.open != 0
    }

    /// The sharding of the tensor with its axes in another order, which holds each of them once.
    pub fn transposed(&self, order: &[usize]) -> ResolvedSharding {
        let mut to =
            ResolvedSharding { rank: self.rank, padded: self.padded, ..Default::default() };
        for (axis, &from) in order.iter().enumerate() {
            self.splits(from).for_each(|split| to.add(axis, split));
            if self.is_open(from) {
                to.open(axis);
            }
        }
        to
    }

    /// Whether parts may be padded.
    pub fn is_padded(&self) -> bool {
        self.padded
    }

    /// Whether every device has the whole tensor.
    pub fn is_replicated(&self) -> bool {
        self.splits.is_empty()
    }

    /// The actual sharding of values with this sharding: no axis is open, and padding is set
    /// where it is needed.
    pub fn definite(self) -> ResolvedSharding {
        ResolvedSharding { open: 0, padded: false, ..self }
    }

    /// The number of parts that an axis of the tensor is split into.
    pub fn parts(&self, axis: usize) -> usize {
        self.splits(axis).map(|split| split.size as usize).product()
    }

    /// The shape of a device's part: all parts have the same size, the last ones padded where the
    /// axis is not divisible.
    pub fn local(&self, shape: &Shape, mesh: &MeshShape) -> Shape {
        debug_assert_eq!(shape.rank(), self.rank(), "{shape} on {mesh}");
        let mut axes = shape.axes();
        for (axis, size) in axes.sizes.as_mut_slice().iter_mut().enumerate() {
            *size = size.div_ceil(self.parts(axis));
        }
        shape.with_dims(axes)
    }

    /// The shape of all parts together, including padding.
    pub fn padded(&self, shape: &Shape, mesh: &MeshShape) -> Shape {
        let mut axes = self.local(shape, mesh).axes();
        for (axis, size) in axes.sizes.as_mut_slice().iter_mut().enumerate() {
            *size *= self.parts(axis);
        }
        shape.with_dims(axes)
    }

    /// The index of a device's part along each axis of the tensor.
    pub fn part(&self, device: usize, mesh: &MeshShape) -> PerAxis<usize> {
        let coordinates = mesh.coordinates(device);
        PerAxis::collect((0..self.rank()).map(|axis| {
            self.splits(axis).fold(0, |n, split| {
                n * split.size as usize
                    + split.part(coordinates[usize::from(split.mesh_axis)], mesh)
            })
        }))
    }

    /// The start and the size, without padding, of a device's part.
    pub fn slice(
        &self,
        device: usize,
        shape: &Shape,
        mesh: &MeshShape,
    ) -> (PerAxis<usize>, PerAxis<usize>) {
        let local = self.local(shape, mesh);
        let mut starts = self.part(device, mesh);
        let mut sizes = PerAxis::new();
        for (axis, start) in starts.as_mut_slice().iter_mut().enumerate() {
            *start = (*start * local.sizes()[axis]).min(shape.sizes()[axis]);
            let left = shape.sizes()[axis] - *start;
            sizes
                .push(local.sizes()[axis].min(left))
                .expect("a sharding has no more axes than a tensor can have");
        }
        (starts, sizes)
    }

    /// For each device, the first device that holds the same part: itself, or the one it
    /// replicates.
    pub fn first_copies(&self, mesh: &MeshShape) -> Vec<usize> {
        let mut firsts = std::collections::HashMap::new();
        (0..mesh.device_count())
            .map(|device| {
                let part: SmallVec<[usize; 8]> = self.part(device, mesh).iter().copied().collect();
                *firsts.entry(part).or_insert(device)
            })
            .collect()
    }

    /// Checks that axes are divisible, or may be padded.
    ///
    /// # Errors
    /// An axis that is not divisible and may not be padded.
    pub fn check(&self, shape: &Shape, mesh: &MeshShape) -> Result<(), ShardingError> {
        for (axis, &size) in shape.sizes().iter().enumerate() {
            let parts = self.parts(axis);
            if parts > 1 && axis + 1 == shape.rank() {
                // Each part consists of whole blocks.
                let mut part = shape.axes();
                part.sizes.as_mut_slice()[axis] = size.div_ceil(parts);
                shape.with_dims(part).check_blocks()?;
            }
            if size % parts == 0 || self.padded {
                continue;
            }
            let names: Vec<String> = self
                .splits(axis)
                .map(|split| format!("`{}`", mesh.name(split.mesh_axis.into())))
                .collect();
            return Err(ShardingError::Indivisible {
                axis: match shape.names()[axis] {
                    Some(name) => format!("`{name}`"),
                    None => axis.to_string(),
                },
                shape: Box::new(*shape),
                size,
                parts,
                over: names.join(" × "),
                mesh: Box::new(*mesh),
            });
        }
        Ok(())
    }

    /// The sharding in which each device holds the part given by `parts`: for each device, the
    /// part's index along each axis, out of `counts`. `None` if no order of mesh axes, or of parts
    /// of them, has this result.
    pub fn from_parts(
        mesh: &MeshShape,
        counts: &[usize],
        parts: &[Vec<usize>],
    ) -> Option<ResolvedSharding> {
        let mut sharding = ResolvedSharding::replicated(counts.len());
        let candidates = prime_splits(mesh);
        let coordinates: Vec<_> =
            (0..mesh.device_count()).map(|device| mesh.coordinates(device)).collect();
        for (axis, &count) in counts.iter().enumerate() {
            let mut left = count;
            let mut merged: SmallVec<[MeshAxisPart; 8]> = SmallVec::new();
            while left > 1 {
                // The slowest digit of the rest of the part's index is the part of one of the
                // candidates.
                let found = candidates.iter().find(|split| {
                    let inner = left / split.size as usize;
                    left % split.size as usize == 0
                        && coordinates.iter().zip(parts).all(|(place, part)| {
                            part[axis] % left / inner
                                == split.part(place[usize::from(split.mesh_axis)], mesh)
                        })
                })?;
                left /= found.size as usize;
                match merged.last_mut() {
                    Some(last)
                        if last.mesh_axis == found.mesh_axis
                            && last.around * last.size == found.around =>
                    {
                        last.size *= found.size;
                    }
                    _ => merged.push(*found),
                }
            }
            for split in merged {
                let axis = axis as u8;
                sharding.splits.push(AxisSplit { axis, split })?;
            }
        }
        Some(sharding)
    }

    /// Formats the tensor with the splits of each axis, such as `f32[batch=8/data, heads=12/(data,
    /// model), 64]`.
    pub fn describe(&self, shape: &Shape, mesh: &MeshShape) -> String {
        let axes =
            shape.sizes().iter().zip(shape.names()).enumerate().map(|(axis, (size, name))| {
                let mut text = name.map_or(String::new(), |name| format!("{name}="));
                text += &size.to_string();
                let mut over: Vec<String> = self
                    .splits(axis)
                    .map(|split| {
                        let name = mesh.name(split.mesh_axis.into());
                        if split.is_whole(mesh) {
                            name.to_string()
                        } else {
                            format!("{name}:({}){}", split.around, split.size)
                        }
                    })
                    .collect();
                if self.is_open(axis) {
                    over.push("?".into());
                }
                match over.as_slice() {
                    [] => text,
                    [one] => format!("{text}/{one}"),
                    several => format!("{text}/({})", several.join(", ")),
                }
            });
        let axes: Vec<String> = axes.collect();
        format!("{}[{}]", shape.dtype(), axes.join(", "))
    }
}

/// Every part of prime size of a mesh axis, at every position within the axis.
fn prime_splits(mesh: &MeshShape) -> Vec<MeshAxisPart> {
    let mut all = Vec::new();
    for (mesh_axis, &size) in mesh.sizes().iter().enumerate() {
        let divisors = |n: usize| (1..=n).filter(move |d| n.is_multiple_of(*d));
        for around in divisors(size) {
            let primes = divisors(size / around).filter(|&d| d > 1 && divisors(d).count() == 2);
            all.extend(primes.map(|prime| MeshAxisPart {
                mesh_axis: mesh_axis as u8,
                around: around as u32,
                size: prime as u32,
            }));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, PartitionSpec};

    fn mesh(axes: &[(&'static str, usize)]) -> MeshShape {
        MeshShape::new(axes.iter().copied()).unwrap()
    }

    #[test]
    fn each_device_has_its_part() {
        let mesh = mesh(&[("x", 2), ("y", 3)]);
        let shape = Shape::new(DType::F32, [6, 4, 5]).unwrap();
        let both = PartitionSpec::shard(0, ["y", "x"]).resolve(&shape, &mesh).unwrap();
        assert_eq!(both.local(&shape, &mesh).sizes(), [1, 4, 5]);
        let firsts: Vec<usize> = (0..6).map(|device| both.part(device, &mesh)[0]).collect();
        // Unlike in the mesh, `y` is slower than `x` here.
        assert_eq!(firsts, [0, 2, 4, 1, 3, 5]);
        let one = PartitionSpec::shard(1, "x").resolve(&shape, &mesh).unwrap();
        let (start, size) = one.slice(4, &shape, &mesh);
        assert_eq!((&*start, &*size), (&[0, 2, 0][..], &[6, 2, 5][..]));
        assert_eq!(one.first_copies(&mesh), [0, 0, 0, 3, 3, 3]);
    }

    #[test]
    fn padding_leaves_the_last_parts_short_or_empty() {
        let mesh = mesh(&[("x", 4)]);
        let shape = Shape::new(DType::F32, [5]).unwrap();
        let padded = PartitionSpec::shard(0, "x").padded().resolve(&shape, &mesh).unwrap();
        assert_eq!(padded.local(&shape, &mesh).sizes(), [2]);
        let slices: Vec<_> = (0..4).map(|d| padded.slice(d, &shape, &mesh)).collect();
        let slices: Vec<_> = slices.iter().map(|(start, size)| (start[0], size[0])).collect();
        assert_eq!(slices, [(0, 2), (2, 2), (4, 1), (5, 0)]);
    }

    #[test]
    fn errors_name_axis_sizes_and_mesh() {
        let mesh = mesh(&[("data", 4), ("model", 2)]);
        let shape = Shape::new(DType::F32, [("batch", 6), ("in", 8)]).unwrap();
        let error =
            |partition: PartitionSpec| partition.resolve(&shape, &mesh).unwrap_err().to_string();
        assert_eq!(
            error(PartitionSpec::shard("batch", "data")),
            "axis `batch` of f32[batch=6, in=8] has size 6, which is not divisible by 4, the size \
             of `data` in the mesh [data=4, model=2]"
        );
        assert_eq!(
            error(PartitionSpec::shard("batch", ["model", "data"])),
            "axis `batch` of f32[batch=6, in=8] has size 6, which is not divisible by 8, the size \
             of `model` × `data` in the mesh [data=4, model=2]"
        );
        assert_eq!(
            error(PartitionSpec::shard("batch", "model").and("in", "model")),
            "mesh axis `model` splits f32[batch=6, in=8] twice; it can split one axis of a tensor"
        );
        assert_eq!(
            error(PartitionSpec::shard("in", "heads")),
            "there is no axis `heads` in the mesh [data=4, model=2]"
        );
        assert_eq!(
            error(PartitionSpec::shard("out", "model")),
            "there is no axis `out` in f32[batch=6, in=8]"
        );
        assert!(
            error(PartitionSpec::shard("in", ["a", "b", "c", "d", "e", "f", "g", "h", "i"]))
                .contains("mesh axis `i` splits")
        );
    }

    #[test]
    fn parts_are_traced_back_to_mesh_axes() {
        let mesh = mesh(&[("x", 4), ("y", 6)]);
        let shape = Shape::new(DType::F32, [24, 24]).unwrap();
        let read = |p: &ResolvedSharding| {
            let counts: Vec<usize> = (0..2).map(|axis| p.parts(axis)).collect();
            let parts: Vec<Vec<usize>> =
                (0..24).map(|device| p.part(device, &mesh).to_vec()).collect();
            ResolvedSharding::from_parts(&mesh, &counts, &parts)
        };
        for partition in [
            PartitionSpec::replicated(),
            PartitionSpec::shard(0, "x"),
            PartitionSpec::shard(1, ["y", "x"]),
            PartitionSpec::shard(0, ["x", "y"]),
            PartitionSpec::shard(0, "y").and(1, "x"),
        ] {
            let whole = partition.resolve(&shape, &mesh).unwrap();
            assert_eq!(read(&whole), Some(whole), "{partition:?}");
        }
        // One part of a mesh axis splits the first axis, the rest splits the second.
        let mut split = ResolvedSharding::replicated(2);
        split.add(0, MeshAxisPart { mesh_axis: 1, around: 2, size: 3 });
        split.add(1, MeshAxisPart { mesh_axis: 1, around: 1, size: 2 });
        assert_eq!(split.describe(&shape, &mesh), "f32[24/y:(2)3, 24/y:(1)2]");
        assert_eq!(read(&split), Some(split));
        // Devices in an order that no axes produce.
        let odd: Vec<Vec<usize>> =
            (0..24).map(|device| vec![usize::from(device == 5), 0]).collect();
        assert_eq!(ResolvedSharding::from_parts(&mesh, &[2, 1], &odd), None);
    }
}
