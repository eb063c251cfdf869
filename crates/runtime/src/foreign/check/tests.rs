use super::*;
use std::{fs, path::Path, time::Instant};

fn check_text(text: &str) -> Result<(), ForeignError> {
    check(text.as_bytes(), PlatformKind::Cpu, &[])
}

fn error(text: &str) -> String {
    check_text(text).expect_err(text).to_string()
}

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/stablehlo");
    let mut folders = vec![root.join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                files.push((name, fs::read(path).expect("a file")));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn hostile_programs_are_refused_by_name() {
    let mut passed = Vec::new();
    for (name, code) in files("hostile") {
        let Err(error) = check(&code, PlatformKind::Cpu, &[]) else {
            passed.push(name);
            continue;
        };
        let error = error.to_string();
        let expected = match &*name {
            "outfeed.mlir" => "it has the op `stablehlo.outfeed`, which waits for another program",
            "calls_rec.mlir" => "its function `f` calls itself",
            "huge_dims.mlir" | "huge_over.mlir" => "its array, in elements: expected at most",
            _ if name.starts_with("topk") => "it calls `TopK`",
            _ if name.starts_with("slice2") => "it calls `SliceToDynamic`",
            _ if name.starts_with("mut") => "it calls `__onednn$",
            _ => &format!("it calls `{}", name.split('_').find(|part| part.len() > 1).unwrap()),
        };
        let expected = expected.replace("calls `onednn", "calls `__onednn");
        assert!(error.starts_with(&expected), "{name}: {error}, expected {expected}");
    }
    // Bytecode, and programs of ordinary ops: those need the sandbox.
    let others = ["fft_neg", "mut11_00012", "mut11_01369", "permute_far", "sort_bad", "sort_ge2"];
    let stems: Vec<_> = passed.iter().map(|name| name.split('.').next().unwrap()).collect();
    assert_eq!(stems, others);
}

#[test]
fn exported_programs_pass() {
    let mut texts = 0;
    for folder in ["jax", "torch"] {
        for (name, code) in files(folder) {
            if name.ends_with(".mlir") || code.starts_with(BYTECODE) {
                texts += usize::from(!code.starts_with(BYTECODE));
                check(&code, PlatformKind::Cpu, &[])
                    .unwrap_or_else(|error| panic!("{folder}/{name}: {error}"));
            }
        }
    }
    assert!(texts >= 2, "{texts} texts");
}

fn function(body: &str) -> String {
    let array = "tensor<4xf32>";
    let begin = format!("func.func public @main(%a: {array}) -> {array} {{");
    format!("{begin}\n{body}\nreturn %a : {array}\n}}")
}

#[test]
fn feeds_and_handlers_are_found_in_every_spelling() {
    for op in ["stablehlo.infeed", "mhlo.send", "vhlo.recv_v1", "stablehlo.\\6futfeed"] {
        let text = function(&format!("%r = \"{op}\" // (\n (%t) {{}} : (i1) -> i1"));
        let name = op.replace("\\6f", "o");
        assert_eq!(
            error(&text),
            format!("it has the op `{name}`, which waits for another program")
        );
    }
    let calls = [
        "stablehlo.custom_call @evil(%a) : (i1) -> i1",
        "stablehlo.custom_call @\"ev\\69l\"(%a) : (i1) -> i1",
        "\"stablehlo.custom_call\"(%a) <{call_target_name = \"evil\"}> : (i1) -> i1",
        "\"mhlo.custom_call\"(%a) {\"call\\5Ftarget_name\" = \"evil\"} : (i1) -> i1",
        "\"vhlo.custom_call_v1\"(%a) <{call_target_name = #vhlo.string_v1<\"evil\">}> : (i1) -> i1",
    ];
    for call in calls {
        let text = function(&format!("%r = {call}"));
        assert!(error(&text).starts_with("it calls `evil`: "), "{}", error(&text));
        let allowed = ["evil".to_owned()];
        check(text.as_bytes(), PlatformKind::Cpu, &allowed).expect("it is allowed");
    }
    let hidden = "#a = \"evil\"\n".to_owned()
        + &function("%r = \"stablehlo.custom_call\"(%a) {call_target_name = #a} : (i1) -> i1");
    assert_eq!(error(&hidden), "line 3: a custom call's target is not a string");
    let hidden = function("%c = stablehlo.constant #a.b< // > : i1\n>");
    assert_eq!(error(&hidden), "line 2: a comment between `<` and `>`");
    // Names in locations and other strings are not ops.
    check_text(&function("%b = stablehlo.sine %a : i1 loc(\"jit(f)/stablehlo.infeed\")")).unwrap();
}

#[test]
fn shardings_of_results_keep_the_type() {
    let call = |attributes: &str, result: &str| {
        let operand = "tensor<4xf32>";
        let call = format!(
            "%r = stablehlo.custom_call @xla.sdy.FuncResultSharding(%a) \
            {{{attributes}}} : ({operand}) -> {result}"
        );
        check_text(&function(&call))
    };
    let sharding = "mhlo.frontend_attributes = {xla.sdy.sharding = \"#sdy.sharding<>\"}";
    call(sharding, "tensor<4xf32>").unwrap();
    assert!(call(sharding, "tensor<400xf32>").is_err());
    assert!(call("has_side_effect = true", "tensor<4xf32>").is_err());
}

#[test]
fn nesting_calls_and_sizes_are_bounded() {
    for open in ["(", "[", "{", "<", "\"stablehlo.case\"(%i) ({ "] {
        let text = function(&open.repeat(1000));
        assert_eq!(error(&text), "its nesting: expected at most 256, found 257");
    }
    let mut doubling = String::new();
    for i in 0..64 {
        doubling += &format!(
            "func.func private @f{i}(%a: i1) -> i1 {{\n%b = func.call @f{0}(%a) : (i1) -> i1\n\
             %c = func.call @f{0}(%b) : (i1) -> i1\nreturn %c : i1\n}}\n",
            i + 1
        );
    }
    let found = error(&doubling);
    assert!(found.starts_with("its function `f"), "{found}");
    assert!(found.contains("with all that it calls, in tokens: expected at most 67108864"));
    let chain = |length: usize, last: &str| -> String {
        let function = |i: usize| {
            if i + 1 == length {
                format!("func.func private @f{i}() {{ {last} }}\n")
            } else {
                format!("func.func private @f{i}() {{ func.call @f{}() }}\n", i + 1)
            }
        };
        (0..length).map(function).collect()
    };
    check_text(&chain(100_000, "return")).unwrap();
    let cycle = error(&chain(100_000, "func.call @f99990() : () -> ()"));
    assert!(cycle.starts_with("its function `f9999"), "{cycle}");
    let constant = |size: &str| function(&format!("%c = stablehlo.constant dense<0> : {size}"));
    check_text(&constant("tensor<1024xi8>")).unwrap();
    let large = "its constant, in elements: expected at most 268435456, found 1000000000000";
    assert_eq!(error(&constant("tensor<1000000x1000000xi8>")), large);
    let alias = format!("!t = tensor<1000000x1000000xi8>\n{}", constant("!t"));
    assert_eq!(error(&alias), large);
    let array = function("%c = stablehlo.iota dim = 0 : tensor<1000000x1000000xi8>");
    check_text(&array).unwrap();
}

#[test]
fn work_grows_with_the_length() {
    let pieces = ["\"a\"(", "@f", "<", "dense<1> : ", "//", "#a = ", "\\22", "%r = "];
    for piece in pieces {
        for end in ["\n", " "] {
            let text = format!("{piece}{end}").repeat((4 << 20) / (piece.len() + 1));
            let begin = Instant::now();
            let _ = check_text(&text);
            assert!(begin.elapsed().as_secs() < 10, "{piece:?} took {:?}", begin.elapsed());
        }
    }
}
