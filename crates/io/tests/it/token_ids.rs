//! Token ids that are stored with more bits than a program takes.

use hloom_graph::{DType, Shape, Spec};
use hloom_io::{Access, Checkpoint, Writer};
use hloom_runtime::{Mesh, Platform};
use hloom_test_support::CPU;

#[test]
fn token_ids_of_64_bits_are_loaded_as_32_where_they_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids.safetensors");
    let mut writer = Writer::new();
    let most = i64::from(i32::MAX);
    let bytes = |ids: &[i64]| ids.iter().flat_map(|id| id.to_le_bytes()).collect::<Vec<u8>>();
    let fits = [0, -1, most, i64::from(i32::MIN), 7, 8];
    let shape = Shape::new(DType::I64, [6]).unwrap();
    writer.tensor("fits", shape, bytes(&fits)).unwrap();
    writer.tensor("large", shape, bytes(&[0, 1, 2, 3, most + 1, 5])).unwrap();
    writer.save(&path).unwrap();
    let mesh = Mesh::new(&Platform::cpus(2).unwrap(), [("x", 2)]).unwrap();
    for access in [Access::Mapped, Access::Read] {
        let checkpoint = Checkpoint::open_with(&path, access).unwrap();
        let spec = Spec::i32([("seq", 6)]);
        let ids = checkpoint.at("fits").load(&CPU, &spec).unwrap();
        assert_eq!(ids.to_vec::<i32>().unwrap(), fits.map(|id| id as i32));
        let split = spec.clone().shard("seq", "x");
        let ids = checkpoint.at("fits").load(&mesh, &split).unwrap();
        assert_eq!(ids.to_vec::<i32>().unwrap(), fits.map(|id| id as i32));
        let large = checkpoint.at("large");
        for error in [large.load(&CPU, &spec).err(), large.load(&mesh, &split).err()] {
            let error = error.expect("2147483648 has more than 32 bits").to_string();
            assert_eq!(error, "tensor `large`: 2147483648 is not a value of type i32");
        }
    }
}
