//! A lowered program.

#[cfg(feature = "mlir")]
use crate::Diagnostic;
use crate::{Context, LowerError, emit::text::Text};
#[cfg(feature = "mlir")]
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
#[cfg(feature = "mlir")]
use std::{cell::RefCell, rc::Rc};
use std::{fmt, marker::PhantomData};

/// A StableHLO module. It stays on its context's thread.
pub struct Module<'c> {
    name: String,
    contents: Contents<'c>,
}

enum Contents<'c> {
    #[cfg(feature = "mlir")]
    InMemory(&'c melior::Context, melior::ir::Module<'c>),
    Text(Text, PhantomData<&'c Context>),
}

impl fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<'c> Module<'c> {
    #[cfg(feature = "mlir")]
    pub(crate) fn in_memory(
        context: &'c Context,
        module: melior::ir::Module<'c>,
        name: String,
    ) -> Module<'c> {
        let contents = Contents::InMemory(&context.0, module);
        Module { name, contents }
    }

    pub(crate) fn as_text(_: &'c Context, text: Text, name: String) -> Module<'c> {
        let contents = Contents::Text(text, PhantomData);
        Module { name, contents }
    }

    /// Parses a module from MLIR's text; ops of dialects other than `func` are in generic form.
    ///
    /// # Errors
    /// MLIR's diagnostics: the text is not a module, or its structure is invalid.
    #[cfg(feature = "mlir")]
    pub fn parse(context: &'c Context, text: &str) -> Result<Module<'c>, LowerError> {
        let (module, diagnostics) =
            diagnosed(&context.0, || melior::ir::Module::parse(&context.0, text));
        let name = |module: &melior::ir::Module<'c>| {
            let name = module.as_operation().attribute("sym_name").ok()?;
            let name = melior::ir::attribute::StringAttribute::try_from(name).ok()?;
            Some(name.value().to_owned())
        };
        match module {
            Some(module) => {
                let name = name(&module).unwrap_or_default();
                Ok(Module::in_memory(context, module, name))
            }
            None => Err(LowerError { module: String::new(), diagnostics }),
        }
    }

    /// The name, derived from the graph's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The module as readable text, without locations.
    pub fn text(&self) -> String {
        match &self.contents {
            #[cfg(feature = "mlir")]
            Contents::InMemory(_, module) => module.as_operation().to_string(),
            Contents::Text(text, _) => text.without_locations(),
        }
    }

    /// The module as text with the user's source line after each op. It parses back to the same
    /// module.
    pub fn text_with_locations(&self) -> String {
        match &self.contents {
            #[cfg(feature = "mlir")]
            Contents::InMemory(_, module) => {
                let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
                let text = module.as_operation().to_string_with_flags(flags);
                text.expect("MLIR prints what it was given, and that was UTF-8")
            }
            Contents::Text(text, _) => text.with_locations(),
        }
    }

    /// The module for plugins, including locations and the bytes of constants: MLIR bytecode, or
    /// the text of a module built as text.
    pub fn code(&self) -> Vec<u8> {
        match &self.contents {
            #[cfg(feature = "mlir")]
            Contents::InMemory(_, module) => module.as_operation().write_bytecode(),
            Contents::Text(text, _) => text.with_locations().into_bytes(),
        }
    }

    /// Checks the structure of the module. [`lower`](crate::lower) already does so for its result.
    /// Text is not checked.
    ///
    /// # Errors
    /// MLIR's diagnostics, with the lines of the user's source.
    pub fn verify(&self) -> Result<(), LowerError> {
        match &self.contents {
            #[cfg(feature = "mlir")]
            Contents::InMemory(context, module) => match diagnosed(context, || {
                module.as_operation().verify()
            }) {
                (true, _) => Ok(()),
                (false, diagnostics) => Err(LowerError { module: self.name.clone(), diagnostics }),
            },
            Contents::Text(..) => Ok(()),
        }
    }
}

/// The result of a call into MLIR, with its diagnostics.
#[cfg(feature = "mlir")]
fn diagnosed<R>(context: &melior::Context, call: impl FnOnce() -> R) -> (R, Vec<Diagnostic>) {
    let said = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&said);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        heard.borrow_mut().push(Diagnostic::new(&diagnostic));
        true
    });
    let result = call();
    context.detach_diagnostic_handler(handler);
    (result, said.take())
}

#[cfg(all(test, feature = "mlir"))]
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
        // With another type, the function no longer declares the types that it returns.
        module.body().first_operation_mut().expect("there is a function").set_attribute(
            "function_type",
            Attribute::parse(&context.0, "(tensor<3xf32>) -> tensor<2xf32>").expect("a type"),
        );
        let module = Module::in_memory(&context, module, "model".into());
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
