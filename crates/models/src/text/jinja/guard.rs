//! Rewrites the syntax tree of a template so that every value is charged before it is used.

use super::{
    operands::{at, call, filtered, plain, settled, target},
    refused,
};
use minijinja::{Error, Value, machinery::ast::*};

/// Names of filters that only the rewritten tree can use, because filter names in templates cannot
/// contain parentheses.
pub(super) const SETTLE: &str = "(settle)";
pub(super) const OPEN: &str = "(open)";
pub(super) const ITERATE: &str = "(iterate)";
pub(super) const MULTIPLY: &str = "(multiply)";
pub(super) const SLICE: &str = "(slice)";
pub(super) const ADD: &str = "(add)";
pub(super) const FLOOR_DIVIDE: &str = "(floor-divide)";
pub(super) const MODULO: &str = "(modulo)";
pub(super) const FORMAT: &str = "(format)";
pub(super) const CONCATENATE: &str = "(concatenate)";
pub(super) const ATTRIBUTE: &str = "(attribute)";
pub(super) const ITEM: &str = "(item)";

/// Rewrites the tree of a template.
///
/// # Errors
/// The template refers to other templates or defines blocks.
pub(super) fn template<'a>(stmt: &Stmt<'a>) -> Result<Stmt<'a>, Error> {
    Ok(match stmt {
        Stmt::Template(node) => {
            Stmt::Template(at(node.span(), Template { children: body(&node.children)? }))
        }
        Stmt::EmitExpr(node) => {
            Stmt::EmitExpr(at(node.span(), EmitExpr { expr: plain(&node.expr) }))
        }
        Stmt::EmitRaw(node) => {
            let text = Expr::Const(at(node.span(), Const { value: Value::from(node.raw) }));
            Stmt::EmitExpr(at(
                node.span(),
                EmitExpr { expr: filtered(SETTLE, text, Vec::new(), node.span()) },
            ))
        }
        Stmt::ForLoop(node) => Stmt::ForLoop(at(
            node.span(),
            ForLoop {
                target: target(&node.target),
                iter: filtered(ITERATE, settled(&node.iter), Vec::new(), node.span()),
                filter_expr: node.filter_expr.as_ref().map(plain),
                recursive: node.recursive,
                body: body(&node.body)?,
                else_body: body(&node.else_body)?,
            },
        )),
        Stmt::IfCond(node) => Stmt::IfCond(at(
            node.span(),
            IfCond {
                expr: plain(&node.expr),
                true_body: body(&node.true_body)?,
                false_body: body(&node.false_body)?,
            },
        )),
        Stmt::WithBlock(node) => Stmt::WithBlock(at(
            node.span(),
            WithBlock { assignments: scope(node), body: body(&node.body)? },
        )),
        Stmt::Set(node) => Stmt::Set(at(
            node.span(),
            Set { target: target(&node.target), expr: settled(&node.expr) },
        )),
        Stmt::SetBlock(node) => Stmt::SetBlock(at(
            node.span(),
            SetBlock {
                target: target(&node.target),
                filter: node.filter.as_ref().map(plain),
                body: body(&node.body)?,
            },
        )),
        Stmt::AutoEscape(node) => Stmt::AutoEscape(at(
            node.span(),
            AutoEscape { enabled: settled(&node.enabled), body: body(&node.body)? },
        )),
        Stmt::FilterBlock(node) => Stmt::FilterBlock(at(
            node.span(),
            FilterBlock { filter: plain(&node.filter), body: body(&node.body)? },
        )),
        Stmt::Macro(node) => Stmt::Macro(macro_node(node)?),
        Stmt::CallBlock(node) => Stmt::CallBlock(at(
            node.span(),
            CallBlock { call: call(&node.call), macro_decl: macro_node(&node.macro_decl)? },
        )),
        Stmt::Continue(node) => Stmt::Continue(at(node.span(), Continue)),
        Stmt::Break(node) => Stmt::Break(at(node.span(), Break)),
        Stmt::Do(node) => Stmt::Do(at(node.span(), Do { call: call(&node.call) })),
        Stmt::Block(_)
        | Stmt::Import(_)
        | Stmt::FromImport(_)
        | Stmt::Extends(_)
        | Stmt::Include(_) => {
            let message = "uses `block`, `import`, `from`, `extends` or `include`; a chat \
                           template must be self-contained";
            return Err(refused(message));
        }
    })
}

fn body<'a>(stmts: &[Stmt<'a>]) -> Result<Vec<Stmt<'a>>, Error> {
    stmts.iter().map(template).collect()
}

/// The assignments of a `with` block combined into one, so that no value can refer to the names of
/// the block.
fn scope<'a>(node: &Spanned<WithBlock<'a>>) -> Vec<(Expr<'a>, Expr<'a>)> {
    let list = |items| Expr::List(at(node.span(), List { items }));
    if node.assignments.is_empty() {
        return Vec::new();
    }
    let (names, values) = node.assignments.iter().map(|(a, b)| (target(a), settled(b))).unzip();
    vec![(list(names), list(values))]
}

fn macro_node<'a>(node: &Spanned<Macro<'a>>) -> Result<Spanned<Macro<'a>>, Error> {
    Ok(at(
        node.span(),
        Macro {
            name: node.name,
            args: node.args.iter().map(target).collect(),
            defaults: node.defaults.iter().map(settled).collect(),
            body: body(&node.body)?,
        },
    ))
}
