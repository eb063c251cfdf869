//! Tests of the methods whose forwarders are written by hand: each marked method exists and is used
//! here.

use crate::Lazy;
use hloom_runtime::Platform;
use std::collections::BTreeSet;

macro_rules! by_hand {
    (|$x:ident, $platform:ident| $($method:ident($($argument:expr),* $(,)?),)*) => {
        const BY_HAND: &[&str] = &[$(stringify!($method)),*];
        const _: () = {
            fn uses($x: &Lazy, $platform: &Platform) {
                $(let _ = Lazy::$method($($argument),*);)*
            }
            let _ = uses;
        };
    };
}

by_hand! { |x, platform|
    array(platform, [0f32]),
    scalar(platform, 0f32),
    at(x, 0, 0),
    matmul(x, x),
    dot(x, x, 0),
    dynamic_slice_along(x, &[]),
    dynamic_update_slice_along(x, x, &[]),
    is_poisoned(x),
    shape(x),
    dtype(x),
    rank(x),
    size(x, 0),
}

#[test]
fn methods_that_are_marked_are_written_by_hand() {
    let (mut marked, mut generated) = (BTreeSet::new(), BTreeSet::new());
    macro_rules! method {
        ($of:ident $method:ident by_hand $($rest:tt)*) => {
            marked.insert(stringify!($method))
        };
        ($of:ident $method:ident generated $($rest:tt)*) => {
            generated.insert(stringify!($method))
        };
        ($of:ident $method:ident absent $($rest:tt)*) => {
            true
        };
    }
    macro_rules! methods {
        ($({ $($method:tt)* })*) => { $(assert!(method! { $($method)* }, "two of one name");)* };
    }
    hloom_graph::tensor_methods!(methods);
    assert_eq!(marked, BY_HAND.iter().copied().collect());
    assert!(generated.len() > 280, "only {} methods are listed", generated.len());
}
