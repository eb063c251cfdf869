//! A hash of what a graph computes.

use crate::{Graph, Op};
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
                match &node.op {
                    Op::While { .. } => hasher.write_u8(1),
                    Op::Case(branches) => hasher.write_usize(branches.len()),
                    Op::Manual(manual) => {
                        hasher.write_u8(3);
                        manual.inputs.hash(&mut hasher);
                        manual.outputs.hash(&mut hasher);
                    }
                    Op::Constant(literal) => {
                        hasher.write_u8(2);
                        hasher.write(literal.bytes());
                    }
                    op => op.hash(&mut hasher),
                }
                hasher.write_usize(self.operands(id).len());
                for operand in self.operands(id) {
                    hasher.write_u32(numbers[operand.index()]);
                }
                for value in self.node_results(id) {
                    let shape = self.shape(value);
                    (shape.dtype() as u8).hash(&mut hasher);
                    shape.sizes().hash(&mut hasher);
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
