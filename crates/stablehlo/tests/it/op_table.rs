//! `docs/ops.md`: each op, what it is lowered to, and its names elsewhere. The ops and their
//! lowering come from the programs; the names from `op_table/names.txt`.

#[path = "op_table/derivatives.rs"]
mod derivatives;

use crate::{programs, text};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

const NAMES: &str = include_str!("op_table/names.txt");

/// Programs about what several ops make together.
const NO_OPS: [&str; 3] = ["mlp", "cache", "call_order"];

const INTRODUCTION: &str = "\
# Ops

The ops of a graph, which the methods of `Tensor` and the functions of the crate record; most methods
are made of several. *StableHLO* is what the program of an op is lowered to, with what prepares its
operands. Axes are the operands': a result's are *elementwise* those of all operands, aligned by name or
from the right.

*Differentiable* is what a derivative does at the op: `yes`, the derivative of the result is passed to an operand;
`zero`, the derivative is 0, almost everywhere or because a result or every operand is an integer; `refused`, the
trace has an error that names the op and its line; `-`, there is no operand. Products are refused also in
`reduce_window`, `all_reduce` and `reduce_scatter`, and in `scatter` for updates whose indices can be repeated.

This page is written by `cargo xtask check --fix`.

| Op | StableHLO | Axes | JAX | PyTorch | candle | ZML | Differentiable |
|---|---|---|---|---|---|---|---|
";

/// The ops of the dialects in a module's text.
fn lowered(module: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = BTreeSet::new();
    for dialect in ["stablehlo.", "chlo.", "sdy."] {
        for (at, _) in module.match_indices(dialect) {
            let before = module[..at].chars().next_back();
            // Attributes begin with a hash, types with an exclamation mark.
            if before.is_some_and(|c| is_name(c) || "#!.@<".contains(c)) {
                continue;
            }
            let name = &module[at + dialect.len()..];
            let name = &name[..name.find(|c| !is_name(c)).unwrap_or(name.len())];
            let is_op = !name.is_empty() && !["return", "mesh"].contains(&name);
            if is_op {
                found.insert(if dialect == "stablehlo." {
                    name.into()
                } else {
                    format!("{dialect}{name}")
                });
            }
        }
    }
    found
}

/// A cell with code, whose names are separated by commas.
fn code(names: &str) -> String {
    match names {
        "" | "-" => "-".into(),
        names => names.split(", ").map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}

fn lines() -> impl Iterator<Item = &'static str> {
    NAMES.lines().filter(|line| !line.starts_with('#'))
}

/// The ops that have a row.
pub fn ops() -> impl Iterator<Item = &'static str> {
    lines().filter_map(|line| line.split('|').next()).map(str::trim)
}

/// The ops with their names elsewhere, without what is before the last point or in brackets.
pub fn names_elsewhere() -> impl Iterator<Item = (&'static str, &'static str)> {
    lines().flat_map(|line| {
        let mut cells = line.split('|').map(str::trim);
        let op = cells.next().unwrap_or_default();
        let names = cells.skip(1).take(4).flat_map(|cell| cell.split(", "));
        names.map(move |name| {
            let name = name.split(['(', '[']).next().unwrap_or_default();
            (op, name.rsplit(['.', ':']).next().unwrap_or_default())
        })
    })
}

fn page() -> String {
    let mut rows = BTreeMap::new();
    for line in lines() {
        // A bar inside of a cell is written with a backslash, as in the page.
        let line = line.replace("\\|", "\u{1}");
        let cells: Vec<String> =
            line.split('|').map(|cell| cell.trim().replace('\u{1}', "\\|")).collect();
        assert_eq!(cells.len(), 7, "seven cells: {line}");
        let name = cells[0].clone();
        assert!(rows.insert(name.clone(), cells).is_none(), "`{name}` has two rows");
    }
    let mut page = INTRODUCTION.to_owned();
    let mut programs = programs::all();
    programs.retain(|(name, _)| !NO_OPS.contains(name));
    programs.sort_by_key(|(name, _)| *name);
    for (name, graph) in programs {
        let cells = rows.remove(name).unwrap_or_else(|| {
            panic!("`{name}` has no row in `tests/it/op_table/names.txt`");
        });
        let stablehlo: Vec<String> = lowered(&text(&graph)).into_iter().collect();
        let stablehlo = code(&stablehlo.join(", "));
        let elsewhere: Vec<String> = cells[2..6].iter().map(|names| code(names)).collect();
        let (axes, gradient) = (&cells[1], &cells[6]);
        page += &format!(
            "| `{name}` | {stablehlo} | {axes} | {} | {gradient} |\n",
            elsewhere.join(" | ")
        );
    }
    assert!(rows.is_empty(), "rows without a program: {:?}", rows.keys());
    page
}

#[test]
fn the_table_of_ops_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ops.md");
    let page = page();
    if std::env::var_os("HLOOM_WRITE_DOCS").is_some() {
        return std::fs::write(&path, page).expect("the page is written");
    }
    let stored = std::fs::read_to_string(&path).expect("the page is there");
    assert!(stored == page, "docs/ops.md is stale: `cargo xtask check --fix` writes it");
}

#[test]
fn the_differentiable_ops_have_gradients() {
    let mut wrong = Vec::new();
    let told: BTreeMap<&str, &str> = lines()
        .filter_map(|line| Some((line.split('|').next()?.trim(), line.rsplit('|').next()?.trim())))
        .collect();
    let mut programs = programs::all();
    programs.retain(|(name, _)| !NO_OPS.contains(name));
    for (name, graph) in programs {
        let found = derivatives::differentiable(name, &graph);
        if told[name] != found {
            wrong.push(format!("{name}: {found}, not {}", told[name]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
