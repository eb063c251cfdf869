//! A run that is killed again and again ends as one that was never stopped, bit for bit, with its
//! random state.

use hloom_graph::{DType, Key, Spec, Tensor};
use hloom_optim::{AdamState, AdamW, Optimizer, Schedule};
use hloom_runtime::{Buffer, Donated};
use hloom_test_support::{CPU_BY_TEST as CPU, Child, is_child};
use hloom_train::{Batches, CheckpointError, Format, Log, Position, resume_run, save_run};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path, time::Duration};

const STEPS: u64 = 60;

#[derive(Serialize, Deserialize, Default)]
struct Progress {
    step: u64,
    position: Position,
}

type Run<L> = (L, AdamState<L>, Key<L>);

/// The loss `mean((x . w - sin)^2)` of rows with noise, and a step of AdamW, with the gradient by
/// hand.
fn step(run: Run<Tensor>, x: Tensor) -> (Run<Tensor>, Tensor) {
    let (w, state, key) = run;
    let (key, own) = key.split2();
    let x = x + own.normal(DType::F32, x.shape().axes()) * 0.01;
    let error = x.dot(w, "in") - x.sum("in").sin();
    let gradient = (x * error).mean("batch") * 2.0;
    let schedule = Schedule::warmup_cosine(0.1, 5, STEPS, 0.0);
    let (w, state) = AdamW::new().update(w, gradient, state, schedule);
    ((w, state, key), error.square().mean("batch"))
}

fn train(folder: &Path) {
    let w = Spec::f32([("in", 5)]);
    let specs: Run<Spec> = (w.clone(), AdamW::new().state_spec(&w), Key::spec());
    let file = folder.join("run.safetensors");
    let (mut run, mut progress) = match resume_run(&file, &*CPU, &specs).unwrap() {
        Some(resumed) => resumed,
        None => {
            let init = |w: Tensor| (AdamW::new().init(&w), Key::new(7));
            let w = Buffer::zeros(&*CPU, w.clone()).unwrap();
            let (state, key) = CPU.compile(init, (specs.0.clone(),)).unwrap().call((&w,)).unwrap();
            ((w, state, key), Progress::default())
        }
    };
    let x = Spec::f32([("batch", 4), ("in", 5)]);
    let exe = CPU.compile(step, (Donated(specs), x)).unwrap();
    let rows = |indices: &[usize]| -> Vec<f32> {
        indices.iter().flat_map(|&i| (0..5).map(move |j| ((i * 5 + j) as f32).sin())).collect()
    };
    let batches = Batches::new(22, 4).shuffled(1);
    let mut loader = batches.load(progress.position, 2, 3, rows).unwrap();
    let log = folder.join("loss.csv");
    let mut log = Log::resume(log, Format::Csv, &["loss"], progress.step).unwrap();
    while progress.step < STEPS {
        let x = loader.next().unwrap();
        let x = Buffer::from_slice(&*CPU, &x, [("batch", 4), ("in", 5)]).unwrap();
        let loss;
        (run, loss) = exe.call((run, &x)).unwrap();
        log.row(progress.step, &[f64::from(loss.to_vec::<f32>().unwrap()[0])]).unwrap();
        progress = Progress { step: progress.step + 1, position: loader.position() };
        // Not after every step, so that a resumed run has steps to repeat.
        if progress.step.is_multiple_of(3) {
            save_run(&file, &run, &progress).unwrap();
        }
    }
}

#[test]
fn a_killed_run_ends_as_one_that_was_never_stopped() {
    const FOLDER: &str = "HLOOM_TEST_RUN";
    if is_child() {
        return train(Path::new(&std::env::var_os(FOLDER).expect("the parent names it")));
    }
    let temporary = || tempfile::tempdir().unwrap();
    let (whole, mut killed) = (temporary(), temporary());
    // Each compiles, so that all begin to train after the same time.
    let child = |folder: &Path| {
        Child::test("resume::a_killed_run_ends_as_one_that_was_never_stopped")
            .env(FOLDER, folder)
            .env_remove("HLOOM_CACHE")
    };
    let is_equal = |killed: &Path, kills: u32| {
        for name in ["loss.csv", "run.safetensors"] {
            let [whole, killed] = [whole.path(), killed].map(|f| fs::read(f.join(name)).unwrap());
            assert!(whole == killed, "{name} differs after {kills} kills");
        }
    };
    let start = std::time::Instant::now();
    child(whole.path()).run().passed();
    let alone = start.elapsed();
    let (mut runs, mut kills) = (0, 0);
    while runs < 40 || kills <= 10 {
        assert!(runs < 400, "only {kills} runs were killed");
        runs += 1;
        // Moments all over the time that a whole run takes.
        let part = f64::from((runs * 17) % 40) / 40.0;
        let moment = alone.mul_f64(part).max(Duration::from_millis(1));
        let ended = child(killed.path()).limit(moment).run();
        if ended.status.is_none() {
            kills += 1;
            continue;
        }
        // The machine was less busy than at the first run.
        ended.passed();
        is_equal(killed.path(), kills);
        killed = temporary();
    }
    child(killed.path()).run().passed();
    is_equal(killed.path(), kills);
    let left = fs::read_dir(killed.path()).unwrap().count();
    assert_eq!(left, 2, "the log and the checkpoint alone are left");
    let log = fs::read_to_string(whole.path().join("loss.csv")).unwrap();
    assert_eq!(log.lines().count() as u64, STEPS + 1);
    let loss = |line: &str| line.split_once(',').unwrap().1.parse::<f64>().unwrap();
    let (first, last) = (log.lines().nth(1).unwrap(), log.lines().last().unwrap());
    assert!(loss(last) < 0.5 * loss(first), "it learned: {first} to {last}");
}

#[test]
fn files_that_are_no_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let spec = Spec::f32([2]);
    let resume = |spec: &Spec| resume_run::<_, u64>(&path, &*CPU, spec);
    assert!(matches!(resume(&spec), Ok(None)));
    let buffer = Buffer::zeros(&*CPU, spec.clone()).unwrap();
    hloom_io::save(&path, &vec![buffer]).unwrap();
    assert!(matches!(resume(&spec), Err(CheckpointError::NoRun { .. })));
    let buffer = vec![Buffer::zeros(&*CPU, spec.clone()).unwrap()];
    save_run(&path, &buffer, &"text").unwrap();
    assert!(matches!(resume(&spec), Err(CheckpointError::Progress { .. })));
    save_run(&path, &buffer, &7u64).unwrap();
    let resume = |spec: Spec| resume_run::<_, u64>(&path, &*CPU, &vec![spec]);
    assert_eq!(resume(spec).unwrap().unwrap().1, 7);
    assert!(matches!(resume(Spec::f32([3])), Err(CheckpointError::File(_))));
}

#[test]
fn a_changed_file_is_refused_wherever_it_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let weights = Buffer::from_slice(&*CPU, &[1f32, 2.0, 3.0], [("in", 3)]).unwrap();
    save_run(&path, &weights, &7u64).unwrap();
    let whole = fs::read(&path).unwrap();
    let spec = Spec::f32([("in", 3)]);
    let resume = || resume_run::<Spec, u64>(&path, &*CPU, &spec);
    assert_eq!(resume().unwrap().unwrap().0.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    let mut accepted = Vec::new();
    for at in 0..whole.len() {
        for bit in [0, 3, 5] {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            fs::write(&path, &changed).unwrap();
            if resume().is_ok() {
                accepted.push(at);
            }
        }
    }
    assert_eq!(accepted, [] as [usize; 0], "no byte of {} may change", whole.len());
    // The tensor's last byte.
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(&path, &changed).unwrap();
    let error = resume().unwrap_err().to_string();
    let start = format!("{}: damaged: the checksum of its contents is xxh3-128:", path.display());
    assert!(error.starts_with(&start), "{error}");
}

#[test]
fn files_of_the_first_version_are_read_and_later_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let shape = hloom_graph::Shape::new(DType::U8, [2]).unwrap();
    let write = |entries: &[(&str, &str)], has_checksum: bool| {
        let mut writer = hloom_io::Writer::new();
        writer.tensor("0", shape, &[1, 2][..]).unwrap();
        for (key, text) in entries {
            writer.metadata(key, text);
        }
        if has_checksum {
            writer.checksum();
        }
        writer.save(&path).unwrap();
        resume_run::<_, u64>(&path, &*CPU, &vec![Spec::new(DType::U8, [2])])
    };
    let step = |read: Result<Option<_>, CheckpointError>| -> u64 {
        let (_, step): (Vec<Buffer>, u64) = read.unwrap().unwrap();
        step
    };
    assert_eq!(step(write(&[("hloom.progress", "7")], false)), 7);
    assert_eq!(step(write(&[("hloom.run", r#"{"version":2,"progress":7}"#)], true)), 7);
    let error = write(&[("hloom.run", r#"{"version":2,"progress":7}"#)], false).unwrap_err();
    assert!(matches!(error, CheckpointError::NoChecksum { .. }), "{error}");
    let error = write(&[("hloom.run", r#"{"version":3,"progress":[]}"#)], true).unwrap_err();
    let CheckpointError::Version { found: 3, expected: 2, .. } = error else {
        panic!("{error}");
    };
}
