//! Errors in the lengths of calls of functions compiled for buckets.

use hloom_graph::Name;

/// A length that no bucket fits.
#[derive(thiserror::Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum BucketError {
    /// Arguments of several lengths.
    #[error("the lengths of axis `{axis}` differ: {}", lengths_of(lengths))]
    Disagree {
        /// The axis.
        axis: Name,
        /// The first argument with the axis and each that has another length.
        lengths: Vec<(String, usize)>,
    },
    /// A length above the largest bucket, or above that of padded arguments.
    #[error("axis `{axis}` of `{input}` has length {length}; at most {limit} is possible")]
    TooLong {
        /// The axis.
        axis: Name,
        /// The argument.
        input: String,
        /// Its length.
        length: usize,
        /// The largest length.
        limit: usize,
    },
    /// A length of 0.
    #[error("axis `{axis}` of `{input}` has length 0; 1 to {limit} is possible")]
    Empty {
        /// The axis.
        axis: Name,
        /// The argument.
        input: String,
        /// The largest length.
        limit: usize,
    },
    /// A padded argument whose size is not that of a bucket.
    #[error(
        "axis `{axis}` of `{input}` has size {size}; a padded argument has that of a bucket: {}",
        numbers(sizes)
    )]
    NotABucket {
        /// The axis.
        axis: Name,
        /// The argument.
        input: String,
        /// Its size.
        size: usize,
        /// The sizes of the buckets.
        sizes: Vec<usize>,
    },
    /// A length above the size of a donated argument.
    #[error(
        "axis `{axis}` of `{input}` has length {length}, more than the {room} of the donated \
         `{donated}`"
    )]
    NoRoom {
        /// The axis.
        axis: Name,
        /// The argument.
        input: String,
        /// Its length.
        length: usize,
        /// The donated argument.
        donated: String,
        /// Its size.
        room: usize,
    },
    /// An argument to bind that would have to be padded.
    #[error("`{input}` cannot be bound: its axis `{axis}` has another size in each bucket")]
    Bound {
        /// The axis.
        axis: Name,
        /// The argument.
        input: String,
    },
    /// Lengths to compile for that have no bucket.
    #[error("no bucket holds {}; there are {buckets}", numbers(lengths))]
    NoBucket {
        /// The lengths, one for each axis.
        lengths: Vec<usize>,
        /// The buckets.
        buckets: String,
    },
}

hloom_graph::debug_as_display!(BucketError);

fn lengths_of(lengths: &[(String, usize)]) -> String {
    let lengths = lengths.iter().map(|(name, length)| format!("{length} in `{name}`"));
    lengths.collect::<Vec<_>>().join(", ")
}

fn numbers(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
