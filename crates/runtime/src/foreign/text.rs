//! The signature of a module in MLIR's text form.

use super::value::{StableHloValue, mlir_element, plain_path, result_path, unnamed};
use hloom_graph::Shape;
use std::collections::HashMap;

/// The length limit of a name of a location, in bytes: an alias may name many values.
const MAX_NAME: usize = 1 << 10;

/// The entry function as the text of a module describes it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Header {
    pub name: Option<String>,
    /// The number of devices that it is split over.
    pub devices: usize,
    /// The axes of its mesh.
    pub mesh: Option<Vec<(String, usize)>>,
    pub inputs: Vec<StableHloValue>,
    pub outputs: Vec<StableHloValue>,
}

/// Reads the header of the function `main`; `None` if there is none.
pub(super) fn header(text: &str) -> Option<Header> {
    let at = text.find("func.func public @main(").or_else(|| text.find("@main("))?;
    let (inputs, rest) = enclosed(&text[at + text[at..].find('(')?..])?;
    let results = rest.trim_start().strip_prefix("->").map(str::trim_start);
    let outputs = match results {
        Some(list) if list.starts_with('(') => split(enclosed(list)?.0),
        Some(one) => {
            let end = [" {", " attributes", " loc(", "\n"].iter().filter_map(|e| one.find(e)).min();
            vec![&one[..end.unwrap_or(one.len())]]
        }
        None => Vec::new(),
    };
    let locations = Locations::of(text);
    let input = |part: &&str| StableHloValue {
        name: locations.name(part).map(|name| plain_path(&name)),
        shape: shape(part),
    };
    let output = |part: &&str| StableHloValue {
        name: quoted_after(part, "jax.result_info = ").map(|name| result_path(&name)),
        shape: shape(part),
    };
    let name = text.find("module @").map(|start| {
        let rest = &text[start + "module @".len()..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.$-".contains(c)));
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    Some(Header {
        name,
        devices: number_after(&text[..at], "mhlo.num_partitions = ").unwrap_or(1).max(1),
        mesh: mesh(text),
        inputs: split(inputs).iter().map(input).collect(),
        outputs: outputs.iter().map(output).collect(),
    })
}

/// The text between a parenthesis at the start and the one that closes it, and what follows.
fn enclosed(text: &str) -> Option<(&str, &str)> {
    let mut rest = walk(text);
    let end = rest.find(|&(_, byte, depth)| depth == 0 && byte == b')')?.0;
    Some((&text[1..end], &text[end + 1..]))
}

/// The parts between commas that no bracket encloses.
fn split(text: &str) -> Vec<&str> {
    let commas = walk(text).filter(|&(_, byte, depth)| depth == 0 && byte == b',');
    let mut parts = Vec::new();
    let mut start = 0;
    for (comma, ..) in commas {
        parts.push(text[start..comma].trim());
        start = comma + 1;
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The bytes outside of quotes: position, byte and the number of enclosing brackets, where an
/// opening bracket counts itself and a closing one does not.
fn walk(text: &str) -> impl Iterator<Item = (usize, u8, usize)> + '_ {
    let (mut depth, mut quoted, mut escaped, mut before) = (0usize, false, false, b' ');
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        if quoted {
            quoted = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            return None;
        }
        match byte {
            b'"' => quoted = true,
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            // Part of an arrow (`->`), not a bracket.
            b'>' if before == b'-' => {}
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = byte;
        Some((at, byte, depth))
    })
}

/// The shape of the first `tensor<...>`; `None` for a type of another kind.
fn shape(part: &str) -> Option<Shape> {
    let inner = &part[part.find("tensor<")? + "tensor".len()..];
    let end = walk(inner).find(|&(_, byte, depth)| depth == 0 && byte == b'>')?.0;
    let inner = &inner[1..end];
    // An encoding or a layout follows the type.
    let inner = inner.split(", ").next().unwrap_or(inner);
    let mut sizes = Vec::new();
    let mut rest = inner;
    while let Some((size, after)) = rest.split_once('x') {
        let Ok(size) = size.parse() else { break };
        sizes.push(size);
        rest = after;
    }
    unnamed(mlir_element(rest)?, sizes)
}

/// The aliases of locations with a name, such as `#loc1 = loc("name")`.
struct Locations<'a>(HashMap<&'a str, Option<&'a str>>);

impl<'a> Locations<'a> {
    fn of(text: &'a str) -> Self {
        let mut aliases = HashMap::new();
        for line in text.split('\n').filter(|line| line.starts_with('#')) {
            let Some((alias, rest)) = line.split_once(" = loc(\"") else { continue };
            // Locations of a file and line have no name.
            let name = rest
                .split_once('"')
                .filter(|(name, after)| name.len() <= MAX_NAME && !after.starts_with(':'));
            aliases.entry(alias).or_insert(name.map(|(name, _)| name));
        }
        Self(aliases)
    }

    /// The name in `loc("name")`, directly or by an alias such as `loc(#loc1)`.
    fn name(&self, part: &str) -> Option<String> {
        let inner = &part[part.rfind("loc(")? + 4..];
        if inner.starts_with('"') {
            return quoted_after(inner, "");
        }
        let name = self.0.get(inner.split(')').next()?)?;
        name.map(str::to_owned)
    }
}

/// The text in quotes that follows a mark.
fn quoted_after(text: &str, mark: &str) -> Option<String> {
    let rest = &text[text.find(mark)? + mark.len()..];
    let inner = rest.strip_prefix('"')?;
    Some(inner[..inner.find('"')?].to_owned())
}

fn number_after(text: &str, mark: &str) -> Option<usize> {
    let rest = &text[text.find(mark)? + mark.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The axes of the first mesh with any, as in `sdy.mesh @mesh = <["x"=2, "y"=4]>`.
fn mesh(text: &str) -> Option<Vec<(String, usize)>> {
    let mut rest = text;
    while let Some(at) = rest.find("sdy.mesh @") {
        let (list, after) = rest[at..].split_once("<[")?.1.split_once(']')?;
        rest = after;
        let axes = list.split(',').map(|axis| {
            let (name, size) = axis.split_once('=')?;
            Some((name.trim().trim_matches('"').to_owned(), size.trim().parse().ok()?))
        });
        match axes.collect::<Option<Vec<_>>>() {
            Some(axes) if !axes.is_empty() => return Some(axes),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(values: &[StableHloValue]) -> String {
        values.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn names_come_from_locations_and_attributes() {
        let text = r#"#loc1 = loc("params['w']")
#loc2 = loc("f.py":3:1)
module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @empty = <[]>
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc(#loc1), %arg1: tensor<complex<f32>> loc("a, b)"), %arg2: tensor<?xi1> loc(#loc2)) -> (tensor<0xbf16> {jax.result_info = "result['s']"}, tensor<2xi32>) {
    return
  }
}"#;
        let header = header(text).unwrap();
        assert_eq!(header.name.as_deref(), Some("jit_f"));
        assert_eq!(header.devices, 4);
        assert_eq!(header.mesh, Some(vec![("x".into(), 2), ("y".into(), 2)]));
        assert_eq!(shown(&header.inputs), "params.w: f32[4, 3]; a, b): c64[]; _");
        assert_eq!(shown(&header.outputs), "s: bf16[0]; _: i32[2]");
    }

    #[test]
    fn one_result_stands_without_parentheses() {
        let one = header("func.func @main(%a: tensor<f8E4M3FN>) -> tensor<3xui8> {\n}").unwrap();
        assert_eq!(shown(&one.inputs), "_: f8e4m3fn[]");
        assert_eq!(shown(&one.outputs), "_: u8[3]");
        let none = header("func.func @main() {\n  return\n}").unwrap();
        assert_eq!((none.inputs.len(), none.outputs.len()), (0, 0));
    }

    #[test]
    fn other_text_has_no_header() {
        for text in ["", "func.func @other() {}", "@main(", "@main(%a: tensor<", "@main(\"\\"] {
            assert_eq!(header(text), None, "{text}");
        }
    }
}
