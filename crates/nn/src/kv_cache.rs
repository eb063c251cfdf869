//! A cache of the keys and values of earlier positions in a decoder.
//!
//! ```
//! use hloom_graph::{DType, Spec, TraceScope};
//! use hloom_nn::KvCache;
//!
//! let spec = KvCache::new(1, 2, 32, 16, DType::F32);
//! let trace = TraceScope::begin("example");
//! let layer = spec.layers[0].clone();
//! let key = trace.parameter("key", &layer.key, true);
//! let new = trace.parameter("new", &Spec::f32([("seq", 5), ("kv_head", 2), ("dim", 16)]), false);
//! let start = trace.parameter("start", &Spec::i32([0; 0]), false);
//! let cache = hloom_nn::LayerCache { key, value: key };
//! let next = cache.append(new, new, start).key.reuse(key);
//! assert_eq!(next.shape().to_string(), "f32[kv_head=2, position=32, dim=16]");
//! ```

use hloom_graph::{DType, Dims, Name, Spec, Tensor, Tree, function_scope, outer, record_error};

/// The caches of all layers. Its size is fixed; a program that donates it updates it in place.
#[derive(Tree, Clone, Debug)]
pub struct KvCache<T = Tensor> {
    /// One cache per layer.
    pub layers: Vec<LayerCache<T>>,
}

/// The keys and values of one layer.
#[derive(Tree, Clone, Debug)]
pub struct LayerCache<T = Tensor> {
    /// `[kv_head, position, dim]`, after `batch` in a cache of several texts.
    pub key: T,
    /// The values, of the shape of the keys.
    pub value: T,
}

impl LayerCache {
    /// A cache of exactly these keys and values, both `[.., seq, kv_head, dim]`.
    ///
    /// ```
    /// use hloom_graph::{Spec, TraceScope};
    /// use hloom_nn::LayerCache;
    ///
    /// let trace = TraceScope::begin("example");
    /// let spec = Spec::f32([("batch", 3), ("seq", 5), ("kv_head", 2), ("dim", 16)]);
    /// let key = trace.parameter("key", &spec, false);
    /// let cache = LayerCache::of(key, key);
    /// assert_eq!(cache.key.shape().to_string(), "f32[batch=3, kv_head=2, position=5, dim=16]");
    /// ```
    #[track_caller]
    pub fn of(key: Tensor, value: Tensor) -> LayerCache {
        function_scope("nn::LayerCache::of", || {
            let whole = |new: Tensor| new.rename("seq", "position").moveaxis("kv_head", -3);
            LayerCache { key: whole(key), value: whole(value) }
        })
    }

    /// The cache with keys and values, both `[.., seq, kv_head, dim]` in any order of the axes,
    /// written from position `start` on, an `i32` scalar. They are converted to the cache's element
    /// type, and have its batch axis if it has one.
    ///
    /// If `start` is a constant, positions beyond the end of the cache are an error. Any other
    /// `start` is clamped so that they fit, as by
    /// [`dynamic_update_slice`](Tensor::dynamic_update_slice): a step beyond the end overwrites the
    /// last positions, so the caller has to compare the number of positions with the cache's size
    /// before the call.
    #[track_caller]
    pub fn append(&self, key: Tensor, value: Tensor, start: Tensor) -> LayerCache {
        function_scope("nn::LayerCache::append", || {
            for (cache, new) in [(self.key, key), (self.value, value)] {
                if let Some(message) = too_many(cache, new, start.known_int().unwrap_or(0)) {
                    let poisoned =
                        record_error("nn::LayerCache::append", &[cache, new, start], message);
                    return LayerCache { key: poisoned, value: poisoned };
                }
            }
            let write = |cache: Tensor, new: Tensor| {
                let new = new.convert(cache.dtype()).rename("seq", "position");
                let axes = cache.shape();
                let order: Vec<Name> = axes.names().iter().copied().flatten().collect();
                cache.dynamic_update_slice(new.transpose(order), "position", start)
            };
            LayerCache { key: write(self.key, key), value: write(self.value, value) }
        })
    }
}

impl LayerCache {
    /// As [`append`](Self::append), in a ring: position `p` of the text is at `p` modulo the
    /// cache's positions, and replaces the one that was there. For attention over a window; the
    /// cache needs at least as many positions as the window and the new ones together, less one.
    /// The mask is [`ring_mask`]. More new positions than the ring has are an error.
    #[track_caller]
    pub fn append_ring(&self, key: Tensor, value: Tensor, start: Tensor) -> LayerCache {
        function_scope("nn::LayerCache::append_ring", || {
            for (cache, new) in [(self.key, key), (self.value, value)] {
                if let Some(message) = too_many(cache, new, 0) {
                    let poisoned =
                        record_error("nn::LayerCache::append_ring", &[cache, new, start], message);
                    return LayerCache { key: poisoned, value: poisoned };
                }
            }
            let write = |cache: Tensor, new: Tensor| {
                let positions = cache.size("position");
                let count = new.size("seq");
                let new = new.convert(cache.dtype()).rename("seq", "position");
                let order: Vec<Name> = cache.shape().names().iter().copied().flatten().collect();
                let at = Tensor::arange(DType::I32, "position", count) + start;
                cache.index_set(at.modulo(positions), new.transpose(order), "position")
            };
            LayerCache { key: write(self.key, key), value: write(self.value, value) }
        })
    }
}

/// The error if new positions after a known `start` do not fit into a cache.
fn too_many(cache: Tensor, new: Tensor, start: i64) -> Option<String> {
    let size = |x: Tensor, axis: &str| {
        let shape = x.shape();
        Some(shape.sizes()[shape.position(axis).ok()?])
    };
    let (positions, count) = (size(cache, "position")?, size(new, "seq")?);
    let start = usize::try_from(start).unwrap_or(0);
    let end = start.saturating_add(count);
    (end > positions).then(|| match start {
        0 => format!("{count} positions do not fit into a cache of {positions}"),
        _ => format!("positions {start} to {end} do not fit into a cache of {positions}"),
    })
}

/// The mask of a ring of `positions` after the queries at `start`, `start + 1`... were appended:
/// each sees itself and earlier ones, of which only the last `window`. `bool[seq, position]`;
/// `start` is an `i32` scalar.
///
/// ```
/// use hloom_graph::{DType, Tensor, TraceScope};
///
/// let trace = TraceScope::begin("example");
/// let start = Tensor::scalar(100, DType::I32);
/// let mask = hloom_nn::ring_mask(start, 4, 35, 32);
/// assert_eq!(mask.shape().to_string(), "bool[seq=4, position=35]");
/// ```
#[track_caller]
pub fn ring_mask(start: Tensor, queries: usize, positions: usize, window: usize) -> Tensor {
    function_scope("nn::ring_mask", || {
        let query = Tensor::arange(DType::I32, "seq", queries) + start;
        let slot = Tensor::arange(DType::I32, "position", positions);
        // The last position of the text, and the latest one that each slot holds.
        let last = start + (queries as i32 - 1);
        let held = last - (last - slot).modulo(positions);
        outer(query, held, |query, held| held.ge(0) & query.ge(held) & (query - held).lt(window))
    })
}

impl KvCache {
    /// Requests that these caches reuse the memory of `donated`, a donated argument.
    #[track_caller]
    pub fn reuse(self, donated: &KvCache) -> KvCache {
        let layers = self.layers.into_iter().zip(&donated.layers);
        let reuse = |(new, old): (LayerCache, &LayerCache)| LayerCache {
            key: new.key.reuse(old.key),
            value: new.value.reuse(old.value),
        };
        KvCache { layers: layers.map(reuse).collect() }
    }
}

impl KvCache<Spec> {
    /// The specs of a cache of one text, for `positions` positions.
    pub fn new(
        layers: usize,
        kv_heads: usize,
        positions: usize,
        dim: usize,
        dtype: DType,
    ) -> KvCache<Spec> {
        let axes = [("kv_head", kv_heads), ("position", positions), ("dim", dim)];
        let spec = Spec::new(dtype, axes);
        let layer = |_| LayerCache { key: spec.clone(), value: spec.clone() };
        KvCache { layers: (0..layers).map(layer).collect() }
    }

    /// The same caches with a leading axis `batch`: one cache for each text, all of one length.
    ///
    /// ```
    /// use hloom_graph::DType;
    /// use hloom_nn::KvCache;
    ///
    /// let cache = KvCache::new(1, 2, 32, 16, DType::F32).batched(8);
    /// let key = cache.layers[0].key.shape();
    /// assert_eq!(key.to_string(), "f32[batch=8, kv_head=2, position=32, dim=16]");
    /// ```
    pub fn batched(self, batch: usize) -> KvCache<Spec> {
        self.map(&mut |_, spec: Spec| {
            let shape = spec.shape();
            let axes = shape.names().iter().copied().zip(shape.sizes().iter().copied());
            Spec::new(
                shape.dtype(),
                Dims::new([(Some("batch".into()), batch)].into_iter().chain(axes)),
            )
        })
    }
}
