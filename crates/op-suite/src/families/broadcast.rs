//! Broadcasting along axes, and broadcasting of operands.

use crate::{EXACT, Row, rows};
use hloom::ops::outer;

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "broadcast_to 2 3 4", EXACT, [x] => x.broadcast_to([2, 3, 4]);
        "broadcast_to 3 0", EXACT, [x] => x.broadcast_to([3, 0]);
        "broadcast_to 6 axes", EXACT, [x] => x.broadcast_to([1, 2, 1, 2, 5, 3]);
        "[a b] + [b]", EXACT, [x, y] => x.named(["a", "b"]) + y.named(["b"]);
        "[b] + [a b]", EXACT, [x, y] => x.named(["b"]) + y.named(["a", "b"]);
        "[a b] - [a]", EXACT, [x, y] => x.named(["a", "b"]) - y.named(["a"]);
        "[a b] - [b a]", EXACT, [x, y] => x.named(["a", "b"]) - y.named(["b", "a"]);
        "[a] * [b]", EXACT, [x, y] => outer(x.named(["a"]), y.named(["b"]), |x, y| x * y);
        "[a b] - [b c a]", EXACT, [x, y] => x.named(["a", "b"]) - y.named(["b", "c", "a"]);
        "[c a] to [a b c]", EXACT, [x] => {
            x.named(["c", "a"]).broadcast_to([("a", 2), ("b", 3), ("c", 4)])
        };
        "x - y", EXACT, [x, y] => x - y;
        "x & y", EXACT, [x, y] => x & y;
    ])
}
