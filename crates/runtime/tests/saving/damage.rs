use super::{check, compile, load};
use hloom_graph::{Spec, Tensor};
use hloom_runtime::{AnyExe, Error, LoadError, Result};
use hloom_test_support::{CPU, cpus};

fn saved() -> Vec<u8> {
    compile(&CPU).unwrap().any().to_bytes().unwrap()
}

/// Why bytes are not loaded.
#[track_caller]
fn refused<T: std::fmt::Debug>(loaded: Result<T>) -> LoadError {
    match loaded {
        Err(Error::SavedProgram { source, .. }) => *source,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_changed_byte_is_loaded() {
    let bytes = saved();
    // The fixed part and the header, then samples of the plugin's bytes.
    let header = 48 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let places = (0..header).chain((header..bytes.len()).step_by(bytes.len() / 97));
    for place in places.chain([bytes.len() - 1]) {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        let why = refused(load(CPU.compiler(), &changed));
        let expected = match place {
            0..8 => matches!(why, LoadError::NotAProgram),
            8..12 => matches!(why, LoadError::Format { .. }),
            12..16 => matches!(why, LoadError::Truncated | LoadError::Damaged),
            _ => matches!(why, LoadError::Damaged),
        };
        assert!(expected, "byte {place}: {why}");
    }
}

#[test]
fn no_part_of_a_file_is_loaded() {
    let bytes = saved();
    for length in (0..200).chain((200..bytes.len()).step_by(bytes.len() / 53)) {
        let why = refused(load(CPU.compiler(), &bytes[..length]));
        let is_short = matches!(why, LoadError::Truncated | LoadError::Damaged);
        assert!(is_short, "{length} bytes: {why}");
    }
    let longer = [&*bytes, &[0]].concat();
    assert!(matches!(refused(load(CPU.compiler(), &longer)), LoadError::Damaged));
    assert!(matches!(refused(load(CPU.compiler(), b"module {}")), LoadError::NotAProgram));
}

/// The program with a part of its header changed, and a checksum that fits.
fn forged(from: &str, to: &str) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let bytes = saved();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&bytes[48..48 + length]).unwrap();
    assert_eq!(header.matches(from).count(), 1, "{from} in {header}");
    let rest = [header.replace(from, to).as_bytes(), &bytes[48 + length..]].concat();
    let length = (length + to.len() - from.len()) as u32;
    [&bytes[..12], &length.to_le_bytes(), &Sha256::digest(&rest), &rest].concat()
}

#[test]
fn each_part_of_another_target_is_told() {
    let devices = CPU.devices();
    let kind = devices[0].kind();
    let cases = [
        ("\"options\":\"", "\"options\":\"x", "options from byte 0 on"),
        ("\"environment\":\"", "\"environment\":\"XLA_FLAGS=x", "environment `"),
        ("\"platform\":\"cpu", "\"platform\":\"gpu", "platform "),
        ("\"plugin\":\"", "\"plugin\":\"0", "another plugin"),
        (&format!("[\"{kind}\"]"), "[\"h200\"]", "devices `"),
        ("\"processor\":\"", "\"processor\":\"Pentium ", "processor"),
        ("\"hloom\":\"", "\"hloom\":\"9.", "version of hloom `0.1.0`, was `9.0.1.0`"),
    ];
    for (from, to, expected) in cases {
        let why = refused(load(CPU.compiler(), &forged(from, to))).to_string();
        assert!(why.contains(expected), "{from}: {why}");
    }
    // A program of one device runs on any platform with such devices.
    check(&load(cpus(2).compiler(), &saved()).unwrap());
}

#[test]
#[expect(unsafe_code, reason = "the programs are refused")]
fn another_function_is_told_by_its_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.hloom");
    compile(&CPU).unwrap().save(&path).unwrap();
    let same = || Spec::f32([("n", 3)]);
    // SAFETY: the file is of this test.
    let load = |spec: Spec, f: fn(Tensor) -> Tensor| unsafe {
        refused(CPU.compiler().load(&path, f, (spec,))).to_string()
    };
    let why = load(Spec::f32([("n", 4)]), |x| x * 2.0 + 1.0);
    assert_eq!(why, "input `arg0`: f32[n=4] expected, f32[n=3] found");
    let why = load(same(), |x| x.sum("n"));
    assert_eq!(why, "output `result`: f32[] expected, f32[n=3] found");
    let why = load(same(), |x| x * 3.0 + 1.0);
    assert_eq!(why, "it was compiled for another target: another module");
    // SAFETY: as above.
    let other = unsafe { CPU.compiler().load(&path, |x: Tensor, _: Tensor| x, (same(), same())) };
    let why = refused(other).to_string();
    assert_eq!(why, "input `arg1`: f32[n=3] expected, none found");
    // SAFETY: as above.
    let missing = unsafe { AnyExe::load(&CPU, folder.path().join("none")) };
    assert!(matches!(refused(missing), LoadError::Io(_)));
}
