//! The names of compiled programs.

use hloom_graph::{Spec, Tensor, Tree};
use hloom_runtime::{AnyExe, Exe, ResultTree};
use hloom_test_support::CPU;
use std::path::Path;

#[derive(Tree, Clone)]
struct Scale<T = Tensor> {
    factor: T,
}

trait Model {
    fn apply(self, x: Tensor) -> Tensor;
}

impl Scale {
    fn forward(&self, x: Tensor) -> Tensor {
        x * self.factor
    }
}

impl Model for Scale {
    fn apply(self, x: Tensor) -> Tensor {
        x + self.factor
    }
}

fn double(x: Tensor) -> Tensor {
    x * 2
}

fn untyped<A: hloom_runtime::Args, R: ResultTree>(exe: Exe<A, R>) -> AnyExe {
    exe.any().clone()
}

/// E18: by default a program has the path of its function, as its name, in the module, in the
/// plugin's executable and in the names of dumped files.
#[test]
fn programs_have_the_names_of_their_functions() {
    let x = || Spec::f32([2]);
    let scale = || Scale { factor: Spec::f32([2]) };
    let compiler = |folder: &Path| CPU.compiler().dump(folder);
    let closure = |x: Tensor| x - 1;
    type Compile<'a> = &'a dyn Fn(&Path) -> hloom_runtime::Result<AnyExe>;
    let cases: [(&str, Compile<'_>); 5] = [
        ("Scale::forward", &|folder| {
            compiler(folder).compile(Scale::forward, (scale(), x())).map(untyped)
        }),
        ("Scale::apply", &|folder| {
            compiler(folder).compile(<Scale as Model>::apply, (scale(), x())).map(untyped)
        }),
        ("names::double", &|folder| compiler(folder).compile(double, (x(),)).map(untyped)),
        ("names::programs_have_the_names_of_their_functions", &|folder| {
            compiler(folder).compile(closure, (x(),)).map(untyped)
        }),
        ("chosen", &|folder| compiler(folder).name("chosen").compile(double, (x(),)).map(untyped)),
    ];
    for (name, compile) in cases {
        let folder = tempfile::tempdir().unwrap();
        let exe = compile(folder.path()).unwrap();
        assert_eq!(exe.name(), name);
        let module = name.replace("::", "__");
        assert_eq!(exe.as_pjrt().executable().name().unwrap(), module);
        let files: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(files.len() >= 4 && files.iter().all(|file| file.contains(&module)), "{files:?}");
        let text = files.iter().find(|file| file.ends_with("stablehlo.mlir")).unwrap();
        let text = std::fs::read_to_string(folder.path().join(text)).unwrap();
        assert!(
            text.contains(&format!("@{module}")) || text.contains(&format!("\"{module}\"")),
            "{text}"
        );
        let named = exe.bind([(9, &hloom_runtime::Buffer::zeros(&CPU, x()).unwrap())]);
        let error = named.unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{name}` cannot be called")), "{error}");
    }
}
