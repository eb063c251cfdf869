use crate::hloom::{error, hloom, stdout};
use hloom_graph::{Spec, Tensor};
use hloom_runtime::CompilationCache;
use hloom_test_support::{CPU, cpus};
use std::fs;

/// X10: a command writes the page.
#[test]
fn a_page_is_written_of_saved_and_of_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let (saved, page) = (folder.path().join("exp.hloom"), folder.path().join("page.html"));
    let compiler = CPU.compiler().name("exponential");
    compiler.compile(|x: Tensor| x.exp() + x, (Spec::f32([5]),)).unwrap().save(&saved).unwrap();
    let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
        %y = stablehlo.exponential %x : tensor<3xf32>
        return %y : tensor<3xf32>
    }";
    let program = folder.path().join("exponential.mlir");
    fs::write(&program, text).unwrap();
    for file in [&saved, &program] {
        let mut command = hloom(["report", "--platform", "cpu", "--output"]);
        let command = command.arg(&page).arg(file);
        assert_eq!(stdout(command), "");
        let html = fs::read_to_string(&page).unwrap();
        assert!(html.starts_with("<!") && html.contains("exponential"), "{}", html.len());
        fs::remove_file(&page).unwrap();
    }
    // A cache has no part in it: the second page is as the first one.
    let pages = [(); 2].map(|()| {
        let mut command = hloom(["report", "--platform", "cpu", "--output"]);
        let command = command.arg(&page).arg(&program);
        stdout(command.env("HLOOM_CACHE", folder.path().join("kept")));
        fs::read_to_string(&page).unwrap()
    });
    assert_eq!(pages[0].len(), pages[1].len());
    let mut command = hloom(["report", "--output"]);
    let message = error(command.arg(folder.path()).arg(&saved));
    assert!(message.starts_with(&folder.path().display().to_string()), "{message}");

    let platform = cpus(1);
    let cache = CompilationCache::at(folder.path().join("cache"));
    platform.set_cache(cache.clone());
    platform.compile(|x: Tensor| x + 1.0, (Spec::f32([3]),)).unwrap();
    let mut command = hloom(["report", "--output"]);
    let message = error(command.arg(&page).arg(&cache.entries().unwrap()[0].path));
    assert!(message.contains("the optimized program is not in it"), "{message}");
}
