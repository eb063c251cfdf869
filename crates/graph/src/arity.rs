//! Tuples and functions of every number of elements.

/// Calls the macro `$then` once for each number of elements from 0 to 8, instead of items, with a
/// row for each element: two identifiers for type parameters, and the index in a tuple.
///
/// ```text
/// then! {}
/// then! { A P 0 }
/// then! { A P 0, B Q 1 }
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_arity {
    ($then:ident) => {
        $then! {}
        $then! { A P 0 }
        $then! { A P 0, B Q 1 }
        $then! { A P 0, B Q 1, C R 2 }
        $then! { A P 0, B Q 1, C R 2, D S 3 }
        $then! { A P 0, B Q 1, C R 2, D S 3, E T 4 }
        $then! { A P 0, B Q 1, C R 2, D S 3, E T 4, F U 5 }
        $then! { A P 0, B Q 1, C R 2, D S 3, E T 4, F U 5, G V 6 }
        $then! { A P 0, B Q 1, C R 2, D S 3, E T 4, F U 5, G V 6, H W 7 }
    };
}
