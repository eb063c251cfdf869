//! The file of `tests/oracle/optimizers.py`.

use hloom_graph::{DType, Shape, Spec};
use hloom_runtime::Buffer;
use hloom_test_support::CPU_BY_TEST as CPU;
use serde::Deserialize;
use std::{collections::BTreeMap, sync::LazyLock};

/// Parameters by name.
pub type Params<L> = BTreeMap<String, L>;

#[derive(Deserialize)]
pub struct Fixture {
    pub shapes: BTreeMap<String, Vec<usize>>,
    pub params: Params<Vec<f64>>,
    pub gradients: Vec<Params<Vec<f64>>>,
    /// The steps after which each case has its parameters.
    pub kept: Vec<usize>,
    pub cases: Vec<Case>,
    pub average: Params<Vec<f64>>,
    pub clipping: Clipping,
    pub schedules: Schedules,
}

#[derive(Deserialize)]
pub struct Case {
    pub name: String,
    pub expected: Vec<Params<Vec<f64>>>,
}

#[derive(Deserialize)]
pub struct Clipping {
    pub norm: f64,
    pub by_value: Params<Vec<f64>>,
}

#[derive(Deserialize)]
pub struct Schedules {
    pub steps: Vec<u64>,
    pub cases: Vec<Values>,
}

#[derive(Deserialize)]
pub struct Values {
    pub name: String,
    pub values: Vec<f64>,
}

pub static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let text = include_str!("../../../../tests/fixtures/optim/optimizers.json");
    serde_json::from_str(text).expect("the oracle writes this form")
});

impl Fixture {
    /// A parameter's shape: with named axes in `f32`, without in `f64`.
    fn shape(&self, name: &str, dtype: DType) -> Shape {
        let sizes = &self.shapes[name];
        let named: Vec<_> = ["a", "b", "c"].into_iter().zip(sizes.iter().copied()).collect();
        match dtype {
            DType::F32 => Shape::new(dtype, named).unwrap(),
            _ => Shape::new(dtype, sizes.as_slice()).unwrap(),
        }
    }

    pub fn specs(&self, dtype: DType) -> Params<Spec> {
        self.shapes.keys().map(|name| (name.clone(), Spec::of(self.shape(name, dtype)))).collect()
    }

    pub fn buffers(&self, dtype: DType, values: &Params<Vec<f64>>) -> Params<Buffer> {
        let buffer = |(name, values): (&String, &Vec<f64>)| {
            let axes = self.shape(name, dtype).axes();
            let short: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            let buffer = match dtype {
                DType::F32 => Buffer::from_slice(&*CPU, &short, axes),
                _ => Buffer::from_slice(&*CPU, values, axes),
            };
            (name.clone(), buffer.unwrap())
        };
        values.iter().map(buffer).collect()
    }
}

/// Checks that each buffer differs from what is expected by at most a part of its largest value.
#[track_caller]
pub fn check(what: &str, found: &Params<Buffer>, expected: &Params<Vec<f64>>, tolerance: f64) {
    assert!(found.keys().eq(expected.keys()), "{what}");
    for (name, expected) in expected {
        let found = values(&found[name]);
        assert_eq!(found.len(), expected.len(), "{what}: {name}");
        let largest = expected.iter().fold(0f64, |largest, value| largest.max(value.abs()));
        for (found, expected) in found.iter().zip(expected) {
            let difference = (found - expected).abs();
            assert!(
                difference <= tolerance * largest,
                "{what}: {name}: {found} instead of {expected}, of values up to {largest}"
            );
        }
    }
}

/// The values of a float buffer.
pub fn values(buffer: &Buffer) -> Vec<f64> {
    match buffer.shape().dtype() {
        DType::F64 => buffer.to_vec::<f64>().unwrap(),
        _ => buffer.to_vec::<f32>().unwrap().into_iter().map(f64::from).collect(),
    }
}
