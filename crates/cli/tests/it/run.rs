use crate::hloom::{error, hloom, stdout};
use half::{bf16, f16};
use hloom_graph::{DType, Element, Spec, Tensor};
use hloom_io::{Checkpoint, TensorView, Writer, npy};
use hloom_runtime::{Buffer, Donated};
use hloom_test_support::CPU;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// `y = x * w`, and the sums of its rows.
const SCALE: &str = r#"module @scale {
  func.func public @main(%x: tensor<2x3xf32> loc("x"), %w: tensor<3xf32> loc("w"))
      -> (tensor<2x3xf32> {jax.result_info = "y"}, tensor<2xf32> {jax.result_info = "sums"}) {
    %0 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.multiply %x, %0 : tensor<2x3xf32>
    %2 = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %1, %3 : tensor<2x3xf32>, tensor<2xf32>
  }
}
"#;

/// A folder with the program, and its inputs in files of each kind.
struct Files(TempDir);

impl Files {
    fn new() -> Files {
        let files = Files(tempfile::tempdir().unwrap());
        fs::write(files.path("scale.mlir"), SCALE).unwrap();
        let x = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3]).unwrap();
        let w = Buffer::from_slice(&CPU, &[1f32, 10.0, 100.0], [3]).unwrap();
        npy::save(files.path("x.npy"), &x).unwrap();
        npy::save(files.path("w.npy"), &w).unwrap();
        npy::save_all(files.path("named.npz"), [("x", &x), ("w", &w)]).unwrap();
        npy::save_all(files.path("numbered.npz"), [("arr_0", &x), ("arr_1", &w)]).unwrap();
        npy::save_all(files.path("only.npz"), [("anything", &x)]).unwrap();
        let mut writer = Writer::new();
        writer.tensor("w", w.shape(), w.to_bytes().unwrap()).unwrap();
        writer.tensor("other", w.shape(), w.to_bytes().unwrap()).unwrap();
        writer.save(files.path("weights.safetensors")).unwrap();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `hloom run scale.mlir` with these arguments, in the folder.
    fn run(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = hloom(["run", "scale.mlir", "--platform", "cpu"]);
        command.args(arguments).current_dir(self.0.path());
        command
    }
}

const EXPECTED: &str = "y: f32[2, 3]\n[[  1.  20. 300.]\n [  4.  50. 600.]]\n\
                        sums: f32[2]\n[321. 654.]\n";

#[test]
fn inputs_come_from_files_of_each_kind() {
    let files = Files::new();
    for arguments in [
        &["--input", "x=x.npy", "--input", "w=w.npy"][..],
        &["-i", "w=w.npy", "-i", "x=x.npy"],
        &["-i", "x.npy", "-i", "w.npy"],
        // The next input without a file of its own.
        &["-i", "w=w.npy", "-i", "x.npy"],
        &["-i", "x.npy", "-i", "w=w.npy"],
        &["-i", "named.npz"],
        &["-i", "numbered.npz"],
        &["-i", "x=only.npz", "-i", "w=named.npz"],
        &["-i", "x.npy", "--weights", "weights.safetensors"],
        &["-i", "x.npy", "-i", "w=weights.safetensors"],
        &["--weights", "named.npz", "-w", "weights.safetensors"],
    ] {
        assert_eq!(stdout(&mut files.run(arguments)), EXPECTED, "{arguments:?}");
    }
}

#[test]
fn outputs_go_to_files_of_each_kind() {
    let files = Files::new();
    let run = |output: &str| {
        let written = stdout(&mut files.run(&["-i", "named.npz", "--output", output]));
        assert_eq!(written, "");
    };
    run("out.npz");
    let arrays = npy::load_all(&*CPU, files.path("out.npz")).unwrap();
    assert_eq!(arrays["sums"].to_vec::<f32>().unwrap(), [321.0, 654.0]);
    assert_eq!(arrays["y"].shape().to_string(), "f32[2, 3]");
    run("out.safetensors");
    let tensors = Checkpoint::open(files.path("out.safetensors")).unwrap();
    assert_eq!(tensors.get("sums").unwrap().to_vec::<f32>().unwrap(), [321.0, 654.0]);

    let one = "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }";
    fs::write(files.path("one.mlir"), one).unwrap();
    let x = Buffer::from_slice(&CPU, &[7, -1], [2]).unwrap();
    npy::save(files.path("i.npy"), &x).unwrap();
    let mut command = hloom(["run", "one.mlir", "-i", "i.npy", "-o", "one.npy"]);
    stdout(command.current_dir(files.0.path()));
    let found = npy::load(&*CPU, files.path("one.npy")).unwrap();
    assert_eq!(found.to_vec::<i32>().unwrap(), [7, -1]);

    let message = error(&mut files.run(&["-i", "named.npz", "-o", "out.npy"]));
    assert!(message.contains("holds one array, and there are 2 outputs"), "{message}");
    let message = error(&mut files.run(&["-i", "named.npz", "-o", "out.txt"]));
    assert!(message.contains("end with .npz, .npy or .safetensors"), "{message}");
    let message = error(&mut files.run(&["-i", "named.npz", "-o", "none/out.npz"]));
    assert!(message.starts_with("none/out.npz: cannot write"), "{message}");
}

#[test]
fn everything_wrong_with_the_inputs_is_one_error() {
    let files = Files::new();
    let message = error(&mut files.run(&["-i", "x=w.npy", "-i", "z=x.npy", "-i", "z=x.npy"]));
    assert_eq!(
        message,
        "`scale` cannot be called with these inputs: `z`: given twice; \
         `x`: f32[2, 3] expected, f32[3] found; `w`: not given; \
         `z`: no such input; there are `x`, `w`"
    );
    let ints = Buffer::from_slice(&CPU, &[1, 2, 3], [3]).unwrap();
    npy::save(files.path("ints.npy"), &ints).unwrap();
    let message = error(&mut files.run(&["-i", "x.npy", "-i", "ints.npy"]));
    assert!(message.ends_with(": `w`: f32[3] expected, i32[3] found"), "{message}");
    let message = error(&mut files.run(&["-i", "x.npy", "-i", "w.npy", "-i", "w.npy"]));
    assert!(message.ends_with(": 2 buffers expected, 3 found"), "{message}");
    let message = error(&mut files.run(&["-w", "weights.safetensors"]));
    assert!(message.ends_with(": `x`: not given"), "{message}");
    let message = error(&mut files.run(&["-i", "other.npz"]));
    assert!(message.starts_with("other.npz: No such file"), "{message}");
    let message = error(&mut files.run(&["-i", "q=named.npz"]));
    assert_eq!(message, "named.npz: 2 tensors, none of them `q`");
    let message = error(&mut files.run(&["-i", "scale.mlir"]));
    assert!(message.contains("not a tensor file"), "{message}");
    let bytes = fs::read(files.path("x.npy")).unwrap();
    fs::write(files.path("x.npy"), &bytes[..bytes.len() - 1]).unwrap();
    let message = error(&mut files.run(&["-i", "x.npy", "-i", "w.npy"]));
    assert!(message.contains("takes 24 bytes, and 23 are there"), "{message}");
}

#[test]
fn what_is_no_program_is_refused() {
    let files = Files::new();
    let run = |file: &str| {
        let mut command = hloom(["run", "--platform", "cpu", file]);
        command.current_dir(files.0.path());
        command
    };
    assert!(error(&mut run("none.mlir")).starts_with("none.mlir: No such file"));
    assert_eq!(error(&mut run("x.npy")), "x.npy: not a program file");
    fs::write(files.path("text.txt"), "hello").unwrap();
    let message = error(&mut run("text.txt"));
    assert!(
        message.starts_with("text.txt: it is neither a saved program, StableHLO nor"),
        "{message}"
    );
    let mut command = hloom(["run", "scale.mlir", "--platform", "no-such-platform"]);
    let output = command.current_dir(files.0.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "));
    fs::write(files.path("wrong.mlir"), SCALE.replace("multiply", "no_such_op")).unwrap();
    let output = run("wrong.mlir").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains("error: ") && stderr.contains("no_such_op"), "{stderr}");
}

#[test]
fn a_saved_program_runs_only_on_request() {
    let files = Files::new();
    let path = files.path("grow.hloom");
    let grow = |kept: Tensor, x: Tensor| (kept + x).reuse(kept);
    let spec = || Spec::f32([("n", 3)]);
    let compiler = CPU.compiler().name("grow").inputs(["kept", "x"]);
    let exe = compiler.compile(grow, (Donated(spec()), spec())).unwrap();
    exe.save(&path).unwrap();
    let run = || {
        let mut command = hloom(["run", "grow.hloom", "-i", "kept=w.npy", "-i", "x=w.npy"]);
        command.args(["--platform", "cpu"]).current_dir(files.0.path());
        command
    };
    let message = error(&mut run());
    assert!(message.contains("native code") && message.contains("--trust"), "{message}");
    assert_eq!(stdout(run().arg("--trust")), "result: f32[n=3]\n[  2.  20. 200.]\n");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let message = error(run().arg("--trust"));
    assert!(message.ends_with("checksum mismatch: the file is corrupt"), "{message}");
}

fn fixtures(of: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/stablehlo");
    let listed = fs::read_dir(folder.join(of)).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = listed.collect();
    folders.sort();
    folders
}

/// The program in the folder of a fixture.
fn program(folder: &Path) -> PathBuf {
    let listed = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut programs = listed.filter(|path| path.file_stem().unwrap() == "program");
    programs.next().unwrap_or_else(|| panic!("no program in {}", folder.display()))
}

/// The elements of a tensor, parts of complex ones each for itself.
fn numbers(tensor: &TensorView) -> Vec<f64> {
    let bytes = tensor.bytes().unwrap();
    fn of<E: Element>(bytes: &[u8], to_f64: impl Fn(E) -> f64) -> Vec<f64> {
        E::from_bytes(bytes).into_iter().map(to_f64).collect()
    }
    match tensor.shape().dtype() {
        DType::F64 => of(&bytes, |x: f64| x),
        DType::F32 | DType::C64 => of(&bytes, |x: f32| x.into()),
        DType::F16 => of(&bytes, |x: f16| x.into()),
        DType::BF16 => of(&bytes, |x: bf16| x.into()),
        DType::I64 => of(&bytes, |x: i64| x as f64),
        DType::I32 => of(&bytes, |x: i32| x.into()),
        DType::U32 => of(&bytes, |x: u32| x.into()),
        // Compared byte by byte.
        _ => bytes.iter().map(|&byte| byte.into()).collect(),
    }
}

/// Programs that JAX and PyTorch wrote give the results that these had.
#[test]
fn programs_of_others_agree_with_them() {
    let output = tempfile::tempdir().unwrap();
    let output = output.path().join("outputs.safetensors");
    let mut count = 0;
    for folder in fixtures("jax").into_iter().chain(fixtures("torch")) {
        let mut command = hloom(["run", "--platform", "cpu", "--output"]);
        command.arg(&output).arg(program(&folder));
        stdout(command.arg("--input").arg(folder.join("inputs.safetensors")));
        let found = Checkpoint::open(&output).unwrap();
        let expected = Checkpoint::open(folder.join("outputs.safetensors")).unwrap();
        let name = folder.display();
        assert!(found.names().eq(expected.names()), "{name}");
        for output in expected.names() {
            let (found, expected) = (found.get(output).unwrap(), expected.get(output).unwrap());
            assert_eq!(found.shape().dtype(), expected.shape().dtype(), "{name}: {output}");
            assert_eq!(found.shape().sizes(), expected.shape().sizes(), "{name}: {output}");
            let bits = expected.shape().dtype().bits();
            let tolerance = if bits < 32 { 0.02 } else { 1e-4 };
            let (found, expected) = (numbers(&found), numbers(&expected));
            let largest = expected.iter().fold(0f64, |largest, x| largest.max(x.abs()));
            for (found, expected) in found.iter().zip(&expected) {
                let is_same = found == expected || found.is_nan() && expected.is_nan();
                let near = (found - expected).abs() <= tolerance * largest;
                assert!(is_same || near, "{name}: {output}: {found} instead of {expected}");
            }
        }
        count += 1;
    }
    assert!(count >= 30, "{count}");
}

#[test]
fn a_program_for_other_platforms_or_with_unknown_sizes_is_refused() {
    for path in fixtures("refused") {
        let message = error(hloom(["run", "--platform", "cpu"]).arg(&path));
        assert!(message.contains("it was exported for") || message.contains("symbolic size"));
    }
}

#[test]
fn hostile_programs_end_no_command() {
    let folder = TempDir::new().unwrap();
    let hostile =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/stablehlo/hostile");
    let [page, compiled] = ["page.html", "compiled.hloom"].map(|file| folder.path().join(file));
    let commands: [&[&str]; 3] = [
        &["bench", "--iterations", "1"],
        &["report", "-o", page.to_str().unwrap()],
        &["compile", "--target", "cpu", "-o", compiled.to_str().unwrap()],
    ];
    for command in commands {
        let message = error(hloom(command).arg(hostile.join("outfeed.mlir")));
        assert!(message.contains("outfeed"), "{command:?}: {message}");
        let message = error(hloom(command).arg(hostile.join("mut11_00012.bytecode")));
        assert!(message.contains("signal"), "{command:?}: {message}");
    }
    assert!(!page.exists() && !compiled.exists());
}
