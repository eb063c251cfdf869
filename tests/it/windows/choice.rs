//! Random valid attributes, shapes and indices.

use fastrand::Rng;
use hloom::{
    Buffer, DType, Platform,
    ops::{GatherDims, PerAxis, ScatterUpdate},
};

/// A gather, and the scatter that writes to where it reads.
#[derive(Debug)]
pub struct Choice {
    pub dims: GatherDims,
    /// The kind of the scatter; a body without one.
    pub update: Option<ScatterUpdate>,
    /// Sizes of the operand.
    pub operand: Vec<usize>,
    /// Sizes of the indices.
    pub indices: Vec<usize>,
    /// Sizes of what is gathered, and of the updates.
    pub updates: Vec<usize>,
    pub index_type: DType,
    pub index_values: Vec<i64>,
}

/// The role of an operand's axis.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Window,
    Dropped,
    Batch,
}

const INDEX_TYPES: [DType; 8] =
    [DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32, DType::I64, DType::U64];

impl Choice {
    pub fn new(seed: u64) -> Choice {
        let rng = &mut Rng::with_seed(seed);
        let rank = rng.usize(0..=4);
        let roles: Vec<Role> = (0..rank)
            .map(|_| {
                [Role::Window, Role::Window, Role::Dropped, Role::Dropped, Role::Batch]
                    [rng.usize(..5)]
            })
            .collect();
        let size = |rng: &mut Rng, role: &Role| match role {
            Role::Window if rng.u8(..20) == 0 => 0,
            _ => rng.usize(1..=5),
        };
        let operand: Vec<usize> = roles.iter().map(|role| size(rng, role)).collect();
        let with = |role: Role| (0..rank).filter(|&axis| roles[axis] == role).collect::<Vec<_>>();
        // The batch axes of the indices: those of the operand, and others, in any order.
        let mut batch: Vec<(usize, Option<usize>)> =
            with(Role::Batch).into_iter().map(|axis| (operand[axis], Some(axis))).collect();
        for _ in 0..rng.usize(0..=2) {
            batch.push((if rng.u8(..15) == 0 { 0 } else { rng.usize(1..=4) }, None));
        }
        rng.shuffle(&mut batch);
        let mut map: Vec<usize> = (0..rank).filter(|&axis| roles[axis] != Role::Batch).collect();
        rng.shuffle(&mut map);
        map.truncate(rng.usize(0..=map.len()));
        let is_scalar = map.len() == 1 && rng.bool();
        let mut indices: Vec<usize> = batch.iter().map(|(size, _)| *size).collect();
        let index_vector_dim = if is_scalar { indices.len() } else { rng.usize(0..=indices.len()) };
        if !is_scalar {
            indices.insert(index_vector_dim, map.len());
        }
        let index_axis = |at: usize| at + usize::from(!is_scalar && at >= index_vector_dim);
        let paired = |axis: &usize| {
            let at = batch.iter().position(|(_, of)| *of == Some(*axis));
            index_axis(at.expect("every batch axis of the operand has its partner"))
        };
        let window = with(Role::Window);
        let mut offset: Vec<usize> = (0..batch.len() + window.len()).collect();
        rng.shuffle(&mut offset);
        offset.truncate(window.len());
        offset.sort_unstable();
        let slice = |axis: usize, rng: &mut Rng| match roles[axis] {
            Role::Window => {
                let least = usize::from(rng.u8(..20) > 0).min(operand[axis]);
                rng.usize(least..=operand[axis])
            }
            _ => 1,
        };
        let slice_sizes: Vec<usize> = (0..rank).map(|axis| slice(axis, rng)).collect();
        let (mut parts, mut batches) = (window.iter().map(|&axis| slice_sizes[axis]), batch.iter());
        let updates = (0..batch.len() + window.len())
            .map(|axis| {
                if offset.contains(&axis) {
                    parts.next().expect("there are as many as window axes")
                } else {
                    batches.next().expect("there are as many as other axes").0
                }
            })
            .collect();
        let index_type = INDEX_TYPES[rng.usize(..INDEX_TYPES.len())];
        let count: usize = indices.iter().product();
        let index_values = (0..count).map(|_| index(rng, index_type)).collect();
        let operand_batching = with(Role::Batch);
        let dims = GatherDims {
            offset_dims: PerAxis::collect(offset),
            collapsed_slice_dims: PerAxis::collect(with(Role::Dropped)),
            operand_batching_dims: PerAxis::collect(operand_batching.iter().copied()),
            start_indices_batching_dims: PerAxis::collect(operand_batching.iter().map(paired)),
            start_index_map: PerAxis::collect(map),
            index_vector_dim,
            slice_sizes: PerAxis::collect(slice_sizes),
            indices_are_sorted: false,
        };
        let update = ScatterUpdate::ALL.get(rng.usize(..8)).copied();
        Choice { dims, update, operand, indices, updates, index_type, index_values }
    }

    /// The elements of the operand.
    pub fn values(&self) -> Vec<i32> {
        let count = self.operand.iter().product::<usize>() as i32;
        (0..count).map(|i| (i * 7919 + 13) % 101 - 50).collect()
    }

    /// The elements of the updates.
    pub fn update_values(&self) -> Vec<i32> {
        let count = self.updates.iter().product::<usize>() as i32;
        (0..count).map(|i| (i * 6101 + 29) % 97 - 48).collect()
    }

    pub fn index_buffer(&self, platform: &Platform) -> hloom::Result<Buffer> {
        let size = self.index_type.size();
        let bytes: Vec<u8> =
            self.index_values.iter().flat_map(|i| i.to_le_bytes()[..size].to_vec()).collect();
        let shape = hloom::Shape::new(self.index_type, self.indices.clone())?;
        Buffer::from_bytes(platform, shape, &bytes)
    }
}

/// An index, mostly a small one.
fn index(rng: &mut Rng, dtype: DType) -> i64 {
    let (low, high) = match (dtype.is_signed_int(), dtype.bits()) {
        (true, bits) => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        (false, 64) => (0, i64::MAX),
        (false, bits) => (0, i64::MAX >> (63 - bits)),
    };
    match rng.u8(..16) {
        0 => low,
        1 => high,
        2 => (-1i64).max(low),
        _ => rng.i64(0..=5),
    }
}
