//! Parses the modules with the StableHLO of `jaxlib`. Ignored by default: it needs a Python with
//! `jaxlib`, which `HLOOM_PYTHON` names (`python3` by default).

use crate::programs;
use hloom_stablehlo::{Context, LowerOptions, lower};
use std::{env, fs, process::Command};

const CHECK: &str = r#"
import sys
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, sdy, stablehlo

registry = ir.DialectRegistry()
_jax_mlir_ext.register_dialects(registry)
context = ir.Context()
context.append_dialect_registry(registry)
context.load_all_available_dialects()
chlo.register_dialect(context)
stablehlo.register_dialect(context)
sdy.register_dialect(context)
assert not context.allow_unregistered_dialects
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        module = ir.Module.parse(file.read(), context)
    assert module.operation.verify(), path
    print(path)
"#;

#[test]
#[ignore = "needs a Python with jaxlib: HLOOM_PYTHON=python cargo test -p hloom-stablehlo --test \
            it -- --ignored valid_stablehlo"]
fn programs_are_valid_stablehlo() {
    let folder = env::temp_dir().join(format!("hloom-stablehlo-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the temporary folder can be written to");
    let mut files = Vec::new();
    for (name, graph) in programs::all() {
        let context = Context::new();
        let module =
            lower(&context, &graph, &LowerOptions::default()).expect("the module is sound");
        for (end, bytes) in
            [("mlir", module.text_with_locations().into_bytes()), ("mlirbc", module.code())]
        {
            let file = folder.join(format!("{name}.{end}"));
            fs::write(&file, bytes).expect("the temporary folder can be written to");
            files.push(file);
        }
    }
    let python = env::var_os("HLOOM_PYTHON").unwrap_or_else(|| "python3".into());
    let output =
        Command::new(python).arg("-c").arg(CHECK).args(&files).output().expect("Python starts");
    let _ = fs::remove_dir_all(&folder);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.lines().count(), files.len());
}
