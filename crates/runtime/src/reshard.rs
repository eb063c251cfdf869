//! Moving buffers to other devices or shardings.

use crate::{Buffer, Error, Mesh, NamedSharding, Placement, Result, buffer::ShardBuffers};
use hloom_graph::{ResolvedSharding, Shape, Spec, TraceScope};
use hloom_pjrt::{ExecuteOptions, LoadedExecutable};
use std::sync::{Arc, PoisonError};

impl Buffer {
    /// Moves the tensor to a platform's first device, to every device of a mesh, or to another
    /// sharding.
    ///
    /// Shards that are already in place are shared, those that another device holds are copied from
    /// device to device, and between shardings over the same devices a compiled program exchanges
    /// the shards. Everything else goes through the host.
    ///
    /// # Errors
    /// The sharding does not match the tensor, the program that computes it failed, or its memory
    /// was donated.
    pub fn to<'a>(&self, place: impl Into<Placement<'a>>) -> Result<Buffer> {
        let place = place.into();
        let shape = self.shape();
        let target = match place {
            Placement::Platform(platform) => return self.to_first_device(platform),
            Placement::Mesh(mesh) => mesh.replicated(shape.rank()),
            Placement::NamedSharding(sharding) => sharding.clone(),
        };
        target.check(&shape)?;
        if self.lies_as(Some(&target)) {
            return Ok(self.shared());
        }
        if let Some(parts) = self.parts_for(&target)? {
            return Ok(Buffer::sharded(shape, parts));
        }
        match self.sharding() {
            Some(own) if own.mesh().has_same_devices(target.mesh()) => self.exchange(own, &target),
            _ => Buffer::from_bytes(&target, shape, &self.to_bytes()?),
        }
    }

    fn to_first_device(&self, platform: &crate::Platform) -> Result<Buffer> {
        let shape = self.shape();
        let same = self.as_pjrt().client().as_ptr() == platform.client().as_ptr();
        match self.sharding() {
            None if same => Ok(self.shared()),
            Some(own) if same && own.is_replicated() => {
                let first = platform.devices().into_iter().next();
                let copied = first.map(|device| self.as_pjrt().copy_to_device(&device));
                match copied {
                    Some(Ok(memory)) => Ok(Buffer::from_program(shape, memory, None)),
                    _ => Buffer::from_bytes(platform, shape, &self.to_bytes()?),
                }
            }
            _ => Buffer::from_bytes(platform, shape, &self.to_bytes()?),
        }
    }

    /// The shards for `target`, if some device already holds each of them.
    fn parts_for(&self, target: &NamedSharding) -> Result<Option<ShardBuffers>> {
        let (shape, mesh) = (self.shape(), target.mesh().shape());
        let single;
        let own = match self.sharding() {
            Some(own) => own,
            None => {
                // The first device of its platform, as a mesh.
                let platform = crate::Platform::from_client(self.as_pjrt().client());
                single = Mesh::new(&platform, [("device", 1)])?.replicated(shape.rank());
                &single
            }
        };
        if own.mesh().platform().client().as_ptr() != target.mesh().platform().client().as_ptr() {
            return Ok(None);
        }
        let own_mesh = own.mesh().shape();
        let local = target.resolved().local(&shape, &mesh);
        if own.resolved().local(&shape, &own_mesh) != local {
            return Ok(None);
        }
        let mut parts = Vec::with_capacity(mesh.device_count());
        for (position, device) in target.mesh().devices().iter().enumerate() {
            let wanted = target.resolved().slice(position, &shape, &mesh);
            let has = |&source: &usize| own.resolved().slice(source, &shape, &own_mesh) == wanted;
            let on_it = |&source: &usize| own.mesh().devices()[source] == *device;
            let mut sources = (0..own_mesh.device_count()).filter(has);
            let Some(first) = sources.next() else {
                return Ok(None);
            };
            let source = std::iter::once(first).chain(sources).find(on_it);
            let part = match source {
                Some(here) => Arc::clone(&self.shards()[here]),
                None => match self.shards()[first].copy_to_device(device) {
                    Ok(copy) => Arc::new(copy),
                    // A plugin that does not copy between devices: copy through the host.
                    Err(_) => return Ok(None),
                },
            };
            parts.push(part);
        }
        Ok(Some(ShardBuffers::of(target.clone(), parts)))
    }

    /// Exchanges shards by a compiled program, which is cached with the mesh.
    fn exchange(&self, own: &NamedSharding, target: &NamedSharding) -> Result<Buffer> {
        let shape = self.shape();
        // The devices are in the order of the tensor's own mesh; the target mesh may order them
        // otherwise.
        let Some(wanted) = in_order_of(own.mesh(), target, &shape) else {
            return Buffer::from_bytes(target, shape, &self.to_bytes()?);
        };
        let key = (shape.unnamed(), *own.resolved(), wanted);
        let moves = || own.mesh().moves().lock().unwrap_or_else(PoisonError::into_inner);
        let found = moves().get(&key).cloned();
        let program = match found {
            Some(program) => program,
            None => {
                let program = compile_move(own.mesh(), &key.0, key.1, wanted)?;
                moves().insert(key, program.clone());
                program
            }
        };
        let mut parts = Vec::with_capacity(self.shards().len());
        let arguments = self.shards().iter().map(|part| &**part);
        let moved = program.execute_into(arguments, &ExecuteOptions::new(), &mut parts);
        moved.map_err(Error::plugin(format!("moving {shape}")))?;
        let moved =
            ShardBuffers::new(NamedSharding::of(own.mesh().clone(), wanted), parts.into_iter());
        let moved = Buffer::sharded(shape, moved);
        if moved.lies_as(Some(target)) {
            return Ok(moved);
        }
        match moved.parts_for(target)? {
            Some(parts) => Ok(Buffer::sharded(shape, parts)),
            None => Buffer::from_bytes(target, shape, &moved.to_bytes()?),
        }
    }
}

/// The sharding over `mesh` under which each device holds the same elements as under `target`, if
/// there is one.
fn in_order_of(mesh: &Mesh, target: &NamedSharding, shape: &Shape) -> Option<ResolvedSharding> {
    if target.mesh() == mesh {
        return Some(*target.resolved());
    }
    let theirs = target.mesh();
    let parts: Option<Vec<Vec<usize>>> = mesh
        .devices()
        .iter()
        .map(|device| {
            let position = theirs.devices().iter().position(|other| other == device)?;
            Some(target.resolved().part(position, &theirs.shape()).to_vec())
        })
        .collect();
    let counts: Vec<usize> = (0..shape.rank()).map(|axis| target.resolved().parts(axis)).collect();
    ResolvedSharding::from_parts(&mesh.shape(), &counts, &parts?)
}

fn compile_move(
    mesh: &Mesh,
    shape: &Shape,
    from: ResolvedSharding,
    to: ResolvedSharding,
) -> Result<LoadedExecutable> {
    let trace = TraceScope::begin_over("move", mesh.shape());
    let x = trace.parameter_split("moved", &Spec::of(*shape), from);
    let graph = trace.finish(vec![("moved".into(), x.constrain_to(to))])?;
    Ok(mesh.compiler().compile_graph(&graph)?.as_pjrt().clone())
}
