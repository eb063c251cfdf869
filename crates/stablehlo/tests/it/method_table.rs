//! `docs/methods.md`: each method of a tensor, as the graph crate declares it.

use crate::op_table;
use hloom_graph::tensor_methods;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

const INTRODUCTION: &str = "\
# Methods

The methods of `Tensor`, and of the types that these take or return. [ops.md](ops.md) has the ops that they record; most methods
are made of several. A method without `self` is an associated function. *Elsewhere* are names in JAX, NumPy, PyTorch, candle and ZML,
under which the documentation of the crate is searched too.

Lazy tensors have the methods of `Tensor` except for those marked *traced only*.

This page is written by `cargo xtask check --fix`.
";

/// The rows of a type's methods by name.
type Rows = BTreeMap<&'static str, String>;

/// The result of a method of tensors.
fn results(kind: &str) -> &'static str {
    match kind {
        "one" => "`Tensor`",
        "two" => "`(Tensor, Tensor)`",
        "three" => "`(Tensor, Tensor, Tensor)`",
        "many" => "`Vec<Tensor>`",
        _ => "-",
    }
}

fn page() -> String {
    let mut types: BTreeMap<&str, Rows> = BTreeMap::new();
    macro_rules! methods {
        ($({
            $of:ident $method:ident $lazy:ident [$($generics:tt)*] ($($tensor:ident)*)
            ($($argument:ident: $kind:ty),*) $results:ident [$($alias:literal)*]
        })*) => { $({
            let (of, name) = (stringify!($of), stringify!($method));
            let parameters: &[(&str, &str)] = &[
                $((stringify!($tensor), "Tensor"),)*
                $((stringify!($argument), stringify!($kind)),)*
            ];
            let elsewhere: &[&str] = &[$($alias),*];
            let is_traced_only = of == "Tensor" && stringify!($lazy) == "absent";
            let row = row(name, parameters, stringify!($results), elsewhere, is_traced_only);
            let earlier = types.entry(of).or_default().insert(name, row);
            assert!(earlier.is_none(), "`{of}` has two methods `{name}`");
        })* };
    }
    tensor_methods!(methods);
    let mut page = INTRODUCTION.to_owned();
    let tensor = types.remove_entry("Tensor");
    for (of, rows) in tensor.into_iter().chain(types) {
        page += &format!("\n## {of}\n\n| Method | Returns | Elsewhere |\n|---|---|---|\n");
        page.extend(rows.into_values());
    }
    page
}

fn row(
    name: &str,
    parameters: &[(&str, &str)],
    kind: &str,
    elsewhere: &[&str],
    is_traced_only: bool,
) -> String {
    let parameters = parameters.iter().map(|&(name, kind)| match name {
        "self" => name.to_owned(),
        // The tokens of a type are printed with spaces between them.
        _ => format!("{name}: {}", kind.replace(" < ", "<").replace(" >", ">").replace("& ", "&")),
    });
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    let mut notes: Vec<String> = elsewhere.iter().map(|name| format!("`{name}`")).collect();
    notes.extend(is_traced_only.then(|| "*traced only*".to_owned()));
    let notes = if notes.is_empty() { "-".to_owned() } else { notes.join(", ") };
    format!("| `{name}({parameters})` | {} | {notes} |\n", results(kind))
}

/// Names that say too little to be searched for.
const TOO_GENERAL: [&str; 1] = ["new"];

/// Rustdoc finds a name with other underscores and capitals too.
fn as_searched(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

/// The name of an op elsewhere is that of its method, of another one, or an alias.
#[test]
fn names_elsewhere_are_found_in_the_documentation() {
    let mut methods: BTreeMap<&str, &[&str]> = BTreeMap::new();
    macro_rules! methods {
        ($({
            $of:ident $method:ident $lazy:ident $generics:tt $tensors:tt $arguments:tt
            $results:ident [$($alias:literal)*]
        })*) => { $(
            if stringify!($of) == "Tensor" {
                methods.insert(stringify!($method), &[$($alias),*]);
            }
        )* };
    }
    tensor_methods!(methods);
    let names: BTreeSet<String> = methods.keys().map(|name| as_searched(name)).collect();
    let mut missing = Vec::new();
    let mut compared = 0;
    for (op, name) in op_table::names_elsewhere() {
        let Some(aliases) = methods.get(op) else { continue };
        let is_name = name.len() > 1 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name || TOO_GENERAL.contains(&name) {
            continue;
        }
        compared += 1;
        let searched = as_searched(name);
        let is_alias = aliases.iter().any(|alias| as_searched(alias) == searched);
        if !names.contains(&searched) && !is_alias {
            missing.push(format!("`{op}` has no `#[doc(alias = \"{name}\")]`"));
        }
    }
    assert!(compared > 150, "only {compared} names are compared");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_table_of_methods_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods.md");
    let page = page();
    if std::env::var_os("HLOOM_WRITE_DOCS").is_some() {
        return std::fs::write(&path, page).expect("the page is written");
    }
    let stored = std::fs::read_to_string(&path).expect("the page is there");
    assert!(stored == page, "docs/methods.md is stale: `cargo xtask check --fix` writes it");
}
