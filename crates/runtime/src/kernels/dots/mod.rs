//! The choice of how dot products with stored weights are computed on the CPU.
//!
//! The fastest of the kernel and the forms of the plugin's product depends on the processor, the
//! plugin, the sizes and the element type. [`DotTable::built_in`] has one answer for each
//! instruction set. A [`Chooser`] has the table of a platform: compilations read it and never
//! measure. The classes that they lack are measured when the process is idle, or when the program
//! calls `measure_dots`, and kept in the folder of the platform's cache.

mod activity;
mod background;
mod chooser;
mod fastest;
mod load;
mod measure;
mod recompile;
mod step;

pub(crate) use activity::Activity;
pub(crate) use chooser::Chooser;
pub(crate) use recompile::Recompilation;

use hloom_graph::DType;
use hloom_kernels::Isa;
use std::{collections::BTreeMap, fmt, str::FromStr};

/// A strategy for computing a dot product with a stored weight, `[rows, k] · [n, k]ᵀ`, on the CPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum DotStrategy {
    /// By [`LinearKernel`](crate::LinearKernel).
    Kernel,
    /// By the plugin.
    Plugin,
    /// By the plugin, as the product of the weight and columns, `[n, k] · [k, rows]`: for more
    /// than one row of `f32`. Beyond 64 rows, plugins from version 0.106 on get the product as it
    /// is.
    PluginColumns,
}

impl DotStrategy {
    const ALL: [DotStrategy; 3] =
        [DotStrategy::Kernel, DotStrategy::Plugin, DotStrategy::PluginColumns];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            DotStrategy::Kernel => "kernel",
            DotStrategy::Plugin => "plugin",
            DotStrategy::PluginColumns => "plugin-columns",
        }
    }
}

/// A class of dot products represented by one measurement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DotClass {
    dtype: DType,
    /// Rows of the product that is measured.
    rows: usize,
    /// Rows and columns of its weight.
    side: usize,
}

/// The rows that are measured, and the maximum rows of the products that they represent.
const ROWS: [(usize, usize); 6] = [(1, 1), (4, 4), (8, 8), (32, 64), (128, 256), (512, usize::MAX)];

/// The sides of the weights that are measured, and the maximum elements of the weights that they
/// represent.
const SIDES: [(usize, usize); 4] =
    [(256, 512 * 512), (768, 1280 * 1024), (2048, 12 << 20), (4096, usize::MAX)];

/// The maximum rows for which weights of the last side are measured: with more, a measurement would
/// take too long, and its result is that of the side before.
const MAX_MEASURED_ROWS: usize = 64;

/// The minimum number of elements of a weight that is worth a measurement.
const MIN_ELEMENTS: usize = 128 * 128;

impl DotClass {
    /// The class of a product of this many rows with a weight of this many elements; `None` for
    /// other element types than `f32`, `bf16` and `f16`, and for weights below 16,384 elements.
    pub fn of(dtype: DType, rows: usize, elements: usize) -> Option<DotClass> {
        let is_measured = matches!(dtype, DType::F32 | DType::BF16 | DType::F16);
        if !is_measured || elements < MIN_ELEMENTS {
            return None;
        }
        let (rows, _) = ROWS.into_iter().find(|(_, most)| rows <= *most)?;
        let sides = &SIDES[..if rows <= MAX_MEASURED_ROWS { SIDES.len() } else { SIDES.len() - 1 }];
        let side = sides.iter().find(|(_, most)| elements <= *most).or(sides.last());
        let &(side, _) = side?;
        Some(DotClass { dtype, rows, side })
    }

    /// The ways in which it can be computed.
    fn strategies(self) -> &'static [DotStrategy] {
        if self.dtype == DType::F32 && self.rows > 1 {
            &DotStrategy::ALL
        } else {
            &[DotStrategy::Kernel, DotStrategy::Plugin]
        }
    }
}

impl fmt::Display for DotClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.dtype, self.rows, self.side)
    }
}

/// The strategy for the dot products of each [class](DotClass) on a platform.
///
/// Products of classes that are not in the table are computed as the built-in table says. If the
/// table is [measured](Self::measured), these classes are measured afterwards, for the programs
/// that are compiled later. Once a class is in the table, it stays as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DotTable {
    entries: BTreeMap<DotClass, DotStrategy>,
    measures: bool,
}

impl DotTable {
    /// The table of the instruction set in use; nothing is measured.
    pub fn built_in() -> DotTable {
        DotTable::default()
    }

    /// An empty table, to which every class is added that a program needs: it is measured when this
    /// process is idle, whatever others do, or by
    /// [`Platform::measure_dots`](crate::Platform::measure_dots).
    pub fn measured() -> DotTable {
        DotTable { measures: true, ..DotTable::default() }
    }

    /// Sets how the products of a class are computed. [`DotStrategy::PluginColumns`] has no effect
    /// on products of one row and of other types than `f32`: they are the plugin's.
    pub fn with(mut self, class: DotClass, strategy: DotStrategy) -> DotTable {
        self.entries.insert(class, strategy);
        self
    }

    /// The classes that were set or measured.
    pub fn entries(&self) -> impl Iterator<Item = (DotClass, DotStrategy)> + '_ {
        self.entries.iter().map(|(class, strategy)| (*class, *strategy))
    }

    /// Adds classes; those that are in the table stay as they are.
    fn extend(&mut self, classes: &BTreeMap<DotClass, DotStrategy>) {
        for (class, strategy) in classes {
            self.entries.entry(*class).or_insert(*strategy);
        }
    }

    /// The strategy for the products of a class, if it was set or measured.
    pub fn get(&self, class: DotClass) -> Option<DotStrategy> {
        self.entries.get(&class).copied()
    }
}

/// One line for each class: element type, rows and side of the product that was measured, strategy.
impl fmt::Display for DotTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries().try_for_each(|(class, strategy)| writeln!(f, "{class} {}", strategy.name()))
    }
}

impl FromStr for DotTable {
    type Err = String;

    /// Reads the text that `Display` writes. A table read from text is not extended by
    /// measurements.
    fn from_str(text: &str) -> Result<DotTable, String> {
        let mut table = DotTable::built_in();
        for line in text.lines() {
            let parsed = || -> Option<(DotClass, DotStrategy)> {
                let &[dtype, rows, side, strategy] = line.split(' ').collect::<Vec<_>>().as_slice()
                else {
                    return None;
                };
                let (rows, side): (usize, usize) = (rows.parse().ok()?, side.parse().ok()?);
                let dtypes = [DType::F32, DType::BF16, DType::F16];
                let dtype = dtypes.into_iter().find(|known| known.to_string() == dtype)?;
                let class = DotClass::of(dtype, rows, side.checked_mul(side)?)?;
                let mut strategies = class.strategies().iter();
                let strategy = strategies.find(|known| known.name() == strategy)?;
                (class == DotClass { dtype, rows, side }).then_some((class, *strategy))
            };
            let (class, strategy) = parsed()
                .ok_or_else(|| format!("`{line}` is not a line of a table of dot products"))?;
            table.entries.insert(class, strategy);
        }
        Ok(table)
    }
}

/// The built-in table of an instruction set: how a product is computed that was not measured.
///
/// | rows | weight | kernel, because |
/// |---|---|---|
/// | 1 | `bf16` of 8 KiB and more, `f16` of 32 KiB and more | the plugin computes one by one |
/// | 1 | `f32` of 256 KiB and more | from memory, the plugin reads it at two thirds of the speed |
/// | 2 to 8 | any | the plugin does not share the rows' work, or copies the weight |
/// | more | 256 x 256 elements and more | the plugin copies or converts it |
///
/// With more than 8 rows, `bf16` with sums in `f32` is left to the plugin where the processor has
/// tile instructions (AMX) that the kernels are set not to use. `f32` is left to the plugin beyond
/// 1,024 rows, where the copy costs little. `docs/kernels.md` has the measurements.
pub(super) fn built_in(
    isa: Option<Isa>,
    has_tiles: bool,
    dtype: DType,
    rows: usize,
    weight: usize,
) -> DotStrategy {
    let has_wide_vectors = !matches!(isa, Some(Isa::Avx2 | Isa::Portable));
    let is_kernels = match (rows, dtype) {
        (0 | 1, DType::BF16) => 2 * weight >= 8 << 10,
        (0 | 1, DType::F16) => 2 * weight >= 32 << 10,
        (0 | 1, _) => 4 * weight >= 256 << 10,
        (2..=8, _) => true,
        (_, DType::F32) if rows > MAX_F32_ROWS || isa == Some(Isa::Portable) => false,
        (_, DType::BF16) if has_tiles && has_wide_vectors => isa == Some(Isa::Amx),
        _ => weight >= MIN_MANY_ROWS_WEIGHT,
    };
    match (is_kernels, dtype, rows) {
        (true, ..) => DotStrategy::Kernel,
        (false, DType::F32, 2..) => DotStrategy::PluginColumns,
        _ => DotStrategy::Plugin,
    }
}

/// The weight size in elements from which the kernel multiplies many rows faster than the plugin.
const MIN_MANY_ROWS_WEIGHT: usize = 256 * 256;

/// The number of rows of `f32` beyond which the plugin's copy of the weight does not matter.
const MAX_F32_ROWS: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_stands_for_products_of_like_sizes() {
        let of = |rows, elements| DotClass::of(DType::BF16, rows, elements);
        let class = |rows, side| Some(DotClass { dtype: DType::BF16, rows, side });
        assert_eq!(of(1, 2048 * 768), class(1, 2048));
        assert_eq!(of(1, 32_000 * 768), class(1, 4096));
        assert_eq!(of(64, 32_000 * 768), class(32, 4096));
        assert_eq!(of(65, 32_000 * 768), class(128, 2048));
        assert_eq!(of(2, 768 * 768), class(4, 768));
        assert_eq!(of(4, 128 * 128), class(4, 256));
        assert_eq!(of(5, 128 * 128), class(8, 256));
        assert_eq!(of(9, 512 * 512), class(32, 256));
        assert_eq!(of(65, 512 * 512 + 1), class(128, 768));
        assert_eq!(of(usize::MAX, usize::MAX), class(512, 2048));
        assert_eq!(of(0, 768 * 768), class(1, 768));
        assert_eq!(of(1, 12 << 20), class(1, 2048));
        assert_eq!(of(1, MIN_ELEMENTS - 1), None);
        assert_eq!(DotClass::of(DType::F64, 1, 768 * 768), None);
        // The measured product is of the class that it represents.
        for (rows, _) in ROWS {
            for (side, _) in SIDES {
                let measured = side.min(if rows <= MAX_MEASURED_ROWS { 4096 } else { 2048 });
                assert_eq!(of(rows, side * side), class(rows, measured));
            }
        }
    }

    #[test]
    fn a_table_is_read_as_it_was_written_and_anything_else_is_refused() {
        let class = |dtype, rows| DotClass::of(dtype, rows, 768 * 768).expect("it is measured");
        let table = DotTable::built_in()
            .with(class(DType::F32, 32), DotStrategy::PluginColumns)
            .with(class(DType::BF16, 1), DotStrategy::Plugin)
            .with(class(DType::F16, 600), DotStrategy::Kernel);
        let text = table.to_string();
        assert!(text.contains("f32 32 768 plugin-columns\n"), "{text}");
        assert_eq!(text.parse(), Ok(table));
        assert_eq!("".parse(), Ok(DotTable::built_in()));
        for wrong in [
            "f32 32 768",
            "f32 32 768 kernel 1",
            "f64 32 768 kernel",
            "f32 33 768 kernel",
            "f32 32 767 kernel",
            "f32 128 4096 kernel",
            "bf16 32 768 plugin-columns",
            "f32 1 768 plugin-columns",
            "f32 32 768 gpu",
            "f32 99999999999999999999 768 kernel",
            "f32 32 9999999999999999999 kernel",
            "\n",
        ] {
            let error = wrong.parse::<DotTable>().expect_err(wrong);
            assert!(error.contains("is not a line of a table"), "{error}");
        }
    }

    #[test]
    fn tiles_are_the_plugins_where_the_kernels_have_none() {
        let of = |isa, rows, dtype| built_in(Some(isa), true, dtype, rows, 1 << 20);
        assert_eq!(of(Isa::Avx512, 9, DType::BF16), DotStrategy::Plugin);
        assert_eq!(of(Isa::Avx512, 8, DType::BF16), DotStrategy::Kernel);
        assert_eq!(of(Isa::Avx512, 9, DType::F16), DotStrategy::Kernel);
        assert_eq!(of(Isa::Amx, 9, DType::BF16), DotStrategy::Kernel, "ours are as fast");
        // Whoever limits the kernels limits the plugin too.
        assert_eq!(of(Isa::Avx2, 9, DType::BF16), DotStrategy::Kernel);
    }

    #[test]
    fn the_plugin_gets_columns_only_for_rows_of_f32() {
        for isa in [None, Some(Isa::Avx2), Some(Isa::Avx512)] {
            for dtype in [DType::F32, DType::BF16, DType::F16] {
                for rows in [0, 1, 2, 8, 9, 2000] {
                    for weight in [1, 1 << 12, 1 << 16, 1 << 24] {
                        let found = built_in(isa, false, dtype, rows, weight);
                        if found == DotStrategy::PluginColumns {
                            assert!(dtype == DType::F32 && rows > 1);
                        }
                        if found == DotStrategy::Plugin {
                            assert!(dtype != DType::F32 || rows < 2);
                        }
                    }
                }
            }
        }
    }
}
