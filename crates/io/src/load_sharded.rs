//! Loading tensors over a mesh: each device receives its part, and only that is read from the file.
//!
//! On the CPU a part that is contiguous in the file, aligned and of the requested type is used
//! without a copy. All others are assembled, or converted, once for all devices that have the same
//! part.

use crate::{
    ALIGNMENT, Error, PlannedTensor, Result, TensorView,
    convert::{Conversion, Unit},
    host_bytes::HostBytes,
    planned_tensor::{PIECE, PlannedPart},
};
use hloom_graph::Shape;
use hloom_runtime::{Buffer, Mesh, NamedSharding};
use rayon::prelude::*;
use std::{ops::Range, sync::Arc};

/// A piece of a tensor's mapped bytes, which stay mapped as long as this lives.
struct MappedPiece {
    source: TensorView,
    range: Range<usize>,
}

impl AsRef<[u8]> for MappedPiece {
    fn as_ref(&self) -> &[u8] {
        let bytes =
            self.source.mapping().expect("only tensors of mapped files are used where they are");
        &bytes[self.range.clone()]
    }
}

/// A part in memory that several devices use.
#[derive(Clone)]
struct SharedPart(Arc<HostBytes>);

impl AsRef<[u8]> for SharedPart {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

/// Elements that are contiguous in the file and in a part.
struct Run {
    source: usize,
    target: usize,
    count: usize,
}

/// The source of a part.
enum PartSource {
    /// Mapped bytes, used without a copy.
    Mapped(TensorView, Range<usize>),
    /// Bytes that were read.
    Read(SharedPart),
}

/// The tensor of a plan over a mesh, split by its spec. `done` is called with the bytes of the file
/// once the tensor is loaded.
pub(crate) fn load(
    mesh: &Mesh,
    tensor: &PlannedTensor,
    done: &(dyn Fn(usize) + Sync),
) -> Result<Buffer> {
    let shape = tensor.shape();
    let sharding = NamedSharding::new(mesh, &shape, tensor.partition_spec())?;
    let local = sharding.local(&shape)?;
    let firsts = sharding.resolved().first_copies(&mesh.shape());
    let on_host = mesh.platform().client().uses_host_memory();
    let parts: Result<Vec<Option<PartSource>>> = (0..firsts.len())
        .into_par_iter()
        .map(|device| {
            if firsts[device] == device {
                part(tensor, &sharding, device, &local, on_host).map(Some)
            } else {
                Ok(None)
            }
        })
        .collect();
    let parts = parts?;
    let each = firsts.iter().enumerate().map(|(device, &first)| {
        match parts[first].as_ref().expect("the first of equal parts was made") {
            PartSource::Mapped(source, range) => {
                let (source, range) = (source.clone(), range.clone());
                Buffer::on_device(mesh, device, local, MappedPiece { source, range })
            }
            PartSource::Read(bytes) => Buffer::on_device(mesh, device, local, bytes.clone()),
        }
    });
    let each: Result<Vec<Buffer>, _> = each.collect();
    let buffer = Buffer::from_shards(&sharding, shape, each?)?;
    if !on_host {
        // Frees the host memory of this tensor before more is filled.
        buffer.ready()?;
    }
    done(tensor.file_size());
    Ok(buffer)
}

fn part(
    tensor: &PlannedTensor,
    sharding: &NamedSharding,
    device: usize,
    local: &Shape,
    on_host: bool,
) -> Result<PartSource> {
    let shape = tensor.shape();
    let (start, sizes) = sharding.slice(device, &shape)?;
    let (whole, start, sizes, local_sizes) = (shape.sizes(), &*start, &*sizes, local.sizes());
    if let [part] = tensor.parts() {
        let runs = runs(whole, start, sizes, local_sizes);
        if let Some(range) = mapped(part, &runs, local.element_count(), on_host)? {
            return Ok(PartSource::Mapped(part.source().clone(), range));
        }
        let mut own = HostBytes::zeroed(local.byte_size(), tensor.name())?;
        read(part, &runs, shape.element_count(), own.as_mut())?;
        return Ok(PartSource::Read(SharedPart(Arc::new(own))));
    }
    let mut own = HostBytes::zeroed(local.byte_size(), tensor.name())?;
    // The parts of a stack that this device has, each along the axes after the first. (A plan has
    // as many parts as the first axis has elements.)
    if let ([first, ..], [count, ..]) = (start, sizes)
        && local.byte_size() > 0
    {
        let runs = runs(&whole[1..], &start[1..], &sizes[1..], &local_sizes[1..]);
        let elements = whole[1..].iter().product();
        let each = local.byte_size() / local_sizes[0];
        let parts = own.as_mut().par_chunks_mut(each).zip(&tensor.parts()[*first..first + count]);
        parts.try_for_each(|(own, part)| read(part, &runs, elements, own))?;
    }
    Ok(PartSource::Read(SharedPart(Arc::new(own))))
}

/// The range of mapped bytes that a device can use in place: all `count` elements of its part, in
/// one run.
fn mapped(
    part: &PlannedPart,
    runs: &[Run],
    count: usize,
    on_host: bool,
) -> Result<Option<Range<usize>>> {
    let unit = part.unit();
    let ([run], Some(bytes)) = (runs, part.source().mapping()) else { return Ok(None) };
    if run.count != count || !run.has_whole(unit) {
        return Ok(None);
    }
    part.source().file().check_size()?;
    let range = run.range(unit);
    let bytes = &bytes[range.clone()];
    // A device with its own memory copies the bytes once, aligned or not.
    let aligned = bytes.as_ptr().addr().is_multiple_of(ALIGNMENT);
    Ok(((aligned || !on_host) && part.conversion().keeps(bytes)).then_some(range))
}

impl Run {
    /// Whether it consists of whole units, in the file and in the part.
    fn has_whole(&self, unit: Unit) -> bool {
        [self.source, self.target, self.count]
            .iter()
            .all(|&elements| elements.is_multiple_of(unit.elements))
    }

    /// Its bytes among those of the tensor.
    fn range(&self, unit: Unit) -> Range<usize> {
        unit.file_offset(self.source)..unit.file_offset(self.source + self.count)
    }
}

/// Fills `own` with runs of a tensor of `elements` elements.
fn read(part: &PlannedPart, runs: &[Run], elements: usize, own: &mut [u8]) -> Result<()> {
    let conversion = part.conversion();
    let (unit, source) = (part.unit(), part.source());
    let in_units = runs.iter().all(|run| run.has_whole(unit));
    if !in_units {
        // Elements may share a byte or a block with elements of other parts: the whole tensor is
        // converted, and this part copied from it.
        let Some(size) = part.element_size() else {
            return Err(Error::Tensor {
                name: source.name().to_owned(),
                message: format!("a device's part of {} cuts blocks", source.shape()),
            });
        };
        let mut whole = HostBytes::zeroed(elements * size, source.name())?;
        conversion.run(&source.bytes()?, whole.as_mut()).map_err(|element| part.unfit(element))?;
        for run in runs {
            let from = &whole.as_ref()[run.source * size..][..run.count * size];
            own[run.target * size..][..run.count * size].copy_from_slice(from);
        }
    } else {
        let target =
            |run: &Run| unit.buffer_offset(run.target)..unit.buffer_offset(run.target + run.count);
        // Short runs that are close together are read at once.
        let near = |a: &Run, b: &Run| a.range(unit).start / PIECE == b.range(unit).start / PIECE;
        for group in runs.chunk_by(near) {
            let span = group[0].range(unit).start..group[group.len() - 1].range(unit).end;
            match group {
                [run] if conversion == Conversion::Copy => {
                    source.read_at(span.start, &mut own[target(run)])?;
                }
                group => source.with_bytes(span.clone(), |bytes| {
                    for run in group {
                        let (from, to) = (run.range(unit), &mut own[target(run)]);
                        let from = from.start - span.start..from.end - span.start;
                        conversion.run(&bytes[from], to).map_err(|element| part.unfit(element))?;
                    }
                    Ok::<(), Error>(())
                })??,
            }
        }
    }
    if let (Some(first), Some(last)) = (runs.first(), runs.last()) {
        source.release(first.range(unit).start..last.range(unit).end);
    }
    Ok(())
}

/// The runs of a block of `sizes` elements that begins at `start` of an array of `whole` sizes,
/// copied to the start of an array of `local` sizes.
fn runs(whole: &[usize], start: &[usize], sizes: &[usize], local: &[usize]) -> Vec<Run> {
    if sizes.contains(&0) {
        return Vec::new();
    }
    let rank = sizes.len();
    // Axes that are whole in both are contiguous with those before them.
    let mut inner = rank;
    while inner > 0 && sizes[inner - 1] == whole[inner - 1] && sizes[inner - 1] == local[inner - 1]
    {
        inner -= 1;
    }
    let inner = inner.saturating_sub(1);
    let count: usize = sizes[inner..].iter().product();
    let rows: usize = sizes[..inner].iter().product();
    let place = |row: usize, of: &[usize], start: &dyn Fn(usize) -> usize| {
        let mut index = vec![0; rank];
        let mut rest = row;
        for axis in (0..inner).rev() {
            (index[axis], rest) = (rest % sizes[axis], rest / sizes[axis]);
        }
        (0..rank).fold(0, |at, axis| at * of[axis] + start(axis) + index[axis])
    };
    (0..rows)
        .map(|row| Run {
            source: place(row, whole, &|axis| start[axis]),
            target: place(row, local, &|_| 0),
            count,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(
        whole: &[usize],
        start: &[usize],
        sizes: &[usize],
        local: &[usize],
    ) -> Vec<(usize, usize, usize)> {
        let runs = runs(whole, start, sizes, local);
        runs.iter().map(|run| (run.source, run.target, run.count)).collect()
    }

    #[test]
    fn runs_are_as_long_as_they_can_be() {
        assert_eq!(places(&[6, 4], &[2, 0], &[2, 4], &[2, 4]), [(8, 0, 8)]);
        assert_eq!(places(&[3, 4], &[0, 2], &[3, 2], &[3, 2]), [(2, 0, 2), (6, 2, 2), (10, 4, 2)]);
        assert_eq!(places(&[2, 3, 4], &[1, 1, 0], &[1, 2, 4], &[1, 2, 4]), [(16, 0, 8)]);
        assert_eq!(places(&[], &[], &[], &[]), [(0, 0, 1)]);
        // The last part of a padded axis is shorter, but has rows of the same length as other
        // parts.
        assert_eq!(places(&[2, 5], &[0, 3], &[2, 2], &[2, 3]), [(3, 0, 2), (8, 3, 2)]);
        assert_eq!(places(&[5], &[5], &[0], &[2]), []);
    }
}
