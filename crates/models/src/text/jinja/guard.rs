//! Rewrites the syntax tree of a template so that every value is charged before it is used.

use super::refused;
use minijinja::{
    Error, Value,
    machinery::{Span, ast::*},
    value::ValueKind,
};

/// Filters that only the rewritten tree can name, because filter names in templates have no
/// parentheses.
pub(super) const SETTLE: &str = "(settle)";
pub(super) const OPEN: &str = "(open)";
pub(super) const MULTIPLY: &str = "(multiply)";
pub(super) const SLICE: &str = "(slice)";

/// Tests that inspect only a value's kind.
const FREE_TESTS: [&str; 14] = [
    "undefined",
    "defined",
    "none",
    "boolean",
    "number",
    "integer",
    "int",
    "float",
    "string",
    "sequence",
    "iterable",
    "mapping",
    "true",
    "false",
];
/// Constants up to this length are not charged: they cost no more than the instruction that uses
/// them.
const SHORT: usize = 64;

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
                iter: settled(&node.iter),
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
            WithBlock {
                assignments: node
                    .assignments
                    .iter()
                    .map(|(name, value)| (target(name), settled(value)))
                    .collect(),
                body: body(&node.body)?,
            },
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

fn call<'a>(node: &Spanned<Call<'a>>) -> Spanned<Call<'a>> {
    at(node.span(), Call { expr: plain(&node.expr), args: arguments(&node.args) })
}

fn arguments<'a>(args: &[CallArg<'a>]) -> Vec<CallArg<'a>> {
    let argument = |arg: &CallArg<'a>| match arg {
        CallArg::Pos(value) => CallArg::Pos(settled(value)),
        CallArg::Kwarg(name, value) => CallArg::Kwarg(name, settled(value)),
        CallArg::PosSplat(value) => CallArg::PosSplat(settled(value)),
        CallArg::KwargSplat(value) => CallArg::KwargSplat(settled(value)),
    };
    args.iter().map(argument).collect()
}

/// An expression whose value is charged.
fn settled<'a>(expr: &Expr<'a>) -> Expr<'a> {
    match expr {
        Expr::Const(node)
            if node.value.as_str().is_none_or(|text| text.len() <= SHORT)
                && is_plain(&node.value) =>
        {
            plain(expr)
        }
        _ => filtered(SETTLE, plain(expr), Vec::new(), expr.span()),
    }
}

fn is_plain(value: &Value) -> bool {
    matches!(
        value.kind(),
        ValueKind::Number
            | ValueKind::String
            | ValueKind::Bool
            | ValueKind::None
            | ValueKind::Undefined
    )
}

fn filtered<'a>(
    name: &'static str,
    expr: Expr<'a>,
    args: Vec<CallArg<'a>>,
    span: Span,
) -> Expr<'a> {
    let filter = Filter { name, expr: Some(expr), args };
    Expr::Filter(at(span, filter))
}

/// An expression whose operands are charged, and whose own value is not.
fn plain<'a>(expr: &Expr<'a>) -> Expr<'a> {
    let span = expr.span();
    match expr {
        Expr::Var(node) => Expr::Var(at(span, Var { id: node.id })),
        Expr::Const(node) => Expr::Const(at(span, Const { value: node.value.clone() })),
        Expr::Slice(node) => {
            let none = || Expr::Const(at(span, Const { value: Value::from(()) }));
            let bound =
                |bound: &Option<Expr<'a>>| CallArg::Pos(bound.as_ref().map_or_else(none, settled));
            let bounds = vec![bound(&node.start), bound(&node.stop), bound(&node.step)];
            filtered(SLICE, settled(&node.expr), bounds, span)
        }
        Expr::UnaryOp(node) => {
            #[allow(clippy::needless_match, reason = "the engine's operators cannot be copied")]
            let op = match node.op {
                UnaryOpKind::Not => UnaryOpKind::Not,
                UnaryOpKind::Neg => UnaryOpKind::Neg,
            };
            Expr::UnaryOp(at(span, UnaryOp { op, expr: plain(&node.expr) }))
        }
        Expr::BinOp(node) => match node.op {
            BinOpKind::Mul => filtered(
                MULTIPLY,
                settled(&node.left),
                vec![CallArg::Pos(settled(&node.right))],
                span,
            ),
            // The result may be either operand, and neither is inspected.
            BinOpKind::ScAnd | BinOpKind::ScOr => {
                binary(node.op, plain(&node.left), plain(&node.right), span)
            }
            op => binary(op, settled(&node.left), settled(&node.right), span),
        },
        Expr::Compare(node) => {
            let op = |next: &CompareOp<'a>| CompareOp { op: next.op, expr: settled(&next.expr) };
            let ops = node.ops.iter().map(op).collect();
            Expr::Compare(at(span, Compare { expr: settled(&node.expr), ops }))
        }
        Expr::IfExpr(node) => Expr::IfExpr(at(
            span,
            IfExpr {
                test_expr: plain(&node.test_expr),
                true_expr: plain(&node.true_expr),
                false_expr: node.false_expr.as_ref().map(plain),
            },
        )),
        Expr::Filter(node) => Expr::Filter(at(
            span,
            Filter {
                name: node.name,
                expr: node.expr.as_ref().map(settled),
                args: arguments(&node.args),
            },
        )),
        Expr::Test(node) => {
            let expr = if FREE_TESTS.contains(&node.name) {
                plain(&node.expr)
            } else {
                settled(&node.expr)
            };
            let args = arguments(&node.args);
            Expr::Test(at(span, Test { name: node.name, expr, args }))
        }
        Expr::GetAttr(node) => {
            Expr::GetAttr(at(span, GetAttr { expr: plain(&node.expr), name: node.name }))
        }
        Expr::GetItem(node) => Expr::GetItem(at(
            span,
            GetItem {
                expr: filtered(OPEN, plain(&node.expr), Vec::new(), span),
                subscript_expr: settled(&node.subscript_expr),
            },
        )),
        Expr::Call(node) => Expr::Call(call(node)),
        Expr::List(node) => {
            Expr::List(at(span, List { items: node.items.iter().map(settled).collect() }))
        }
        Expr::Map(node) => Expr::Map(at(
            span,
            Map {
                keys: node.keys.iter().map(settled).collect(),
                values: node.values.iter().map(settled).collect(),
            },
        )),
    }
}

/// The target of an assignment: a name, an attribute of a namespace, or a list of such.
fn target<'a>(expr: &Expr<'a>) -> Expr<'a> {
    match expr {
        Expr::List(node) => {
            let items = node.items.iter().map(target).collect();
            Expr::List(at(node.span(), List { items }))
        }
        _ => plain(expr),
    }
}

fn binary<'a>(op: BinOpKind, left: Expr<'a>, right: Expr<'a>, span: Span) -> Expr<'a> {
    Expr::BinOp(at(span, BinOp { op, left, right }))
}

fn at<T>(span: Span, node: T) -> Spanned<T> {
    Spanned::new(node, span)
}
