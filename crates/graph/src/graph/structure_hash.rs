//! A hash of the computation of a graph.

use crate::{Graph, RegionId, ValueId, definition::hash_shape};
use std::{
    collections::HashMap,
    hash::{Hash, Hasher},
};

/// Feeds `Hash` implementations into a hash that is the same in every process.
struct StructureHasher(xxhash_rust::xxh3::Xxh3);

impl Graph {
    /// A 128-bit hash of the computation: names, axis names, locations and dead nodes are ignored.
    pub fn structure_hash(&self) -> u128 {
        let mut hasher = StructureHasher(xxhash_rust::xxh3::Xxh3::new());
        let live = self.live();
        let mut numbers = vec![u32::MAX; self.value_count()];
        let mut next = 0u32;
        // Regions are hashed in the order of their first use; a region's nodes follow its owner.
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
            parameter.sharding.hash(&mut hasher);
        }
        self.mesh.map(|mesh| mesh.sizes().to_vec()).hash(&mut hasher);
        for result in &self.results {
            result.reuses.hash(&mut hasher);
        }
        hasher.0.digest128()
    }
}

impl Graph {
    /// A hash of an isolated region that includes axis names and the ids of host functions, so it
    /// is valid only in this process.
    pub(crate) fn region_hash(&self, region: RegionId) -> u128 {
        let mut hasher = StructureHasher(xxhash_rust::xxh3::Xxh3::new());
        self.hash_region(region, &mut hasher, &mut HashMap::new());
        hasher.0.digest128()
    }

    fn hash_region(
        &self,
        region: RegionId,
        hasher: &mut StructureHasher,
        numbers: &mut HashMap<ValueId, usize>,
    ) {
        let region = self.region(region);
        for &id in &region.nodes {
            let node = self.node(id);
            let mut op = node.op.clone();
            op.map_regions(&mut |_| Graph::ROOT);
            op.hash(hasher);
            for operand in self.operands(id) {
                numbers.get(operand).hash(hasher);
            }
            for inner in node.op.regions() {
                self.hash_region(inner, hasher, numbers);
            }
            for value in self.node_results(id) {
                self.shape(value).hash(hasher);
                numbers.insert(value, numbers.len());
            }
        }
        for result in &region.results {
            numbers.get(result).hash(hasher);
        }
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
