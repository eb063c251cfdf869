//! Convolutions of `f32` with negative padding, which read past the remaining rows: the input is
//! sliced first.

use super::{Change, Pass, Platforms, Replacement, tensors};
use hloom_graph::{ConvDims, DType, Graph, NodeId, Op, PerAxis, Shape, SliceDims, record};
use hloom_pjrt::PlatformKind;

pub(super) const PASS: Pass = Pass {
    name: "cropped_convolution",
    defects: &["rows_of_cut_convolutions_are_read_past_their_end"],
    platforms: Platforms::Only(&[PlatformKind::Cpu]),
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Convolution(dims) = &graph.node(node).op else { return None };
    let shape = graph.shape(graph.operands(node)[0]);
    let cut: Vec<usize> = (0..dims.low.len()).filter(|&spatial| is_cut(dims, spatial)).collect();
    if shape.dtype() != DType::F32 || cut.is_empty() {
        return None;
    }
    tensors(move |operands| {
        let &[input, kernel] = operands else { return None };
        let mut dims = ConvDims::clone(dims);
        let mut slice = whole(&shape);
        for spatial in cut {
            let axis = dims.input_spatial_dimensions[spatial];
            let cut = Cut::of(shape.sizes()[axis], dims.low[spatial], dims.high[spatial])?;
            slice.start.as_mut_slice()[axis] = cut.start;
            slice.limit.as_mut_slice()[axis] = cut.limit;
            dims.low.as_mut_slice()[spatial] = cut.low;
            dims.high.as_mut_slice()[spatial] = cut.high;
        }
        let input = record(slice, &[input])[0];
        Some(record(dims, &[input, kernel]))
    })
}

/// Whether the padding of a spatial axis cuts off elements of the input, and not zeros between
/// them.
fn is_cut(dims: &ConvDims, spatial: usize) -> bool {
    (dims.low[spatial] < 0 || dims.high[spatial] < 0) && dims.lhs_dilation[spatial] == 1
}

/// The slice of all elements.
fn whole(shape: &Shape) -> SliceDims {
    SliceDims {
        start: PerAxis::collect(shape.sizes().iter().map(|_| 0)),
        limit: PerAxis::collect(shape.sizes().iter().copied()),
        stride: PerAxis::collect(shape.sizes().iter().map(|_| 1)),
    }
}

/// The elements that are left of an axis, and the zeros around them.
struct Cut {
    start: usize,
    limit: usize,
    low: isize,
    high: isize,
}

impl Cut {
    /// `None` if the edges cut off more than all elements and the zeros of the other side.
    fn of(size: usize, low: isize, high: isize) -> Option<Cut> {
        let start = low.min(0).unsigned_abs().min(size);
        let end = high.min(0).unsigned_abs().min(size - start);
        let (low, high) = (low + start as isize, high + end as isize);
        // Edges beyond the elements cut off zeros of the other side.
        let (low, high) = (low.max(0) + high.min(0), high.max(0) + low.min(0));
        (low >= 0 && high >= 0).then_some(Cut { start, limit: size - end, low, high })
    }
}
