//! The use of `config` in expressions of attributes.

use crate::{
    attributes::Preset,
    constant::Constant,
    input::{Field, Input},
};
use syn::{
    Error, Expr, ExprCall, ExprClosure, ExprPath, Result,
    visit::{Visit, visit_expr_call},
};

/// Checks that expressions of a field use `config` only if the type names its configuration.
pub fn check_config(input: &Input, field: &Field) -> Result<()> {
    if input.config.is_some() {
        return Ok(());
    }
    let attributes = &field.attributes;
    let preset = match &attributes.preset {
        Some(Preset::Value(value)) => Some(&**value),
        _ => None,
    };
    let all = preset.into_iter().chain(&attributes.config).chain(&attributes.count);
    let all = all.chain(attributes.set.iter().map(Constant::value));
    let named = attributes.sizes.iter().chain(&attributes.all_sizes).chain(&attributes.has);
    for expression in all.chain(named.map(|(_, value)| value)) {
        let mut uses = Uses(None);
        uses.visit_expr(expression);
        if let Some(span) = uses.0 {
            let message = format!(
                "`{}` has no configuration: name its type by `#[tree(config = Type)]`",
                input.name
            );
            return Err(Error::new_spanned(span, message));
        }
    }
    Ok(())
}

/// Finds the first use of the variable.
struct Uses<'a>(Option<&'a ExprPath>);

impl<'a> Visit<'a> for Uses<'a> {
    fn visit_expr_path(&mut self, path: &'a ExprPath) {
        if path.path.is_ident("config") {
            self.0.get_or_insert(path);
        }
    }

    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        match &*call.func {
            // A call of a function named `config` does not use the variable.
            Expr::Path(_) => call.args.iter().for_each(|argument| self.visit_expr(argument)),
            _ => visit_expr_call(self, call),
        }
    }

    // A parameter of the closure may have this name, so closures are skipped.
    fn visit_expr_closure(&mut self, _: &'a ExprClosure) {}
}
