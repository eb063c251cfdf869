//! Tests that methods of the commonest forms agree with those of tensors.

use crate::{Lazy, call, realize_all};
use hloom_graph::{Axis, Tensor};
use hloom_test_support::CPU;
use std::collections::BTreeSet;

/// Methods whose programs do not compile without the feature `linalg`: their errors are compared
/// then.
const OF_LINALG: [&str; 7] =
    ["inv", "det", "pinv", "matrix_rank", "eigvalsh", "eigvals", "svdvals"];

/// The results of a method and of the method of tensors.
struct Pair {
    name: String,
    lazy: Lazy,
    traced: Lazy,
}

/// Matrices of several element types, with which every method can be called on one at least.
fn inputs() -> Vec<Lazy> {
    let float = Lazy::array(&CPU, [[0.75f32, 0.25], [0.25, 0.5]]).unwrap().named(["a", "b"]);
    let int = Lazy::array(&CPU, [[3i32, -1], [7, 2]]).unwrap();
    let truth = Lazy::array(&CPU, [[true, false], [true, true]]).unwrap();
    let complex = float.complex(float.square());
    vec![float, int, truth, complex]
}

/// Every method on every input.
fn pairs(x: &Lazy) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut add = |name: &str, lazy: Lazy, of_tensor: &dyn Fn(Tensor) -> Tensor| {
        let traced = call(of_tensor, x.clone());
        pairs.push(Pair { name: name.to_owned(), lazy, traced });
    };
    let [first, second] = [0, 1].map(Axis::from);
    macro_rules! method {
        (Tensor $method:ident generated [] (self) () one $aliases:tt) => {
            add(stringify!($method), x.$method(), &|x| x.$method());
        };
        (Tensor $method:ident generated [] (self) ($rhs:ident: impl Operand) one $aliases:tt) => {
            let name = stringify!($method);
            // The operands are not symmetric, so that swapped operands are noticed.
            add(name, x.$method(&x.reverse(0)), &|x| x.$method(x.reverse(0)));
            add(name, x.$method(2), &|x| x.$method(2));
        };
        (Tensor $method:ident generated [] (self) ($axes:ident: impl IntoAxes) one $aliases:tt) => {
            for axes in [&[first][..], &[second], &[second, first], &[]] {
                add(stringify!($method), x.$method(axes), &|x| x.$method(axes));
            }
        };
        (Tensor $method:ident generated [] (self) ($axis:ident: impl Into<Axis>) one $aliases:tt) => {
            for axis in [first, second] {
                add(stringify!($method), x.$method(axis), &|x| x.$method(axis));
            }
        };
        ($($other:tt)*) => {};
    }
    macro_rules! methods {
        ($({ $($method:tt)* })*) => { $(method! { $($method)* })* };
    }
    hloom_graph::tensor_methods!(methods);
    pairs
}

/// Each method has the shape, the values and the errors of the method of tensors.
#[test]
fn listed_methods_are_those_of_tensors() {
    let (mut all, mut accepted) = (BTreeSet::new(), BTreeSet::new());
    for x in inputs() {
        let mut pairs = pairs(&x);
        for Pair { name, lazy, traced } in &pairs {
            let dtype = x.dtype();
            assert_eq!(lazy.is_poisoned(), traced.is_poisoned(), "{name}, {dtype}: {lazy}");
            assert_eq!(lazy.shape(), traced.shape(), "{name}, {dtype}");
        }
        all.extend(pairs.iter().map(|pair| pair.name.clone()));
        pairs.retain(|pair| !pair.lazy.is_poisoned());
        let compiled = || pairs.iter().filter(|pair| !OF_LINALG.contains(&&*pair.name));
        realize_all(compiled().map(|pair| &pair.lazy)).unwrap();
        realize_all(compiled().map(|pair| &pair.traced)).unwrap();
        for Pair { name, lazy, traced } in pairs {
            let bytes = |lazy: &Lazy| match lazy.realize() {
                Ok(buffer) => Ok(buffer.to_bytes().unwrap()),
                // The lines of the source differ.
                Err(error) => Err(error.to_string().lines().next().map(str::to_owned)),
            };
            assert_eq!(bytes(&lazy), bytes(&traced), "{name}, {}", x.dtype());
            accepted.insert(name);
        }
    }
    let refused: Vec<_> = all.difference(&accepted).collect();
    assert!(refused.is_empty(), "no input is one of {refused:?}");
    assert!(all.len() > 140, "only {} methods are listed", all.len());
}
