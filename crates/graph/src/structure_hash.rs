//! A hash of what a graph computes.

use crate::{Graph, definition::hash_shape};
use std::hash::{Hash, Hasher};

/// Feeds `Hash` implementations into a hash that is the same in every process.
struct StructureHasher(xxhash_rust::xxh3::Xxh3);

impl Graph {
    /// A 128-bit hash of what the graph computes: names, axis names, locations and dead nodes do not count.
    pub fn structure_hash(&self) -> u128 {
        let mut hasher = StructureHasher(xxhash_rust::xxh3::Xxh3::new());
        let live = self.live();
        let mut numbers = vec![u32::MAX; self.value_count()];
        let mut next = 0u32;
        // Regions in the order of their first use; a region's nodes come where its owner does.
        let mut pending = vec![Graph::ROOT];
        while let Some(region) = pending.pop() {
            for &id in &self.region(region).nodes {
                if !live[id.index()] {
                    continue;
                }
                for value in self.node_results(id) {
                    numbers[value.index()] = next;
                    next += 1;
                }
                let node = self.node(id);
                hasher.write_u16(node.op.tag());
                node.op.hash_attributes(&mut hasher);
                hasher.write_usize(self.operands(id).len());
                for operand in self.operands(id) {
                    hasher.write_u32(numbers[operand.index()]);
                }
                for value in self.node_results(id) {
                    hash_shape(&mut hasher, &self.shape(value));
                }
                pending.extend(node.op.regions());
            }
            for result in &self.region(region).results {
                hasher.write_u32(numbers[result.index()]);
            }
        }
        for parameter in &self.parameters {
            hasher.write_u8(parameter.donated.into());
            parameter.partitioning.hash(&mut hasher);
        }
        self.mesh.map(|mesh| mesh.sizes().to_vec()).hash(&mut hasher);
        for result in &self.results {
            result.reuses.hash(&mut hasher);
        }
        hasher.0.digest128()
    }
}

impl Hasher for StructureHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&self) -> u64 {
        self.0.digest()
    }
}
