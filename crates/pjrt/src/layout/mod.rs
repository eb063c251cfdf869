//! Memory layouts.

pub(crate) mod text;

use crate::{Error, Result, sys};

/// The memory layout of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// Dimensions from minor to major, then tiles.
    Tiled {
        /// The dimensions from minor to major: the fastest-varying one first.
        minor_to_major: Vec<i64>,
        /// The dimensions of each tile, the outermost tiling first; none for plain arrays.
        tiles: Vec<Vec<i64>>,
    },
    /// A stride for each dimension.
    Strides {
        /// Bytes, may be negative.
        byte_strides: Vec<i64>,
    },
}

impl Layout {
    /// The layout of C arrays: the last dimension is the fastest.
    pub fn row_major(rank: usize) -> Self {
        Self::Tiled { minor_to_major: (0..rank as i64).rev().collect(), tiles: Vec::new() }
    }

    /// The layout of Fortran arrays: the first dimension is the fastest.
    pub fn column_major(rank: usize) -> Self {
        Self::Tiled { minor_to_major: (0..rank as i64).collect(), tiles: Vec::new() }
    }

    /// Whether this is the layout of C arrays without tiles.
    pub fn is_row_major(&self) -> bool {
        match self {
            Self::Tiled { minor_to_major, tiles } => {
                let rank = minor_to_major.len() as i64;
                tiles.is_empty() && minor_to_major.iter().copied().eq((0..rank).rev())
            }
            Self::Strides { .. } => false,
        }
    }

    /// Whether the elements of an array of these dimensions are in the order of C arrays, tiles
    /// aside: axes of one element may be anywhere.
    pub(crate) fn has_order_of_rows(&self, dims: &[i64]) -> bool {
        match self {
            Self::Tiled { minor_to_major, .. } => {
                let is_long = |axis: &&i64| {
                    let axis = usize::try_from(**axis).ok();
                    axis.and_then(|axis| dims.get(axis)).is_some_and(|&size| size > 1)
                };
                minor_to_major.iter().filter(is_long).is_sorted_by(|a, b| a > b)
            }
            Self::Strides { .. } => false,
        }
    }

    /// Copies a layout of the C API; `None` for a type that this crate does not know.
    ///
    /// # Safety
    /// The layout's type and pointers are valid.
    pub(crate) unsafe fn from_raw(raw: &sys::PJRT_Buffer_MemoryLayout) -> Option<Self> {
        // SAFETY: the type determines which field of the union is set, sizes belong to pointers.
        unsafe {
            match raw.type_ {
                sys::PJRT_Buffer_MemoryLayout_Type_Tiled => {
                    let tiled = raw.__bindgen_anon_1.tiled;
                    let sizes = sys::slice(tiled.tile_dim_sizes, tiled.num_tiles);
                    let mut dims = sys::slice(tiled.tile_dims, sizes.iter().sum::<usize>()).iter();
                    let tile = |&size: &usize| dims.by_ref().take(size).copied().collect();
                    Some(Self::Tiled {
                        minor_to_major: sys::slice(tiled.minor_to_major, tiled.minor_to_major_size)
                            .to_vec(),
                        tiles: sizes.iter().map(tile).collect(),
                    })
                }
                sys::PJRT_Buffer_MemoryLayout_Type_Strides => {
                    let strides = raw.__bindgen_anon_1.strides;
                    Some(Self::Strides {
                        byte_strides: sys::slice(strides.byte_strides, strides.num_byte_strides)
                            .to_vec(),
                    })
                }
                _ => None,
            }
        }
    }
}

/// A layout in the form of the C API, with what it points to.
pub(crate) struct RawLayout {
    pub(crate) raw: sys::PJRT_Buffer_MemoryLayout,
    _values: Vec<i64>,
    _sizes: Vec<usize>,
}

impl RawLayout {
    /// The layout of an array of these dimensions; an error unless it names each dimension once and
    /// its tiles are valid.
    pub(crate) fn of_array(layout: &Layout, dims: &[i64]) -> Result<Self> {
        let rank = match layout {
            Layout::Tiled { minor_to_major, tiles } => {
                check_tiles(tiles)?;
                let mut sorted = minor_to_major.clone();
                sorted.sort_unstable();
                if !sorted.iter().copied().eq(0..minor_to_major.len() as i64) {
                    let message =
                        format!("layout {minor_to_major:?} is not an order of dimensions");
                    return Err(Error::argument(message));
                }
                minor_to_major.len()
            }
            Layout::Strides { byte_strides } => byte_strides.len(),
        };
        if rank == dims.len() {
            Ok(Self::new(layout))
        } else {
            Err(Error::size("dimensions of the layout", dims.len(), rank))
        }
    }

    pub(crate) fn new(layout: &Layout) -> Self {
        // SAFETY: structures of integers and pointers, for which zeros are valid.
        let mut raw: sys::PJRT_Buffer_MemoryLayout = unsafe { std::mem::zeroed() };
        raw.struct_size = size_of::<sys::PJRT_Buffer_MemoryLayout>();
        let mut values;
        let mut sizes = Vec::new();
        match layout {
            Layout::Tiled { minor_to_major, tiles } => {
                values = minor_to_major.clone();
                values.extend(tiles.iter().flatten());
                sizes.extend(tiles.iter().map(Vec::len));
                raw.type_ = sys::PJRT_Buffer_MemoryLayout_Type_Tiled;
                raw.__bindgen_anon_1.tiled = sys::PJRT_Buffer_MemoryLayout_Tiled {
                    struct_size: size_of::<sys::PJRT_Buffer_MemoryLayout_Tiled>(),
                    extension_start: std::ptr::null_mut(),
                    minor_to_major: values.as_ptr(),
                    minor_to_major_size: minor_to_major.len(),
                    tile_dims: values[minor_to_major.len()..].as_ptr(),
                    tile_dim_sizes: sizes.as_ptr(),
                    num_tiles: sizes.len(),
                };
            }
            Layout::Strides { byte_strides } => {
                values = byte_strides.clone();
                raw.type_ = sys::PJRT_Buffer_MemoryLayout_Type_Strides;
                raw.__bindgen_anon_1.strides = sys::PJRT_Buffer_MemoryLayout_Strides {
                    struct_size: size_of::<sys::PJRT_Buffer_MemoryLayout_Strides>(),
                    extension_start: std::ptr::null_mut(),
                    byte_strides: values.as_ptr(),
                    num_byte_strides: values.len(),
                };
            }
        }
        Self { raw, _values: values, _sizes: sizes }
    }
}

/// Refuses tiles without elements, and with more elements than 32 bits can count.
fn check_tiles(tiles: &[Vec<i64>]) -> Result<()> {
    // XLA's mark of a dimension that is merged with the next one.
    const COMBINED: i64 = i64::MIN;
    for tile in tiles {
        let mut sizes = tile.iter().filter(|&&size| size != COMBINED);
        let product = sizes.try_fold(1u32, |product, &size| {
            product.checked_mul(u32::try_from(size).ok().filter(|&size| size > 0)?)
        });
        if tile.is_empty() || product.is_none() {
            return Err(Error::argument(format!("a layout with tile {tile:?}: no such tile")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_make_the_round_trip() {
        let layouts = [
            Layout::row_major(0),
            Layout::row_major(3),
            Layout::column_major(2),
            Layout::Tiled {
                minor_to_major: vec![1, 0],
                tiles: vec![vec![8, 128], vec![2, 1], vec![]],
            },
            Layout::Strides { byte_strides: vec![-4, 16] },
        ];
        for layout in layouts {
            // SAFETY: made from a layout just now.
            let copy = unsafe { Layout::from_raw(&RawLayout::new(&layout).raw) };
            assert_eq!(copy, Some(layout));
        }
    }

    #[test]
    fn row_major_is_recognised() {
        for rank in 0..5 {
            assert!(Layout::row_major(rank).is_row_major());
        }
        assert!(Layout::column_major(1).is_row_major());
        assert!(!Layout::column_major(2).is_row_major());
        let tiled = Layout::Tiled { minor_to_major: vec![0], tiles: vec![vec![8]] };
        assert!(!tiled.is_row_major());
        assert!(!Layout::Strides { byte_strides: vec![4] }.is_row_major());
        for (dims, expected) in [([2, 3], false), ([1, 3], true), ([2, 1], true), ([0, 3], true)] {
            assert_eq!(Layout::column_major(2).has_order_of_rows(&dims), expected, "{dims:?}");
            assert!(Layout::row_major(2).has_order_of_rows(&dims), "{dims:?}");
        }
    }
}
