use super::{check, compile, load};
use hloom_graph::{Spec, Tensor};
use hloom_runtime::{AnyExe, Error, LoadError, Result, SavedProgram};
use hloom_test_support::{CPU, cpus};

fn saved() -> Vec<u8> {
    compile(&CPU).unwrap().any().to_bytes().unwrap()
}

fn header_length(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize
}

/// The bytes of the optimized program at the end.
fn optimized_length(bytes: &[u8]) -> usize {
    let header: serde_json::Value =
        serde_json::from_slice(&bytes[48..][..header_length(bytes)]).unwrap();
    header["statistics"]["optimized"]["compressed"].as_u64().unwrap() as usize
}

/// The reason why bytes are not loaded.
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
    let header = 48 + header_length(&bytes);
    let optimized = bytes.len() - optimized_length(&bytes);
    assert!(header < optimized && optimized < bytes.len());
    // The fixed part and the header, then samples of the plugin's bytes and of the optimized
    // program.
    let code = (header..optimized).step_by((optimized - header) / 97);
    let optimized = (optimized..bytes.len()).step_by((bytes.len() - optimized).div_ceil(97));
    for place in (0..header).chain(code).chain(optimized).chain([bytes.len() - 1]) {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        let read = SavedProgram::from_bytes(&changed);
        for why in [refused(load(CPU.compiler(), &changed)), refused(read)] {
            let expected = match place {
                0..8 => matches!(why, LoadError::NotAProgram),
                8..12 => matches!(why, LoadError::Format { .. }),
                12..16 => matches!(why, LoadError::Truncated | LoadError::Damaged),
                _ => matches!(why, LoadError::Damaged),
            };
            assert!(expected, "byte {place}: {why}");
        }
    }
}

#[test]
fn no_part_of_a_file_is_loaded() {
    let bytes = saved();
    for length in (0..200).chain((200..bytes.len()).step_by(bytes.len() / 53)) {
        let read = SavedProgram::from_bytes(&bytes[..length]);
        for why in [refused(load(CPU.compiler(), &bytes[..length])), refused(read)] {
            let is_short = matches!(why, LoadError::Truncated | LoadError::Damaged);
            assert!(is_short, "{length} bytes: {why}");
        }
    }
    let longer = [&*bytes, &[0]].concat();
    assert!(matches!(refused(load(CPU.compiler(), &longer)), LoadError::Damaged));
    assert!(matches!(refused(load(CPU.compiler(), b"module {}")), LoadError::NotAProgram));
}

/// A program with a part of its header changed, and a checksum that fits.
fn forged(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let length = header_length(bytes);
    let header = std::str::from_utf8(&bytes[48..48 + length]).unwrap();
    assert_eq!(header.matches(from).count(), 1, "{from} in {header}");
    let rest = [header.replace(from, to).as_bytes(), &bytes[48 + length..]].concat();
    let length = (length + to.len() - from.len()) as u32;
    [&bytes[..12], &length.to_le_bytes(), &Sha256::digest(&rest), &rest].concat()
}

#[test]
fn an_optimized_program_of_another_length_is_refused() {
    let bytes = saved();
    let length = optimized_length(&bytes);
    let compressed = format!("\"compressed\":{length}");
    // No number, more than any file has, one byte of the code too many.
    for changed in ["-1".to_owned(), usize::MAX.to_string(), (length + 1).to_string()] {
        let forged = forged(&bytes, &compressed, &format!("\"compressed\":{changed}"));
        assert!(matches!(refused(SavedProgram::from_bytes(&forged)), LoadError::Damaged));
    }
    // More or fewer bytes than it expands to.
    for changed in ["\"bytes\":1", "\"bytes\":0,\"x\":"] {
        let forged = forged(&bytes, "\"bytes\":", changed);
        assert!(matches!(refused(SavedProgram::from_bytes(&forged)), LoadError::Damaged));
    }
}

#[test]
fn each_part_of_another_target_is_told() {
    let devices = CPU.devices();
    let kind = devices[0].kind();
    let cases = [
        ("\"options\":\"", "\"options\":\"x", "options from byte 0 on"),
        ("\"environment\":\"", "\"environment\":\"XLA_FLAGS=x", "environment "),
        ("\"platform\":\"cpu", "\"platform\":\"gpu", "platform "),
        ("\"plugin\":\"", "\"plugin\":\"0", "another plugin"),
        (&format!("[\"{kind}\"]"), "[\"h200\"]", "devices `"),
        ("\"processor\":\"", "\"processor\":\"Pentium ", "processor"),
        ("\"hloom\":\"", "\"hloom\":\"9.", "version of hloom `0.1.0`, was `9.0.1.0`"),
    ];
    for (from, to, expected) in cases {
        let why = refused(load(CPU.compiler(), &forged(&saved(), from, to))).to_string();
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
