//! Scatters, general gathers, and updates at selected indices.

use crate::{EXACT, Row, rows, ulps};
use hloom::{
    ops::{GatherDims, PerAxis, ScatterUpdate::*, scatter_by},
    prelude::*,
};

/// Slices of two rows and two columns, at index vectors of a column and a row.
fn blocks() -> GatherDims {
    GatherDims {
        offset_dims: PerAxis::collect([1, 2]),
        start_index_map: PerAxis::collect([1, 0]),
        index_vector_dim: 1,
        slice_sizes: PerAxis::collect([2, 2]),
        ..GatherDims::default()
    }
}

/// The larger of each element with its tag and the updates.
fn best(x: Tensor, tags: Tensor, at: Tensor, updates: Tensor, new: Tensor) -> (Tensor, Tensor) {
    let dims = GatherDims {
        collapsed_slice_dims: PerAxis::collect([0]),
        start_index_map: PerAxis::collect([0]),
        index_vector_dim: 1,
        ..GatherDims::default()
    };
    scatter_by((x, tags), at, (updates, new), dims.to_scatter(), |old, new| {
        let wins = new.0.gt(old.0) | (new.0.eq(old.0) & new.1.gt(old.1));
        (wins.select(new.0, old.0), wins.select(new.1, old.1))
    })
}

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "index_set 0", EXACT, [x, i, y] => x.index_set(i, y, 0);
        "index_add 0", ulps(1), [x, i, y] => x.index_add(i, y, 0);
        "index_mul 0", ulps(2), [x, i, y] => x.index_mul(i, y, 0);
        "index_max 0", EXACT.either_zero(), [x, i, y] => x.index_max(i, y, 0);
        "index_min 0", EXACT.either_zero(), [x, i, y] => x.index_min(i, y, 0);
        "index_add 1", ulps(1), [x, i, y] => x.index_add(i, y, 1);
        "index_add in step", EXACT, [x, i, y] => {
            x.named(["batch", "vocab", "d"])
                .index_add(i.named(["batch", "seq"]), y.named(["batch", "seq", "d"]), "vocab")
        };
        "index_max in step twice", EXACT, [x, i, y] => {
            x.named(["head", "vocab", "batch"]).index_max(
                i.named(["batch", "head", "seq"]),
                y.named(["batch", "head", "seq"]),
                "vocab",
            )
        };
        "index_max in step turned", EXACT, [x, i, y] => {
            x.named(["head", "vocab", "batch"]).index_max(
                i.named(["batch", "head", "seq"]),
                y.named(["seq", "head", "batch"]),
                "vocab",
            )
        };
        "scatter_along set 1", EXACT, [x, i, y] => x.scatter_along(i, y, 1);
        "scatter_along add 1", ulps(1), [x, i, y] => x.scatter_along_add(i, y, 1);
        "scatter_along mul 1", ulps(2), [x, i, y] => x.scatter_along_mul(i, y, 1);
        "scatter_along max 1", EXACT, [x, i, y] => x.scatter_along_max(i, y, 1);
        "scatter_along min 1", EXACT, [x, i, y] => x.scatter_along_min(i, y, 1);
        "at set i", EXACT, [x, i, y] => x.at(0, i).set(y);
        "at add i", ulps(1), [x, i, y] => x.at(0, i).add(y);
        "at mul i", ulps(2), [x, i, y] => x.at(0, i).mul(y);
        "at max i", EXACT, [x, i, y] => x.at(0, i).max(y);
        "at min i", EXACT, [x, i, y] => x.at(0, i).min(y);
        "at get i", EXACT, [x, i] => x.at(0, i).get();
        "at get_or i", EXACT, [x, i] => match x.dtype() {
            DType::Bool => x.at(0, i).get_or(true),
            _ => x.at(0, i).get_or(1),
        };
        "at add i j", ulps(1), [x, i, j, y] => x.at(0, i).at(1, j).add(y);
        "at min i j", EXACT, [x, i, j, y] => x.at(0, i).at(1, j).min(y);
        "at get i j", EXACT, [x, i, j] => x.at(1, j).at(0, i).get();
        "at set i : j", EXACT, [x, i, j, y] => x.at(0, i).at(-1, j).set(y);
        "at add i : j", ulps(1), [x, i, j, y] => x.at(0, i).at(1, ..).at(2, j).add(y);
        "at get i : j", EXACT, [x, i, j] => x.at(0, i).at(2, j).get();
        "at set i 1..3", EXACT, [x, i, y] => x.at(0, i).at(1, 1..3).set(y);
        "at add i 1..3", ulps(1), [x, i, y] => x.at(0, i).at(1, 1..=2).add(y);
        "at get i 1..3", EXACT, [x, i] => x.at(0, i).at(1, 1..3usize).get();
        "at set : j 1", EXACT, [x, j, y] => x.at(1, j).at(2, 1).set(y);
        "at add : j 1", ulps(1), [x, j, y] => x.at(1, j).at(2, -3).add(y);
        "at get : j 1", EXACT, [x, j] => x.at(1, j).at(2, 1).get();
        "at set 1 : j", EXACT, [x, j, y] => x.at(0, 1).at(2, j).set(y);
        "at add 1 : j", ulps(1), [x, j, y] => x.at(0, 1).at(2, j).add(y);
        "at get 1 : j", EXACT, [x, j] => x.at(0, 1).at(2, j).get();
        "at set -1", EXACT, [x, y] => x.at(0, -1).set(y);
        "at add -1", EXACT, [x, y] => x.at(0, 4usize).add(y);
        "at get -1", EXACT, [x] => x.at(0, -1).get();
        "at set : 1.. -3", EXACT, [x, y] => x.at(1, 1..).at(2, -3).set(y);
        "at add : 1.. -3", EXACT, [x, y] => x.at(1, 1..).at(2, -3).add(y);
        "at get : 1.. -3", EXACT, [x] => x.at(1, 1..).at(2, -3).get();
        "at set 0..0", EXACT, [x, y] => x.at(0, ..0).set(y);
        "at add 0..0", EXACT, [x, y] => x.at(0, 0..0).add(y);
        "at get 0..0", EXACT, [x] => x.at(0, 0..0).get();
        "gather blocks", EXACT, [x, at] => x.gather(at, blocks());
        "gather_or blocks", EXACT, [x, at] => match x.dtype() {
            DType::Bool => x.gather_or(at, blocks(), true),
            _ => x.gather_or(at, blocks(), 1),
        };
        "scatter blocks add", ulps(1), [x, at, y] => {
            x.scatter(at, y, blocks().to_scatter(), Add)
        };
        "scatter blocks max", EXACT, [x, at, y] => x.scatter(at, y, blocks().to_scatter(), Max);
        "scatter blocks set", EXACT, [x, at, y] => x.scatter(at, y, blocks().to_scatter(), Set);
        "scatter_by best", EXACT, [x, tags, at, y, new] => best(x, tags, at, y, new);
    ])
}
