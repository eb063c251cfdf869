//! The corpus of the fuzz target of logs, and mutations of its files and of a run's file: each is
//! read or refused, soon.

use hloom_graph::Spec;
use hloom_runtime::Buffer;
use hloom_test_support::{CPU, mutations, run_corpus};
use hloom_train::{Format, Log, LogTable, resume_run, save_run};
use std::{collections::BTreeMap, fs};

#[test]
fn the_corpus_of_logs_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    run_corpus("log", |bytes| {
        let Some((format, text)) = bytes.split_first() else { return false };
        let format = if format % 2 == b'c' % 2 { Format::Csv } else { Format::JsonLines };
        fs::write(&path, text).unwrap();
        let read = LogTable::read(&path, format);
        if let Ok(table) = &read {
            for column in table.columns() {
                assert!(table.column(column).len() <= text.len());
            }
        }
        let _ = Log::resume(&path, format, &["loss"], 7);
        assert!(fs::metadata(&path).unwrap().len() <= text.len() as u64 + 16);
        read.is_ok()
    });
}

#[test]
fn the_corpus_of_runs_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let specs = BTreeMap::from([("weight".to_owned(), Spec::f32([2, 2]))]);
    run_corpus("run_file", |bytes| {
        fs::write(&path, bytes).unwrap();
        match resume_run::<_, BTreeMap<String, u64>>(&path, &*CPU, &specs) {
            Ok(found) => found.is_some(),
            Err(error) => {
                assert!(error.to_string().contains("run.safetensors"), "{error}");
                false
            }
        }
    });
}

#[test]
fn mutations_of_a_run_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let weights = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0], [3]).unwrap();
    save_run(&path, &weights, &7u64).unwrap();
    let whole = fs::read(&path).unwrap();
    let (mut read, mut refused) = (0, 0);
    for seed in 0..4 {
        for bytes in mutations(&whole, seed) {
            fs::write(&path, bytes).unwrap();
            match resume_run::<Spec, u64>(&path, &*CPU, &Spec::f32([3])) {
                Ok(found) => {
                    let (weights, step) = found.expect("there is a file");
                    let values = weights.to_vec::<f32>().unwrap();
                    assert_eq!((&values[..], step), (&[1.0, 2.0, 3.0][..], 7), "changed values");
                    read += 1;
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
    eprintln!("runs: {read} read, {refused} refused");
}

#[test]
fn logs_of_absurd_size_and_pipes_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    for format in [Format::Csv, Format::JsonLines] {
        let error = LogTable::read(&path, format).unwrap_err().to_string();
        let expected = "log`: it has 1099511627776 bytes, expected at most 1073741824";
        assert!(error.ends_with(expected), "{error}");
        let error = Log::resume(&path, format, &["loss"], 7).map(drop).unwrap_err().to_string();
        assert!(error.contains("has a row of 16 MiB or more"), "{error}");
    }
    assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 40, "the file stays");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(LogTable::read(&pipe, Format::Csv).is_err());
    let error = Log::resume(&pipe, Format::Csv, &["loss"], 7).map(drop).unwrap_err().to_string();
    assert!(error.contains("is not a regular file"), "{error}");
}
