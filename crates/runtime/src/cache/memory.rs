//! Compiled programs in memory.

use std::{collections::VecDeque, sync::Arc};

/// Programs, bounded in size; those used least recently go first.
pub(super) struct Memory {
    /// The most recently used one last.
    programs: VecDeque<(String, Arc<[u8]>)>,
    bytes: usize,
    limit: usize,
}

impl Memory {
    pub fn new(limit: usize) -> Memory {
        Memory { programs: VecDeque::new(), bytes: 0, limit }
    }

    pub fn get(&mut self, digest: &str) -> Option<Arc<[u8]>> {
        let place = self.programs.iter().position(|(key, _)| key == digest)?;
        let program = self.programs.remove(place)?;
        self.programs.push_back(program);
        self.programs.back().map(|(_, code)| code.clone())
    }

    pub fn insert(&mut self, digest: String, code: Arc<[u8]>) {
        if let Some(place) = self.programs.iter().position(|(key, _)| *key == digest) {
            self.remove(place);
        }
        self.bytes += code.len();
        self.programs.push_back((digest, code));
        while self.bytes > self.limit {
            self.remove(0);
        }
    }

    fn remove(&mut self, place: usize) {
        if let Some((_, code)) = self.programs.remove(place) {
            self.bytes -= code.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_program_goes_first() {
        let mut memory = Memory::new(10);
        let code = |size: usize| vec![0; size].into();
        memory.insert("a".into(), code(4));
        memory.insert("b".into(), code(4));
        assert!(memory.get("a").is_some());
        memory.insert("c".into(), code(4));
        assert!(memory.get("a").is_some() && memory.get("b").is_none());
        memory.insert("c".into(), code(5));
        assert_eq!(memory.bytes, 9);
        memory.insert("large".into(), code(11));
        assert_eq!((memory.bytes, memory.programs.len()), (0, 0));
    }
}
