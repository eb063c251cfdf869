//! The axes of a mesh.

use crate::{Name, PerAxis, ShardingError};
use std::fmt;

/// The axes of a device mesh: a name and a size each, printed as `[data=2, model=4]`. The runtime
/// chooses the devices. Devices are numbered in row-major order: the last axis varies fastest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MeshShape {
    names: PerAxis<Option<Name>>,
    sizes: PerAxis<usize>,
}

/// Argument that lists mesh axes: one name, or an array or slice of them, the slowest first.
pub trait IntoMeshAxes: private::Sealed {
    /// The names, in order.
    fn into_mesh_axes(self) -> Vec<Name>;
}

impl MeshShape {
    /// A mesh of these axes.
    ///
    /// # Errors
    /// No axis or more than eight, a name that is used twice or has characters other than letters,
    /// digits, `_`, `-` and `.`, a size of 0, or more devices than can be counted.
    pub fn new<N: Into<Name>>(
        axes: impl IntoIterator<Item = (N, usize)>,
    ) -> Result<MeshShape, ShardingError> {
        let mut mesh = MeshShape { names: PerAxis::new(), sizes: PerAxis::new() };
        for (name, size) in axes {
            let name = name.into();
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            if name.as_str().is_empty() || !name.as_str().chars().all(plain) {
                return Err(ShardingError::MeshAxisName(name));
            }
            if mesh.position(name).is_some() {
                return Err(ShardingError::DuplicateMeshAxis(name));
            }
            if size == 0 {
                return Err(ShardingError::EmptyMeshAxis(name));
            }
            if mesh.names.push(Some(name)).is_none() || mesh.sizes.push(size).is_none() {
                return Err(ShardingError::MeshRank);
            }
        }
        let devices =
            mesh.sizes.iter().try_fold(1u32, |n, &size| n.checked_mul(u32::try_from(size).ok()?));
        match devices {
            _ if mesh.sizes.is_empty() => Err(ShardingError::MeshRank),
            Some(count) if i32::try_from(count).is_ok() => Ok(mesh),
            _ => Err(ShardingError::TooManyDevices(mesh.sizes.to_vec())),
        }
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// The names and sizes of the axes, in order.
    pub fn axes(&self) -> impl ExactSizeIterator<Item = (Name, usize)> + '_ {
        let named = |(name, &size): (&Option<Name>, &usize)| {
            (name.expect("every mesh axis has a name"), size)
        };
        self.names.iter().zip(self.sizes.iter()).map(named)
    }

    /// The sizes of the axes, in order.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The name of the axis at an index.
    ///
    /// # Panics
    /// There is no such axis.
    pub fn name(&self, position: usize) -> Name {
        self.names[position].expect("every mesh axis has a name")
    }

    /// The size of an axis, or `None` when there is no such axis.
    pub fn size(&self, axis: impl Into<Name>) -> Option<usize> {
        self.position(axis).map(|position| self.sizes[position])
    }

    /// The index of an axis, or `None` when there is no such axis.
    pub fn position(&self, axis: impl Into<Name>) -> Option<usize> {
        let axis = axis.into();
        self.names.iter().position(|&name| name == Some(axis))
    }

    /// The number of devices.
    pub fn device_count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The coordinates of a device.
    pub fn coordinates(&self, device: usize) -> PerAxis<usize> {
        let mut rest = device;
        let mut coordinates = self.sizes;
        for place in coordinates.as_mut_slice().iter_mut().rev() {
            (*place, rest) = (rest % *place, rest / *place);
        }
        coordinates
    }

    /// The indices of axes.
    ///
    /// # Errors
    /// An axis that does not exist or is used twice.
    pub(crate) fn positions(&self, axes: &[Name]) -> Result<PerAxis<usize>, ShardingError> {
        let mut positions = PerAxis::new();
        for &axis in axes {
            let position = self.position(axis);
            let position =
                position.ok_or(ShardingError::NoSuchMeshAxis { axis, mesh: Box::new(*self) })?;
            if positions.contains(&position) || positions.push(position).is_none() {
                return Err(ShardingError::RepeatedMeshAxis(axis));
            }
        }
        Ok(positions)
    }

    /// The devices in groups that differ only along `axes`, each group ordered by those axes, the
    /// first slowest.
    ///
    /// # Panics
    /// There is no axis at one of the positions.
    pub fn groups(&self, axes: &[usize]) -> Vec<Vec<usize>> {
        let size: usize = axes.iter().map(|&axis| self.sizes[axis]).product();
        let count = self.device_count() / size;
        let mut groups = vec![vec![0; size]; count];
        for device in 0..self.device_count() {
            let coordinates = self.coordinates(device);
            let count_along = |axes: &mut dyn Iterator<Item = usize>| {
                axes.fold(0, |n, axis| n * self.sizes[axis] + coordinates[axis])
            };
            let group = count_along(&mut (0..self.rank()).filter(|axis| !axes.contains(axis)));
            groups[group][count_along(&mut axes.iter().copied())] = device;
        }
        groups
    }
}

impl fmt::Display for MeshShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, (name, size)) in self.axes().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{name}={size}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for MeshShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

mod private {
    pub trait Sealed {}
}

impl private::Sealed for &str {}
impl IntoMeshAxes for &str {
    fn into_mesh_axes(self) -> Vec<Name> {
        vec![self.into()]
    }
}

impl private::Sealed for Name {}
impl IntoMeshAxes for Name {
    fn into_mesh_axes(self) -> Vec<Name> {
        vec![self]
    }
}

impl<N: Into<Name> + Copy> private::Sealed for &[N] {}
impl<N: Into<Name> + Copy> IntoMeshAxes for &[N] {
    fn into_mesh_axes(self) -> Vec<Name> {
        self.iter().map(|&name| name.into()).collect()
    }
}

impl<N: Into<Name> + Copy, const LEN: usize> private::Sealed for [N; LEN] {}
impl<N: Into<Name> + Copy, const LEN: usize> IntoMeshAxes for [N; LEN] {
    fn into_mesh_axes(self) -> Vec<Name> {
        self.as_slice().into_mesh_axes()
    }
}

impl<N: Into<Name> + Copy> private::Sealed for &Vec<N> {}
impl<N: Into<Name> + Copy> IntoMeshAxes for &Vec<N> {
    fn into_mesh_axes(self) -> Vec<Name> {
        self.as_slice().into_mesh_axes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_counted_with_the_last_axis_fastest() {
        let mesh = MeshShape::new([("data", 2), ("model", 3)]).unwrap();
        assert_eq!(mesh.to_string(), "[data=2, model=3]");
        assert_eq!(mesh.device_count(), 6);
        assert_eq!(*mesh.coordinates(5), [1, 2]);
        assert_eq!(mesh.groups(&[1]), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(mesh.groups(&[0]), [[0, 3], [1, 4], [2, 5]]);
        assert_eq!(mesh.groups(&[1, 0]), [[0, 3, 1, 4, 2, 5]]);
    }

    #[test]
    fn what_is_no_mesh_says_why() {
        let error =
            |axes: &[(&str, usize)]| MeshShape::new(axes.iter().copied()).unwrap_err().to_string();
        assert_eq!(error(&[]), "a mesh has one to 8 axes");
        assert_eq!(error(&[("x", 2); 2]), "duplicate mesh axis `x`");
        assert_eq!(error(&[("x", 0)]), "mesh axis `x` has size 0");
        assert!(error(&[("a b", 1)]).starts_with("`a b` is not a valid name of a mesh axis"));
        assert!(
            error(&[("x", 1 << 20), ("y", 1 << 20)])
                .starts_with("a mesh of sizes [1048576, 1048576]")
        );
        let nine = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(|name| (name, 1));
        assert_eq!(error(&nine), "a mesh has one to 8 axes");
    }
}
