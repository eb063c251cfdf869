//! The tilings of a compiled program's parameters and results, from its optimized form.

use crate::{Executable, program::proto::OpShardingProto};

/// The division of an array over the devices of a program: equal tiles, one on each device. Several
/// devices may have the same tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// The number of tiles along each dimension; empty for an array that is replicated on every
    /// device.
    pub counts: Vec<usize>,
    /// For each device of the program, the index of its tile along each dimension.
    pub tiles: Vec<Vec<usize>>,
}

/// The tilings of the parameters and results of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tilings {
    /// One for each parameter; `None` for what is not split into tiles.
    pub parameters: Vec<Option<Tiling>>,
    /// One for each result; `None` for what is not split into tiles.
    pub results: Vec<Option<Tiling>>,
}

/// The kinds of `xla.OpSharding`.
const REPLICATED: i32 = 0;
const TUPLE: i32 = 2;
const OTHER: i32 = 3;

impl Executable {
    /// The tilings of the parameters and results over `devices` devices; `None` if the plugin's
    /// optimized program does not describe this, as for programs that were not split.
    ///
    /// This reads the optimized program, which takes a while for large ones.
    pub fn tilings(&self, devices: usize) -> Option<Tilings> {
        let module = self.optimized_module()?;
        let results = match module.spmd_output_sharding? {
            tuple if tuple.r#type == TUPLE => tuple.tuple_shardings,
            one => vec![one],
        };
        let read = |all: &[OpShardingProto]| {
            all.iter().map(|sharding| Tiling::read(sharding, devices)).collect()
        };
        Some(Tilings {
            parameters: read(&module.spmd_parameters_shardings),
            results: read(&results),
        })
    }
}

impl Tiling {
    fn read(sharding: &OpShardingProto, devices: usize) -> Option<Tiling> {
        match sharding.r#type {
            REPLICATED => {
                return Some(Tiling { counts: Vec::new(), tiles: vec![Vec::new(); devices] });
            }
            OTHER => {}
            _ => return None,
        }
        let sizes = unsigned(&sharding.tile_assignment_dimensions)?;
        let order = match sharding.tile_assignment_devices.as_slice() {
            [] => iota(
                &unsigned(&sharding.iota_reshape_dims)?,
                &sharding.iota_transpose_perm,
                devices,
            )?,
            listed => unsigned(listed)?,
        };
        let copies = match sharding.last_tile_dims.as_slice() {
            [] => usize::from(sharding.replicate_on_last_tile_dim),
            kinds => {
                // Dimensions of the assignment that are not the array's: only replication is
                // supported here.
                if kinds.iter().any(|&kind| kind != REPLICATED) {
                    return None;
                }
                kinds.len()
            }
        };
        let rank = sizes.len().checked_sub(copies)?;
        if product(&sizes) != Some(devices) || order.len() != devices {
            return None;
        }
        let copied: usize = sizes[rank..].iter().product();
        let mut tiles = vec![Vec::new(); devices];
        for (position, &device) in order.iter().enumerate() {
            let mut rest = position / copied;
            let mut tile = vec![0; rank];
            for (place, &size) in tile.iter_mut().zip(&sizes).rev() {
                (*place, rest) = (rest % size, rest / size);
            }
            *tiles.get_mut(device)? = tile;
        }
        Some(Tiling { counts: sizes[..rank].to_vec(), tiles })
    }
}

fn unsigned(values: &[i64]) -> Option<Vec<usize>> {
    values.iter().map(|&value| usize::try_from(value).ok()).collect()
}

fn product(sizes: &[usize]) -> Option<usize> {
    sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
}

/// An iota array of these sizes, transposed by `order`, in row-major order.
fn iota(sizes: &[usize], order: &[i32], count: usize) -> Option<Vec<usize>> {
    let order: Vec<usize> =
        order.iter().map(|&d| usize::try_from(d).ok()).collect::<Option<_>>()?;
    if product(sizes) != Some(count)
        || order.len() != sizes.len()
        || order.iter().any(|&d| d >= sizes.len())
    {
        return None;
    }
    let stride = |d: usize| sizes[d + 1..].iter().product::<usize>();
    let mut values = vec![0];
    for &d in &order {
        values = values
            .iter()
            .flat_map(|&value| (0..sizes[d]).map(move |i| (value, i)))
            .map(|(value, i)| value + i * stride(d))
            .collect();
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharding(dims: &[i64]) -> OpShardingProto {
        OpShardingProto {
            r#type: OTHER,
            tile_assignment_dimensions: dims.to_vec(),
            ..OpShardingProto::default()
        }
    }

    #[test]
    fn listed_and_counted_devices_give_the_same() {
        let mut listed = sharding(&[1, 3, 2]);
        listed.tile_assignment_devices = vec![0, 3, 1, 4, 2, 5];
        listed.replicate_on_last_tile_dim = true;
        let mut counted = sharding(&[1, 3, 2]);
        counted.iota_reshape_dims = vec![2, 3];
        counted.iota_transpose_perm = vec![1, 0];
        counted.last_tile_dims = vec![REPLICATED];
        let tiling = Tiling::read(&listed, 6).unwrap();
        assert_eq!(tiling.counts, [1, 3]);
        assert_eq!(tiling.tiles, [0, 1, 2, 0, 1, 2].map(|tile| vec![0, tile]));
        assert_eq!(Tiling::read(&counted, 6), Some(tiling));
    }

    #[test]
    fn what_is_not_split_into_tiles_is_not_read() {
        let manual = OpShardingProto { r#type: 4, ..OpShardingProto::default() };
        assert_eq!(Tiling::read(&manual, 2), None);
        let mut other_count = sharding(&[2, 2]);
        other_count.tile_assignment_devices = vec![0, 1, 2, 3];
        assert_eq!(Tiling::read(&other_count, 2), None);
        let mut out_of_range = sharding(&[2]);
        out_of_range.tile_assignment_devices = vec![0, 2];
        assert_eq!(Tiling::read(&out_of_range, 2), None);
        let mut negative = sharding(&[-2]);
        negative.iota_reshape_dims = vec![2];
        negative.iota_transpose_perm = vec![0];
        assert_eq!(Tiling::read(&negative, 2), None);
    }
}
