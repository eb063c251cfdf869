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

use hloom_graph::{DType, Dims, Name, Spec, Tensor, Tree, named_scope};

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
    /// As the keys.
    pub value: T,
}

impl LayerCache {
    /// The cache with keys and values, both `[.., seq, kv_head, dim]` in any order of the axes,
    /// written from position `start` on, an `i32` scalar. They are converted to the cache's element
    /// type, and have its batch axis if it has one. If they do not fit after `start`, the start is
    /// clamped so that they do.
    #[track_caller]
    pub fn append(&self, key: Tensor, value: Tensor, start: Tensor) -> LayerCache {
        named_scope("nn::LayerCache::append", || {
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
