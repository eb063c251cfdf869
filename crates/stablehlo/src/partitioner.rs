//! Partitioners and their sharding attributes.

use crate::attribute::Attribute;
use hloom_graph::{MeshShape, ResolvedSharding};
use std::fmt::Write;

/// The part of the compiler that partitions a program over a mesh, and that defines the sharding
/// attributes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Partitioner {
    /// Shardy (`sdy.sharding`), which uses the axes of the mesh.
    #[default]
    Shardy,
    /// GSPMD (`mhlo.sharding`), for plugins without Shardy. Its attributes list the device of each
    /// part; open axes next to split ones are replicated.
    Gspmd,
}

/// The name of the mesh in the module.
pub(crate) const MESH: &str = "mesh";

impl Partitioner {
    /// The attribute of an argument or a result; `None` if all of it is left to the compiler.
    pub(crate) fn attribute(
        self,
        sharding: &ResolvedSharding,
        mesh: &MeshShape,
    ) -> Option<(&'static str, Attribute<'static>)> {
        match self {
            Partitioner::Shardy => {
                let text = format!("#sdy.sharding{}", shardy(sharding, mesh));
                Some(("sdy.sharding", Attribute::text(text)))
            }
            Partitioner::Gspmd if sharding.has_open() && sharding.is_replicated() => None,
            Partitioner::Gspmd => Some(("mhlo.sharding", Attribute::string(gspmd(sharding, mesh)))),
        }
    }
}

/// `<@mesh, [{"data"}, {"model":(1)2, ?}, {}]>`.
pub(crate) fn shardy(sharding: &ResolvedSharding, mesh: &MeshShape) -> String {
    let axes: Vec<String> = (0..sharding.rank())
        .map(|axis| {
            let mut over: Vec<String> = sharding
                .splits(axis)
                .map(|split| {
                    let name = mesh.name(split.mesh_axis.into());
                    if split.is_whole(mesh) {
                        format!("\"{name}\"")
                    } else {
                        format!("\"{name}\":({}){}", split.around, split.size)
                    }
                })
                .collect();
            if sharding.is_open(axis) {
                over.push("?".into());
            }
            format!("{{{}}}", over.join(", "))
        })
        .collect();
    format!("<@{MESH}, [{}]>", axes.join(", "))
}

/// `{devices=[2,1,3]0,1,2,3,4,5 last_tile_dim_replicate}`: the devices in the order of their parts,
/// replicas of one part together.
pub(crate) fn gspmd(sharding: &ResolvedSharding, mesh: &MeshShape) -> String {
    if sharding.is_replicated() {
        return "{replicated}".into();
    }
    let mut counts: Vec<usize> = (0..sharding.rank()).map(|axis| sharding.parts(axis)).collect();
    let mut devices: Vec<usize> = (0..mesh.device_count()).collect();
    devices.sort_by_key(|&device| sharding.part(device, mesh).to_vec());
    let copies = devices.len() / counts.iter().product::<usize>();
    if copies > 1 {
        counts.push(copies);
    }
    let list = |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let mut text = format!("{{devices=[{}]{}", list(&counts), list(&devices));
    if copies > 1 {
        text.push_str(" last_tile_dim_replicate");
    }
    text.push('}');
    text
}

/// The axes of the mesh, as Shardy declares them.
pub(crate) fn shardy_mesh(mesh: &MeshShape) -> String {
    let mut text = String::from("#sdy.mesh<[");
    for (i, (name, size)) in mesh.axes().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(text, "{comma}\"{name}\"={size}").expect("a string takes all text");
    }
    text + "]>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use hloom_graph::{DType, PartitionSpec, Shape};

    #[test]
    fn both_partitioners_are_told_the_same() {
        let mesh = MeshShape::new([("x", 2), ("y", 3)]).unwrap();
        let shape = Shape::new(DType::F32, [6, 6]).unwrap();
        let told = |partition: PartitionSpec| {
            let sharding = partition.resolve(&shape, &mesh).unwrap();
            (shardy(&sharding, &mesh), gspmd(&sharding, &mesh))
        };
        let expected = |shardy: &str, gspmd: &str| (shardy.to_owned(), gspmd.to_owned());
        assert_eq!(
            told(PartitionSpec::replicated()),
            expected("<@mesh, [{}, {}]>", "{replicated}")
        );
        assert_eq!(
            told(PartitionSpec::shard(0, "x").and(1, "y")),
            expected(r#"<@mesh, [{"x"}, {"y"}]>"#, "{devices=[2,3]0,1,2,3,4,5}")
        );
        assert_eq!(
            told(PartitionSpec::shard(1, ["y", "x"])),
            expected(r#"<@mesh, [{}, {"y", "x"}]>"#, "{devices=[1,6]0,3,1,4,2,5}")
        );
        assert_eq!(
            told(PartitionSpec::shard(0, "y").open(1)),
            expected(
                r#"<@mesh, [{"y"}, {?}]>"#,
                "{devices=[3,1,2]0,3,1,4,2,5 last_tile_dim_replicate}"
            )
        );
        assert_eq!(shardy_mesh(&mesh), r#"#sdy.mesh<["x"=2, "y"=3]>"#);
    }
}
