//! Programs compiled ahead of time: they load, run, and return what a program compiled here does;
//! and the choices that the compiler measured, kept in a file, make it compile the same again.

use crate::{Result, Settings, results::Results};
use hloom::{CompilationCache, SavedProgram, grad, nn, prelude::*};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// Options of the part `saved`.
#[derive(clap::Args)]
pub struct Options {
    /// Compile them for this target, such as `cuda:h200`, into the bundle's folder `saved`.
    #[arg(long, value_name = "TARGET")]
    compile: Option<String>,
    /// Compile all of them as one program with the choices of this file, or write it if there is
    /// none, and print its fingerprint.
    #[arg(long, value_name = "FILE", hide = true)]
    tune: Option<PathBuf>,
}

/// The compiler's choices that an earlier run on a GPU measured.
const AUTOTUNED: &str = "autotune.textproto";

/// A program of its own arguments, all `f32`.
struct Program {
    name: &'static str,
    shapes: &'static [&'static [(&'static str, usize)]],
    function: fn(Vec<Tensor>) -> Vec<Tensor>,
}

const PROGRAMS: [Program; 6] = [
    Program {
        name: "affine",
        shapes: &[&[("row", 128), ("in", 256)], &[("in", 256), ("out", 512)], &[("out", 512)]],
        function: |x| vec![x[0].dot(x[1], "in") + x[2]],
    },
    Program {
        name: "gated",
        shapes: &[
            &[("seq", 64), ("in", 1024)],
            &[("in", 1024), ("out", 2048)],
            &[("in", 1024), ("out", 2048)],
        ],
        function: |x| {
            let [x, gate, up] = [0, 1, 2].map(|i| x[i].convert(DType::BF16));
            vec![(x.dot(gate, "in").silu() * x.dot(up, "in")).convert(DType::F32)]
        },
    },
    Program {
        name: "attention",
        shapes: &[
            &[("seq", 32), ("kv_head", 4), ("group", 2), ("dim", 64)],
            &[("kv_head", 4), ("position", 128), ("dim", 64)],
            &[("kv_head", 4), ("position", 128), ("dim", 64)],
        ],
        function: |x| {
            let [query, key, value] = [0, 1, 2].map(|i| x[i].convert(DType::BF16));
            let start = Tensor::scalar(96, DType::I32);
            let mask = nn::causal_mask(start, 32, 128, None);
            let y = nn::attention(query, key, value, Some(mask), 0.125);
            vec![y.convert(DType::F32)]
        },
    },
    Program {
        name: "slope",
        shapes: &[&[("row", 64), ("in", 96)], &[("in", 96), ("out", 80)]],
        function: |x| {
            let rows = x[0];
            vec![grad(x[1], |weight: Tensor| rows.dot(weight, "in").tanh().mean(["row", "out"]))]
        },
    },
    Program {
        name: "libraries",
        shapes: &[&[("row", 24), ("column", 24)]],
        function: |x| {
            let x = x[0];
            let eye = Tensor::eye(DType::F32, [("row", 24), ("other", 24)]);
            let positive = x.dot(x.rename("row", "other"), "column") + eye;
            let spectrum = x.fft("column");
            vec![positive.cholesky(), spectrum.real(), spectrum.imag()]
        },
    },
    Program {
        name: "loops",
        shapes: &[&[("row", 33), ("column", 65)]],
        function: |x| {
            let x = x[0];
            let halved = for_loop(5, x, |_, x: Tensor| x * 0.5 + x.roll("row", 1));
            vec![x.sort("column", false), x.cumsum("row"), halved]
        },
    },
];

pub fn run(settings: &Settings, options: &Options, results: &mut Results) -> Result {
    if let Some(target) = &options.compile {
        return compile(settings, target, results);
    }
    let platform = settings.open()?;
    results.set_card(&platform);
    match &options.tune {
        Some(file) => tune(&platform, file),
        None => {
            load(settings, &platform, results)?;
            results.check("gpu/saved/autotune_file", same_twice(settings))
        }
    }
}

/// Compiles every program for a target, into files of the bundle.
fn compile(settings: &Settings, target: &str, results: &mut Results) -> Result {
    let topology = settings.topology(target)?;
    let folder = settings.bundle.join("saved").join(target.replace(':', "-"));
    std::fs::create_dir_all(&folder)?;
    let mut failed = Vec::new();
    for program in &PROGRAMS {
        let mut compiler = topology.compiler().name(program.name);
        let choices = settings.bundle.join(AUTOTUNED);
        if choices.exists() {
            compiler = compiler.autotune_file(choices);
        }
        let compiled = compiler.compile(program.function, (program.specs(),));
        let saved = compiled.and_then(|compiled| compiled.save(program.file(&folder)));
        failed.extend(saved.is_err().then_some(program.name));
        results.check(&format!("gpu/saved/{target}/{}", program.name), saved)?;
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("for {target}, these do not compile: {}", failed.join(", ")).into())
    }
}

/// Loads the programs that were compiled for this device, and compares their results with those of
/// programs that are compiled here.
fn load(settings: &Settings, platform: &Platform, results: &mut Results) -> Result {
    let kind = platform.devices().first().map(|device| device.kind().to_owned());
    let kind = kind.ok_or("the platform has no device")?;
    platform.set_cache(None::<CompilationCache>);
    let folders = folders(&settings.bundle.join("saved"))?;
    let folder = folders.get(&kind);
    for program in &PROGRAMS {
        let bench = format!("gpu/saved/{}", program.name);
        let start = Instant::now();
        let here = platform.compiler().name(program.name);
        let here = here.compile(program.function, (program.specs(),));
        let seconds = start.elapsed().as_secs_f64();
        let here = here.and_then(|exe| program.results(platform, |inputs| exe.call((inputs,))));
        println!("{}: compiled and run here in {seconds:.2} s", program.name);
        let expected = match here {
            Ok(expected) => expected,
            Err(error) => {
                results.check::<(), _>(&format!("{bench}/compiled"), Err(error))?;
                continue;
            }
        };
        let Some(folder) = folder else {
            println!("{}: nothing was compiled ahead for `{kind}`", program.name);
            continue;
        };
        let ahead = loaded(platform, program, folder);
        let outcome = ahead.and_then(|found| distance(&expected, &found));
        if let Ok(distance) = outcome {
            println!("{}: the largest distance is {distance:e} of the largest value", program.name);
        }
        results.check(&bench, outcome)?;
    }
    Ok(())
}

/// The folders of saved programs by the kind of device that they are for.
fn folders(saved: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut folders = BTreeMap::new();
    if !saved.exists() {
        return Ok(folders);
    }
    for entry in std::fs::read_dir(saved)? {
        let folder = entry?.path();
        let first = PROGRAMS[0].file(&folder);
        if first.exists() {
            let program = SavedProgram::read(first)?;
            folders.extend(program.devices().first().map(|kind| (kind.clone(), folder)));
        }
    }
    Ok(folders)
}

/// The results of a program's file.
fn loaded(platform: &Platform, program: &Program, folder: &Path) -> Result<Vec<Vec<f32>>> {
    let start = Instant::now();
    let compiler = platform.compiler().name(program.name);
    #[expect(unsafe_code, reason = "loading a file of native code is unsafe")]
    // SAFETY: the file is of the bundle that this program is of, and as trusted.
    let exe = unsafe { compiler.load(program.file(folder), program.function, (program.specs(),)) }?;
    println!("{}: loaded in {:.3} s", program.name, start.elapsed().as_secs_f64());
    Ok(program.results(platform, |inputs| exe.call((inputs,)))?)
}

/// The largest distance between results, in parts of the largest value of its array.
///
/// # Errors
/// It is more than two units of `bf16`, in which most of the programs compute: what is compiled
/// here may add in another order.
fn distance(expected: &[Vec<f32>], found: &[Vec<f32>]) -> Result<f32> {
    let mut worst = 0f32;
    for (expected, found) in expected.iter().zip(found) {
        let largest = expected.iter().fold(0f32, |most, x| most.max(x.abs()));
        for (e, f) in expected.iter().zip(found) {
            let distance = (e - f).abs() / largest;
            if distance.is_nan() || distance > 2f32.powi(-7) {
                return Err(format!("{f} where {e} is expected").into());
            }
            worst = worst.max(distance);
        }
    }
    Ok(worst)
}

/// Two processes that compile with the choices of one file make the same program.
fn same_twice(settings: &Settings) -> Result {
    let file = settings.results.with_file_name(AUTOTUNED);
    let fingerprint = || -> Result<String> {
        let output = Command::new(std::env::current_exe()?)
            .args(["--platform", &settings.platform, "--results"])
            .arg(&settings.results)
            .args(["saved", "--tune"])
            .arg(&file)
            .output()?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let found = printed.lines().find_map(|line| line.strip_prefix("fingerprint: "));
        let missing =
            || format!("{}\n{printed}{}", output.status, String::from_utf8_lossy(&output.stderr));
        Ok(found.ok_or_else(missing)?.to_owned())
    };
    // The first of three writes the file.
    let [measured, first, second] = [fingerprint()?, fingerprint()?, fingerprint()?];
    println!("fingerprints: {measured} measured, {first} and {second} by the file");
    if !file.exists() && settings.platform != "cpu" {
        return Err("the compiler wrote no file of its choices".into());
    }
    if first == second {
        Ok(())
    } else {
        Err("two compilations with one file of choices differ".into())
    }
}

/// Compiles all programs as one, and prints the fingerprint of the optimized program.
fn tune(platform: &Platform, file: &Path) -> Result {
    platform.set_cache(None::<CompilationCache>);
    let specs: Vec<Vec<Spec>> = PROGRAMS.iter().map(Program::specs).collect();
    let all = |inputs: Vec<Vec<Tensor>>| -> Vec<Vec<Tensor>> {
        PROGRAMS.iter().zip(inputs).map(|(program, inputs)| (program.function)(inputs)).collect()
    };
    let exe = platform.compiler().name("all").autotune_file(file).compile(all, (specs,))?;
    let fingerprint = exe.any().as_pjrt().executable().fingerprint()?;
    let hex: String = fingerprint.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("fingerprint: {hex}");
    Ok(())
}

impl Program {
    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.hloom", self.name))
    }

    fn specs(&self) -> Vec<Spec> {
        self.shapes.iter().map(|&axes| Spec::f32(axes)).collect()
    }

    /// The results of a call with fixed arguments, as `f32`.
    fn results(
        &self,
        platform: &Platform,
        call: impl FnOnce(&Vec<Buffer>) -> hloom::Result<Vec<Buffer>>,
    ) -> hloom::Result<Vec<Vec<f32>>> {
        let input = |spec: &Spec| {
            let count = spec.shape().element_count();
            let values: Vec<f32> =
                (0..count).map(|i| (i * 7919 % 1009) as f32 / 1009.0 - 0.5).collect();
            Buffer::from_slice(platform, &values, spec.shape().sizes())
        };
        let inputs = self.specs().iter().map(input).collect::<hloom::Result<Vec<Buffer>>>()?;
        call(&inputs)?.iter().map(|result| result.to_vec::<f32>()).collect()
    }
}
