//! The functions of a module and how often they are called: compilers copy a function into each of
//! its callers.

use crate::ForeignError;
use std::{borrow::Cow, collections::HashMap};

/// The limit on the tokens of a program after all calls are replaced by the called functions:
/// millions of ops.
const MAX_EXPANDED: u64 = 1 << 26;

/// The functions found so far.
#[derive(Default)]
pub(super) struct Functions<'a> {
    names: HashMap<Cow<'a, [u8]>, usize>,
    functions: Vec<Function>,
    current: Option<usize>,
}

#[derive(Default)]
struct Function {
    tokens: u64,
    /// The functions that it calls, and how often.
    calls: HashMap<usize, u64>,
}

impl<'a> Functions<'a> {
    /// Begins a function.
    pub fn begin(&mut self, name: Cow<'a, [u8]>) {
        self.current = Some(self.index(name));
    }

    /// Counts a token of the current function.
    pub fn token(&mut self) {
        if let Some(current) = self.current {
            self.functions[current].tokens += 1;
        }
    }

    /// Counts a symbol in the current function: a call of another function, unless something else
    /// has this name.
    pub fn symbol(&mut self, name: Cow<'a, [u8]>) {
        if let Some(current) = self.current {
            let called = self.index(name);
            *self.functions[current].calls.entry(called).or_default() += 1;
        }
    }

    fn index(&mut self, name: Cow<'a, [u8]>) -> usize {
        *self.names.entry(name).or_insert_with(|| {
            self.functions.push(Function::default());
            self.functions.len() - 1
        })
    }

    /// Checks that no function calls itself, and that no function is too long with all that it
    /// calls.
    ///
    /// # Errors
    /// The name of the function.
    pub fn check(&self) -> Result<(), ForeignError> {
        // A topological order: callers come before the functions that they call. Functions on a
        // cycle are left out.
        let mut callers = vec![0usize; self.functions.len()];
        for &called in self.functions.iter().flat_map(|function| function.calls.keys()) {
            callers[called] += 1;
        }
        let mut order: Vec<usize> = (0..callers.len()).filter(|&i| callers[i] == 0).collect();
        let mut next = 0;
        while let Some(&index) = order.get(next) {
            next += 1;
            for &called in self.functions[index].calls.keys() {
                callers[called] -= 1;
                if callers[called] == 0 {
                    order.push(called);
                }
            }
        }
        if let Some(index) = self.recursive(&callers) {
            return Err(ForeignError::Recursion(self.name(index)));
        }
        let mut expanded = vec![0u64; self.functions.len()];
        for &index in order.iter().rev() {
            let Function { tokens, calls, .. } = &self.functions[index];
            let called =
                calls.iter().map(|(&called, &count)| expanded[called].saturating_mul(count));
            expanded[index] = called.fold(*tokens, u64::saturating_add);
            if expanded[index] > MAX_EXPANDED {
                let name = self.name(index);
                let what = format!("function `{name}` with all that it calls, in tokens");
                let (found, limit) = (expanded[index], MAX_EXPANDED);
                return Err(ForeignError::TooLarge { what, found, limit });
            }
        }
        Ok(())
    }

    /// A function that calls itself, of those that are called by each other or from there.
    fn recursive(&self, callers: &[usize]) -> Option<usize> {
        let is_left = |index: &usize| callers[*index] > 0;
        let mut caller = vec![None; callers.len()];
        for index in (0..callers.len()).filter(is_left) {
            for &called in self.functions[index].calls.keys() {
                caller[called] = Some(index);
            }
        }
        let mut at = (0..callers.len()).find(is_left)?;
        // Walks from caller to caller: a function that is reached twice is on a cycle.
        while let Some(from) = caller[at].take() {
            at = from;
        }
        Some(at)
    }

    fn name(&self, index: usize) -> String {
        let name = self.names.iter().find(|(_, found)| **found == index).map(|(name, _)| name);
        name.map(|name| String::from_utf8_lossy(name).into_owned()).unwrap_or_default()
    }
}
