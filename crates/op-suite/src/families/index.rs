//! Dynamic slices and gathers.

use crate::{EXACT, Row, rows};
use hloom::prelude::*;

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "dynamic_slice 1 of 3", EXACT, [x, start] => x.dynamic_slice(1, start, 3);
        "dynamic_slice whole", EXACT, [x, start] => x.dynamic_slice(1, start, 7);
        "dynamic_slice of none", EXACT, [x, start] => x.dynamic_slice(1, start, 0);
        "dynamic_slice at 2", EXACT, [x] => x.dynamic_slice(1, 2usize, 3);
        "dynamic_slice last of 1", EXACT, [x, start] => x.dynamic_slice(-1, start, 1);
        "dynamic_slice_along", EXACT, [x, row, column] => {
            x.dynamic_slice_along(&[(Axis::from(1), column, 3), (Axis::from(0), row, 2)])
        };
        "dynamic_slice_along nothing", EXACT, [x] => x.dynamic_slice_along(&[]);
        "dynamic_update_slice 1", EXACT, [x, update, start] => {
            x.dynamic_update_slice(update, 1, start)
        };
        "dynamic_update_slice none", EXACT, [x, update] => x.dynamic_update_slice(update, 1, 3);
        "dynamic_update_slice_along", EXACT, [x, update, row, column] => {
            let starts = [(Axis::from(0), row), (Axis::from(1), column)];
            x.dynamic_update_slice_along(update, &starts)
        };
        "dynamic_update_slice mixed starts", EXACT, [x, update, row, column] => {
            let starts = [(Axis::from(0), row), (Axis::from(1), column)];
            x.dynamic_update_slice_along(update, &starts)
        };
        "take 0", EXACT, [x, indices] => x.take(indices, 0);
        "take 1", EXACT, [x, indices] => x.take(indices, 1);
        "take in step", EXACT, [x, indices] => {
            x.named(["batch", "vocab", "d"]).take(indices.named(["batch", "seq"]), "vocab")
        };
        "take in step from behind", EXACT, [x, indices] => {
            x.named(["d", "batch", "vocab"]).take(indices.named(["batch", "seq"]), "vocab")
        };
        "take in step twice", EXACT, [x, indices] => {
            x.named(["head", "vocab", "batch", "d"])
                .take(indices.named(["batch", "head", "seq"]), "vocab")
        };
        "take_along_axis 0", EXACT, [x, indices] => x.take_along_axis(indices, 0);
        "take_along_axis 1", EXACT, [x, indices] => x.take_along_axis(indices, 1);
        "one_hot 4 f32", EXACT, [x] => x.one_hot("class", 4, DType::F32);
        "one_hot 4 bool", EXACT, [x] => x.one_hot("_", 4, DType::Bool);
        "one_hot 4 i8", EXACT, [x] => x.one_hot("class", 4, DType::I8);
        "one_hot 300 f32", EXACT, [x] => x.one_hot("class", 300, DType::F32);
    ])
}
