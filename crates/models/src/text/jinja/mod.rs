//! Untrusted Jinja templates, rendered in bounded time and memory.
//!
//! The engine counts instructions, but one instruction can build a string of any size, compare
//! values that contain the same part a billion times, or recurse as deeply as a value is nested.
//! Therefore a template passes four stages:
//!
//! [`literals`] first rewrites the source from jinja2's dialect to the engine's.
//!
//! 1. [`source`] limits its length, the tokens of a tag and the branches of a chain before the
//!    recursive parser processes them.
//! 2. [`guard`] rewrites the syntax tree so that every operand passes [`Budget::settle`], which
//!    charges its size to the budget of the rendering, and so that multiplication and slices use
//!    [`operators`].
//! 3. [`builtins`] has all filters, tests and functions; each charges its cost beyond the sizes of
//!    its arguments before it runs. [`methods`] does the same for methods of strings, lists and
//!    maps.
//! 4. All stages run on a thread of their own, whose stack holds the deepest recursion that the
//!    limits allow.

mod arguments;
mod budget;
mod builtins;
mod characters;
mod cost;
mod engine_filters;
mod filters;
mod generator;
mod guard;
mod json_filter;
mod kinds;
mod literals;
mod methods;
mod number_filters;
mod operands;
mod operators;
mod print;
mod source;
mod strings;

use budget::Budget;
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Value,
    machinery::{CodeGenerator, Vm, WhitespaceConfig, ast, make_string_output, parse},
    syntax::SyntaxConfig,
};
pub(super) use print::number;
use std::time::SystemTime;

/// The name of the template in the engine.
const NAME: &str = "chat";
/// The size in bytes of the stack on which templates are parsed and rendered: a tag with as many
/// operators as [`source`] allows needs a small part of it.
const STACK: usize = 64 << 20;
/// The instruction limit of a rendering, and its increment per turn of the conversation.
const STEPS: u64 = 1_000_000;
const STEPS_PER_TURN: u64 = 1_000;
/// White space around tags, as in `transformers`.
const WHITE_SPACE: WhitespaceConfig =
    WhitespaceConfig { keep_trailing_newline: false, lstrip_blocks: true, trim_blocks: true };

/// Checks that a source is a valid template.
///
/// # Errors
/// The source is not valid Jinja, or exceeds a limit.
pub(super) fn check(source: &str) -> Result<(), String> {
    on_large_stack(|| parsed(source).map(drop)).map_err(|error| described(&error))
}

/// Renders a template with `values`, of which `turns` are the turns of a conversation, at `time`
/// or now.
///
/// # Errors
/// The template is not valid Jinja, fails, or exceeds a limit on time or memory.
pub(super) fn render(
    source: &str,
    values: &Value,
    turns: usize,
    time: Option<SystemTime>,
) -> Result<String, String> {
    let rendered = on_large_stack(|| {
        let stmt = parsed(source)?;
        let mut code = CodeGenerator::new(NAME, source);
        code.compile_stmt(&stmt);
        let (instructions, blocks) = code.finish();
        let mut environment = Environment::empty();
        environment.set_debug(false);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment
            .set_fuel(Some(STEPS.saturating_add(STEPS_PER_TURN.saturating_mul(turns as u64))));
        let budget = Budget::for_input(values)?;
        builtins::add(&mut environment, &budget, time);
        let writes = budget.clone();
        environment.set_formatter(move |out, _, value| {
            writes.settle(value.clone())?;
            Ok(out.write_str(&filters::printed(&writes, value)?)?)
        });
        let mut text = String::new();
        let mut output = make_string_output(&mut text);
        Vm::new(&environment).eval(
            &instructions,
            values.clone(),
            &blocks,
            &mut output,
            AutoEscape::None,
        )?;
        Ok(text)
    });
    rendered.map_err(|error| described(&error))
}

/// The source as [`check`] and [`render`] take it.
pub(super) fn dialect(source: &str) -> String {
    literals::rewrite(source)
}

fn parsed(source: &str) -> Result<ast::Stmt<'_>, Error> {
    source::check(source, WHITE_SPACE)?;
    guard::template(&parse(source, NAME, SyntaxConfig, WHITE_SPACE)?)
}

fn on_large_stack<R: Send>(work: impl FnOnce() -> Result<R, Error> + Send) -> Result<R, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("template".into()).stack_size(STACK);
        let thread = thread
            .spawn_scoped(scope, work)
            .map_err(|error| refused(format!("no thread to run on: {error}")))?;
        let ended = thread.join();
        ended.unwrap_or_else(|_| Err(refused("the template engine failed")))
    })
}

/// An error that the engine reports with its line.
fn refused(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}

fn described(error: &Error) -> String {
    let line = error.line().map(|line| format!(" (line {line})")).unwrap_or_default();
    match (error.kind(), error.detail()) {
        (ErrorKind::OutOfFuel, _) => {
            format!("runs for more than {STEPS} steps and {STEPS_PER_TURN} per turn{line}")
        }
        // The template's own message, from `raise_exception`, or the limit that it exceeds.
        (ErrorKind::InvalidOperation, Some(detail)) => format!("{detail}{line}"),
        _ => error.to_string(),
    }
}
