//! Reshapes, transposes and reversals.

use crate::{EXACT, Row, rows};

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "reshape 4 15", EXACT, [x] => x.reshape([4, 15]);
        "reshape 0 7", EXACT, [x] => x.reshape([0, 7]);
        "reshape scalar", EXACT, [x] => x.reshape([] as [usize; 0]);
        "unflatten middle", EXACT, [x] => x.unflatten(1, [2, 3]);
        "unflatten empty", EXACT, [x] => x.unflatten(1, [0, 4]);
        "merge first two", EXACT, [x] => x.named(["a", "b", "c"]).merge(["a", "b"], "rows");
        "merge all", EXACT, [x] => x.merge(.., "_");
        "merge one", EXACT, [x] => x.merge(1, "b");
        "insert_axis 0", EXACT, [x] => x.insert_axis(0, "_");
        "insert_axis 1", EXACT, [x] => x.insert_axis(1, "one");
        "insert_axis -1", EXACT, [x] => x.insert_axis(-1, "_");
        "squeeze 0 2", EXACT, [x] => x.squeeze([0, 2]);
        "squeeze all", EXACT, [x] => x.squeeze(..);
        "swap_axes 0 -1", EXACT, [x] => x.swap_axes(0, -1);
        "transpose 2 0 1", EXACT, [x] => x.transpose([2, 0, 1]);
        "transpose by name", EXACT, [x] => x.named(["a", "b", "c"]).transpose(["b", "c", "a"]);
        "transpose 6 axes", EXACT, [x] => x.transpose([5, 3, 1, 0, 2, 4]);
        "unflatten then transpose", EXACT, [x] => {
            x.unflatten(1, [("a", 3), ("b", 2)]).transpose([0, 2, 1, 3])
        };
        "reverse 0 -1", EXACT, [x] => x.reverse([0, -1]);
        "reverse nothing", EXACT, [x] => x.reverse([] as [usize; 0]);
    ])
}
