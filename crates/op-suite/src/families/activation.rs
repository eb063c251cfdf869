//! Activation functions.

use crate::{EXACT, Row, rows, ulps};

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "relu", EXACT.either_zero(), [x] => x.relu();
        "leaky_relu", ulps(2), [x] => x.leaky_relu(0.1);
        "silu", ulps(8).narrow(3), [x] => x.silu();
        "gelu", ulps(8).of_largest(), [x] => x.gelu();
        "gelu_tanh", ulps(8).of_largest(), [x] => x.gelu_tanh();
        "softmax -1", ulps(8).narrow(4), [x] => x.softmax(-1);
        "softmax 1", ulps(8), [x] => x.named(["a", "b", "c"]).softmax("b");
        "log_softmax -1", ulps(8).narrow(4).of_largest(), [x] => x.log_softmax(-1);
        "log_softmax 1", ulps(8).of_largest(), [x] => x.named(["a", "b", "c"]).log_softmax("b");
    ])
}
