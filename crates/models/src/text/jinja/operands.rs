//! Rewrites the expressions of a template so that every operand is charged to the budget, and
//! computed as in Python.

use super::{guard::*, methods};
use minijinja::{
    Value,
    machinery::{Span, ast::*},
    value::ValueKind,
};

/// Tests that inspect only a value's kind.
const FREE_TESTS: [&str; 15] = [
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
    "callable",
    "true",
    "false",
];
/// Constants up to this length are not charged: they cost no more than the instruction that uses
/// them.
const MAX_UNCHARGED: usize = 64;

pub(super) fn call<'a>(node: &Spanned<Call<'a>>) -> Spanned<Call<'a>> {
    // The engine calls a method where the called expression is an attribute.
    let expr = match &node.expr {
        Expr::GetAttr(attribute) => Expr::GetAttr(at(
            attribute.span(),
            GetAttr { expr: plain(&attribute.expr), name: attribute.name },
        )),
        expr => plain(expr),
    };
    at(node.span(), Call { expr, args: arguments(&node.args) })
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
pub(super) fn settled<'a>(expr: &Expr<'a>) -> Expr<'a> {
    match expr {
        Expr::Const(node)
            if node.value.as_str().is_none_or(|text| text.len() <= MAX_UNCHARGED)
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

pub(super) fn filtered<'a>(
    name: &'static str,
    expr: Expr<'a>,
    args: Vec<CallArg<'a>>,
    span: Span,
) -> Expr<'a> {
    let filter = Filter { name, expr: Some(expr), args };
    Expr::Filter(at(span, filter))
}

/// An expression whose operands are charged, and whose own value is not.
pub(super) fn plain<'a>(expr: &Expr<'a>) -> Expr<'a> {
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
            BinOpKind::Mul => operator(MULTIPLY, node),
            BinOpKind::Add => operator(ADD, node),
            BinOpKind::FloorDiv => operator(FLOOR_DIVIDE, node),
            BinOpKind::Concat => operator(CONCATENATE, node),
            // Python formats by a tuple, which the engine parses as a list.
            BinOpKind::Rem if matches!(node.right, Expr::List(_)) => operator(FORMAT, node),
            BinOpKind::Rem => operator(MODULO, node),
            // The result may be either operand, and neither is inspected.
            BinOpKind::ScAnd | BinOpKind::ScOr => {
                // The engine computes an operator of constants as a boolean.
                let left = match &node.left {
                    Expr::Const(_) => filtered(SETTLE, plain(&node.left), Vec::new(), span),
                    left => plain(left),
                };
                binary(node.op, left, plain(&node.right), span)
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
        Expr::GetAttr(node) if methods::is_name(node.name) => {
            let name = Expr::Const(at(span, Const { value: Value::from(node.name) }));
            filtered(ATTRIBUTE, plain(&node.expr), vec![CallArg::Pos(name)], span)
        }
        Expr::GetAttr(node) => {
            Expr::GetAttr(at(span, GetAttr { expr: plain(&node.expr), name: node.name }))
        }
        Expr::GetItem(node) if names_method(&node.subscript_expr) => {
            let item = filtered(OPEN, plain(&node.expr), Vec::new(), span);
            filtered(ITEM, item, vec![CallArg::Pos(plain(&node.subscript_expr))], span)
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
pub(super) fn target<'a>(expr: &Expr<'a>) -> Expr<'a> {
    match expr {
        Expr::List(node) => {
            let items = node.items.iter().map(target).collect();
            Expr::List(at(node.span(), List { items }))
        }
        Expr::GetAttr(node) => {
            Expr::GetAttr(at(node.span(), GetAttr { expr: plain(&node.expr), name: node.name }))
        }
        _ => plain(expr),
    }
}

/// Whether a subscript is the name of a method, which is looked up if there is no such item.
fn names_method(subscript: &Expr<'_>) -> bool {
    matches!(subscript, Expr::Const(node) if node.value.as_str().is_some_and(methods::is_name))
}

/// An operator as the filter that computes it.
fn operator<'a>(name: &'static str, node: &Spanned<BinOp<'a>>) -> Expr<'a> {
    let right = vec![CallArg::Pos(settled(&node.right))];
    filtered(name, settled(&node.left), right, node.span())
}

fn binary<'a>(op: BinOpKind, left: Expr<'a>, right: Expr<'a>, span: Span) -> Expr<'a> {
    Expr::BinOp(at(span, BinOp { op, left, right }))
}

pub(super) fn at<T>(span: Span, node: T) -> Spanned<T> {
    Spanned::new(node, span)
}
