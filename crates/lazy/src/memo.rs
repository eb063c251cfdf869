//! Ops that were recorded before: the piece of an op by its name, arguments and operands' shapes.

use crate::{
    Lazy,
    failure::Failure,
    node::{NOBODY, NodeState},
    number::{LazyOrNumber, Number},
    piece::GraphPiece,
    place::LazyPlatform,
    record::{Recorder, record_piece, two_platforms},
};
use hashbrown::HashTable;
use hloom_graph::{Axis, Shape, Tensor};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::{
    cell::RefCell,
    hash::{Hash, Hasher},
    panic::Location,
    sync::Arc,
};

/// A recorded op.
struct MemoEntry {
    hash: u64,
    op: &'static str,
    axes: SmallVec<[Axis; 2]>,
    shapes: SmallVec<[Shape; 2]>,
    piece: Arc<GraphPiece>,
}

/// The maximum number of ops that a thread remembers; when there are more, all are forgotten.
const REMEMBERED: usize = 1 << 12;

thread_local! {
    static MEMO: RefCell<HashTable<MemoEntry>> = const { RefCell::new(HashTable::new()) };
}

/// Applies an op to tensors, along these axes. A function pointer, so that the code that records an
/// op is compiled once.
pub(crate) type Apply<const N: usize> = fn([Tensor; N], &[Axis]) -> Tensor;

/// Records an op with one result; `op` and `axes` identify the computation of `f`.
pub(crate) fn memoized<const N: usize>(
    op: &'static str,
    operands: [Lazy; N],
    axes: &[Axis],
    location: &'static Location<'static>,
    f: Apply<N>,
) -> Lazy {
    let first = &operands[0].node;
    let place = match &first.place {
        Some(place) => place.clone(),
        None => return failed(&operands),
    };
    for other in operands[1..].iter().filter_map(|operand| operand.node.place.as_ref()) {
        if !Arc::ptr_eq(&place, other) && !place.platform.is_same(&other.platform) {
            return if operands.iter().any(|operand| operand.failure().is_some()) {
                failed(&operands)
            } else {
                let failure = two_platforms(op, [&place, other], location);
                Lazy::failed(Some(place), failure)
            };
        }
    }
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    axes.hash(&mut hasher);
    for (i, Lazy { node, result }) in operands.iter().enumerate() {
        if i > 0 && Arc::ptr_eq(&node.shapes, &first.shapes) && *result == operands[0].result {
            hasher.write_u8(u8::MAX);
            continue;
        }
        let shape = &node.shapes[*result as usize];
        shape.dtype().hash(&mut hasher);
        shape.sizes().hash(&mut hasher);
        shape.names().hash(&mut hasher);
    }
    let hash = hasher.finish();
    let known = MEMO.try_with(|memo| {
        let memo = memo.borrow();
        let found = memo.find(hash, |entry| {
            entry.hash == hash
                && entry.op == op
                && *entry.axes == *axes
                && entry.shapes.len() == N
                && entry.shapes.iter().zip(&operands).all(|(a, b)| a == b.shape_ref())
        });
        found.map(|entry| entry.piece.clone())
    });
    // In a thread that is ending, the memory may have been destroyed.
    let known = known.ok().flatten();
    let piece = match known {
        Some(piece) => piece,
        None if operands.iter().any(|operand| operand.failure().is_some()) => {
            return failed(&operands);
        }
        None => match new_piece(&place, &operands, axes, location, f) {
            Ok(piece) => {
                let shapes = operands.iter().map(Lazy::shape).collect();
                let entry = MemoEntry { hash, op, axes: axes.into(), shapes, piece: piece.clone() };
                let _ = MEMO.try_with(|memo| {
                    let mut memo = memo.borrow_mut();
                    if memo.len() >= REMEMBERED {
                        memo.clear();
                    }
                    memo.insert_unique(hash, entry, |entry| entry.hash);
                });
                piece
            }
            Err(failure) => return Lazy::failed(Some(place), failure),
        },
    };
    record_piece(place.clone(), piece, operands.into_iter().collect(), location)
        .unwrap_or_else(|failure| Lazy::failed(Some(place), failure))
}

/// The result of an op with an operand that failed.
#[cold]
fn failed(operands: &[Lazy]) -> Lazy {
    let failure = operands.iter().find_map(Lazy::failure);
    Lazy::failed(operands[0].node.place.clone(), failure.expect("an operand has failed"))
}

/// The piece of an op that was not recorded before.
fn new_piece<const N: usize>(
    place: &Arc<LazyPlatform>,
    operands: &[Lazy; N],
    axes: &[Axis],
    location: &'static Location<'static>,
    f: Apply<N>,
) -> Result<Arc<GraphPiece>, Failure> {
    // One argument for each operand, also if two operands are the same tensor: the piece is reused
    // for others.
    let separate = operands
        .each_ref()
        .map(|x| Lazy::new(Some(place.clone()), [x.shape()].into(), NodeState::Claimed(NOBODY), 0));
    let recorder = Recorder { place: Some(place.clone()), location, is_method: true };
    recorder.piece(&separate, || f(separate.each_ref().map(|operand| operand.tensor()), axes))
}

/// Records an elementwise op of two operands.
pub(crate) fn binary(
    op: &'static str,
    x: &Lazy,
    rhs: LazyOrNumber,
    location: &'static Location<'static>,
    f: Apply<2>,
) -> Lazy {
    match rhs {
        LazyOrNumber::Lazy(y) => memoized(op, [x.clone(), y], &[], location, f),
        LazyOrNumber::Number(number) => match number.splat(x) {
            Some(y) => memoized(op, [x.clone(), y], &[], location, f),
            None => of_number(x, location, |x, shape| f([x, number.tensor(shape)], &[])),
        },
    }
}

/// As [`binary`], with a number on the left.
pub(crate) fn binary_of_number(
    op: &'static str,
    number: Number,
    y: &Lazy,
    location: &'static Location<'static>,
    f: Apply<2>,
) -> Lazy {
    match number.splat(y) {
        Some(x) => memoized(op, [x, y.clone()], &[], location, f),
        None => of_number(y, location, |y, shape| f([number.tensor(shape), y], &[])),
    }
}

/// An op whose number may not be a value of the tensor's type.
fn of_number(
    x: &Lazy,
    location: &'static Location<'static>,
    f: impl FnOnce(Tensor, Shape) -> Tensor,
) -> Lazy {
    Recorder { place: None, location, is_method: true }.record(|| {
        let x = x.tensor();
        f(x, x.shape())
    })
}
