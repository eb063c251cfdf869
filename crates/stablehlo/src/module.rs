//! A lowered program.

use crate::{Diagnostic, LowerError};
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use std::{cell::RefCell, fmt, rc::Rc};

/// A StableHLO module. It stays on the thread of its context.
pub struct Module<'c> {
    pub(crate) context: &'c melior::Context,
    pub(crate) module: melior::ir::Module<'c>,
    pub(crate) name: String,
}

impl fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Severity};
    use melior::ir::{Attribute, BlockLike, operation::OperationMutLike};

    #[test]
    fn an_unsound_module_is_told_with_the_users_line() {
        let context = Context::new();
        let source = r#"
            func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
                return %arg0 : tensor<3xf32> loc("src/model.rs":12:7)
            }
        "#;
        let module = melior::ir::Module::parse(&context.0, source).expect("the text is right");
        // Given another type, the function no longer says what it returns.
        module
            .body()
            .first_operation_mut()
            .expect("there is a function")
            .set_attribute(
                "function_type",
                Attribute::parse(&context.0, "(tensor<3xf32>) -> tensor<2xf32>").expect("a type"),
            );
        let module = Module {
            context: &context.0,
            module,
            name: "model".into(),
        };
        let error = module.verify().expect_err("the types differ");
        let first = &error.diagnostics[0];
        assert_eq!(first.severity, Severity::Error);
        assert_eq!(first.location, Some(("src/model.rs".into(), 12, 7)));
        assert!(first.message.contains("type of return operand 0"), "{error}");
        assert!(
            error
                .to_string()
                .starts_with("module `model` is not valid\n  src/model.rs:12:7: error: "),
            "{error}"
        );
    }
}
