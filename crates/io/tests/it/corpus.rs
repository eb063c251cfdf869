//! The corpora of the fuzz targets of files with arrays and of exported folders, and mutations of
//! their files: each is read or refused, soon.

use hloom_io::{StableHloFolder, npy};
use hloom_test_support::{CPU, run_corpus};
use std::{fs, path::Path};

/// A program for the descriptions of functions, whose inputs it need not have.
const PROGRAM: &str = "module @m {\n  func.func public @main() {\n    return\n  }\n}\n";

#[test]
fn the_corpus_of_arrays_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    run_corpus("npy", |bytes| {
        fs::write(&path, bytes).unwrap();
        let shape = npy::shape(&path);
        match npy::load(&*CPU, &path) {
            Ok(array) => assert_eq!(shape.unwrap(), array.shape()),
            Err(error) => assert_eq!(shape.unwrap_err().to_string(), error.to_string()),
        }
        shape_is_read(&path)
    });
}

fn shape_is_read(path: &Path) -> bool {
    npy::shape(path).is_ok()
}

#[test]
fn the_corpus_of_archives_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npz");
    run_corpus("npz", |bytes| {
        fs::write(&path, bytes).unwrap();
        let shapes = npy::shapes(&path);
        match npy::load_all(&*CPU, &path) {
            Ok(arrays) => {
                let shapes = shapes.expect("what is loaded has shapes");
                assert!(arrays.iter().all(|(name, array)| shapes[name] == array.shape()));
                true
            }
            Err(error) => {
                assert!(error.to_string().contains("x.npz"), "{error}");
                false
            }
        }
    });
}

#[test]
fn the_corpus_of_exported_folders_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let functions = folder.path().join("functions");
    fs::create_dir(&functions).unwrap();
    fs::write(functions.join("forward.mlir"), PROGRAM).unwrap();
    run_corpus("torch_xla", |bytes| {
        fs::write(functions.join("forward.meta"), bytes).unwrap();
        let Ok(read) = StableHloFolder::read(folder.path()) else { return false };
        for (_, file) in read.weights() {
            let parent = file.parent().and_then(Path::parent);
            assert_eq!(parent, Some(folder.path()), "{}", file.display());
        }
        true
    });
}
