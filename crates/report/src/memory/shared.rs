//! Values that share memory.

use super::BufferKind;

/// The memory of a value, or of several that were merged.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The instruction that defines the value, and the index of the array in its result.
    pub node: usize,
    pub leaf: usize,
    pub bytes: u64,
    pub kind: BufferKind,
    /// The first and the last step.
    pub start: usize,
    pub end: usize,
}

/// Values, some of which share memory.
#[derive(Default)]
pub(crate) struct Values {
    values: Vec<Value>,
    /// Another value of the same memory, or the value itself.
    parents: Vec<usize>,
}

impl Values {
    pub fn add(&mut self, value: Value) -> usize {
        self.parents.push(self.values.len());
        self.values.push(value);
        self.values.len() - 1
    }

    /// The representative of all values in the same memory.
    pub fn find(&mut self, mut value: usize) -> usize {
        while self.parents[value] != value {
            self.parents[value] = self.parents[self.parents[value]];
            value = self.parents[value];
        }
        value
    }

    pub fn get(&mut self, value: usize) -> &mut Value {
        let value = self.find(value);
        &mut self.values[value]
    }

    /// Lets two values share memory: that of an argument or constant, else of the earlier value.
    pub fn merge(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let owner = |value: &Value| (value.kind, std::cmp::Reverse((value.start, value.node)));
        let (kept, gone) =
            if owner(&self.values[a]) >= owner(&self.values[b]) { (a, b) } else { (b, a) };
        self.parents[gone] = kept;
        let gone = self.values[gone].clone();
        let kept = &mut self.values[kept];
        kept.bytes = kept.bytes.max(gone.bytes);
        kept.start = kept.start.min(gone.start);
        kept.end = kept.end.max(gone.end);
    }

    /// Notes that a value is used until `step`.
    pub fn use_until(&mut self, value: usize, step: usize) {
        let value = self.get(value);
        value.end = value.end.max(step);
    }

    /// One value for each piece of memory.
    pub fn into_distinct(self) -> Vec<Value> {
        let all = self.values.into_iter().zip(self.parents).enumerate();
        all.filter(|(index, (_, parent))| index == parent).map(|(_, (value, _))| value).collect()
    }
}
