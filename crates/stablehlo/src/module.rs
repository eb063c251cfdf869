//! A lowered program.

use crate::{Diagnostic, LowerError};
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use std::{cell::RefCell, rc::Rc};

/// A StableHLO module.
pub struct Module<'c> {
    pub(crate) context: &'c melior::Context,
    pub(crate) module: melior::ir::Module<'c>,
    pub(crate) name: String,
}

impl Module<'_> {
    /// The name, made of the graph's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The module as text, for people: without locations.
    pub fn text(&self) -> String {
        self.module.as_operation().to_string()
    }

    /// The module as text with the line of the user's source behind each op. It reads back as the same module.
    pub fn text_with_locations(&self) -> String {
        let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
        let text = self.module.as_operation().to_string_with_flags(flags);
        text.expect("MLIR prints what it was given, and that was UTF-8")
    }

    /// The module as MLIR bytecode, for plugins: locations and the bytes of large constants included.
    pub fn bytecode(&self) -> Vec<u8> {
        self.module.as_operation().write_bytecode()
    }

    /// Checks the structure of the module. [`lower`](crate::lower) has done so for what it gives.
    ///
    /// # Errors
    /// MLIR's own messages, with the lines of the user's source.
    pub fn verify(&self) -> Result<(), LowerError> {
        let said = Rc::new(RefCell::new(Vec::new()));
        let heard = Rc::clone(&said);
        let handler = self.context.attach_diagnostic_handler(move |diagnostic| {
            heard.borrow_mut().push(Diagnostic::new(&diagnostic));
            true
        });
        let valid = self.module.as_operation().verify();
        self.context.detach_diagnostic_handler(handler);
        match valid {
            true => Ok(()),
            false => Err(LowerError {
                module: self.name.clone(),
                diagnostics: said.take(),
            }),
        }
    }
}
