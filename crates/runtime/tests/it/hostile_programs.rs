//! Programs of strangers whose text or tables would take far more work than their length: each is
//! read, or refused, in time that grows with its length.

use hloom_runtime::{SavedProgram, StableHlo};
use hloom_test_support::{CPU, LoadOwn};
use std::{
    fs::File,
    path::Path,
    time::{Duration, Instant},
};

/// The bound on reading a file of some megabytes, which took more than 30 s.
const BOUND: Duration = Duration::from_secs(5);

fn timed<T>(what: &str, read: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = read();
    assert!(begin.elapsed() < BOUND, "{what} took {:?}", begin.elapsed());
    result
}

#[test]
fn aliases_of_locations_are_looked_up_once() {
    let count = 60_000;
    let mut text = String::new();
    for i in 0..count {
        text += &format!("#loc{i} = loc(\"x{i}\")\n");
    }
    text += "module @m {\n  func.func public @main(";
    let input = |i: usize| format!("%arg{i}: tensor<2xf32> loc(#loc{i})");
    text += &(0..count).map(input).collect::<Vec<_>>().join(", ");
    text += ") {\n    return\n  }\n}\n";
    let program = timed("aliases", || StableHlo::from_text(&text));
    let inputs = program.inputs().unwrap();
    assert_eq!(inputs.len(), count);
    assert!((0..count).all(|i| inputs[i].name == Some(format!("x{i}"))));
}

#[test]
fn a_long_name_is_not_copied_for_each_value_that_has_it() {
    let name = "n".repeat(3_000_000);
    let inputs = vec!["%a: tensor<f32> loc(#loc)"; 60_000].join(", ");
    for mark in ["\"", ""] {
        let text =
            format!("#loc = loc(\"{name}{mark})\nmodule {{\nfunc.func public @main({inputs}) {{}}");
        let program = timed("a long name", || StableHlo::from_text(&text));
        assert!(program.inputs().unwrap().iter().all(|input| input.name.is_none()));
    }
}

#[test]
fn meshes_are_searched_once() {
    let text =
        format!("func.func public @main() {{}} {}<[\"x\"=2]>", "sdy.mesh @m = ".repeat(400_000));
    assert!(timed("meshes", || StableHlo::from_text(&text)).inputs().is_some());
    let text = format!("func.func public @main() {{}} {}", "sdy.mesh @m = <[".repeat(400_000));
    assert!(timed("open meshes", || StableHlo::from_text(&text)).inputs().is_some());
}

/// A buffer of FlatBuffers: tables without shared parts, from the last to the first.
struct Tables(Vec<u8>);

impl Tables {
    /// Appends a table of fields that are references, by position, to what begins at `to`. All of
    /// it lies after the table: references point forwards.
    fn table(&mut self, at: usize, fields: usize, references: &[(usize, usize)]) {
        let list = at - 4 - 2 * fields;
        let words = |bytes: &mut Vec<u8>, at: usize, word: u16| {
            bytes[at..at + 2].copy_from_slice(&word.to_le_bytes());
        };
        words(&mut self.0, list, (4 + 2 * fields) as u16);
        self.long(at, (at - list) as u32);
        for (slot, &(position, to)) in references.iter().enumerate() {
            let offset = 4 + 4 * slot;
            words(&mut self.0, list + 4 + 2 * position, offset as u16);
            self.long(at + offset, (to - at - offset) as u32);
        }
    }

    fn long(&mut self, at: usize, value: u32) {
        self.0[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
}

#[test]
fn lists_that_tables_share_are_read_within_a_budget() {
    // A function whose values all have one type, the sizes of which are a long list of one text.
    let (values, sizes) = (200_000, 200_000);
    let (root, name, code, types, aval, numbers) = (200, 300, 320, 340, 400, 420);
    let shape = numbers + 4 + 4 * values;
    let text = shape + 4 + 4 * sizes;
    let mut tables = Tables(vec![0; text + 8]);
    let fields = [(1, name), (13, code), (19, types), (22, numbers)];
    tables.long(0, root as u32);
    tables.table(root, 24, &fields);
    tables.long(name, 1);
    tables.0[name + 4] = b'f';
    tables.long(code, 4);
    tables.0[code + 4..code + 8].copy_from_slice(b"ML\xefR");
    tables.long(types, 1);
    tables.long(types + 4, (aval - types - 4) as u32);
    tables.table(aval, 3, &[(1, shape)]);
    tables.long(numbers, values as u32);
    tables.long(shape, sizes as u32);
    for at in (0..sizes).map(|i| shape + 4 + 4 * i) {
        tables.long(at, (text - at) as u32);
    }
    tables.long(text, 1);
    tables.0[text + 4] = b'1';
    let refused = timed("shared lists", || StableHlo::from_bytes(&tables.0));
    assert!(refused.is_err());
}

#[test]
fn equal_names_are_numbered_once() {
    let count = 2_500;
    let input = |i: usize| format!("%arg{i}: tensor<f32> loc(\"x\")");
    let inputs = (0..count).map(input).collect::<Vec<_>>().join(", ");
    let text = format!(
        "module @m {{\n  func.func public @main({inputs}) -> tensor<f32> {{\n    return %arg0 : \
         tensor<f32>\n  }}\n}}\n"
    );
    let exe = CPU.compiler().load_own(&StableHlo::from_text(&text)).unwrap();
    let names: Vec<_> = exe.signature().inputs.iter().map(|input| input.name.as_str()).collect();
    assert_eq!(names[..3], ["x", "x_2", "x_3"]);
    assert_eq!(names[count - 1], format!("x_{count}"));
}

#[test]
fn a_sparse_file_is_refused_before_memory_is_reserved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse.mlir");
    File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let expected = "it has 1099511627776 bytes, expected at most 4294967296";
    let refused = |error: hloom_runtime::Error| {
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            text += &format!(": {cause}");
            source = cause.source();
        }
        assert!(text.contains(expected), "{text}");
    };
    let path: &Path = &path;
    refused(timed("a sparse program", || StableHlo::read(path)).unwrap_err());
    refused(timed("a sparse saved program", || SavedProgram::read(path)).map(drop).unwrap_err());
}
