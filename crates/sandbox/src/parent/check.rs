//! Checks of the description that a child returns.

use super::description::{Description, Parameter};
use crate::{
    Error, Result, Work,
    message::{Array, Interface, Tiling},
};
use hloom_pjrt::Spec;

/// A description that was checked, and the sizes of its results in bytes.
pub struct Checked {
    pub description: Description,
    pub results: Vec<usize>,
}

/// Checks that all lists fit each other, and that sizes are possible and within the limit of
/// memory.
///
/// # Errors
/// The list or size that does not fit.
pub fn check(interface: Interface, devices: usize, memory: u64) -> Result<Checked> {
    let Interface {
        name,
        devices: found,
        parameters,
        donatable,
        results,
        custom_calls,
        tilings,
        memory: stats,
    } = interface;
    if found != devices {
        return Err(wrong(format!("a program on {found} devices, expected {devices}")));
    }
    if let Some(index) = donatable.iter().find(|&&index| index >= parameters.len()) {
        return Err(wrong(format!("parameter {index} of {} may be donated", parameters.len())));
    }
    let parameters = parameters.into_iter().map(|parameter| {
        let (spec, bytes) = sized(parameter.array)?;
        Ok(Parameter { name: parameter.name, spec, bytes })
    });
    let parameters = parameters.collect::<Result<Vec<_>>>()?;
    let results = results.into_iter().map(sized).collect::<Result<Vec<_>>>()?;
    let (results, sizes): (Vec<Spec>, Vec<usize>) = results.into_iter().unzip();
    let of_parameters = parameters.iter().map(|parameter| parameter.bytes);
    within("parameters", of_parameters, devices, memory)?;
    within("results", sizes.iter().copied(), devices, memory)?;
    let tilings = tilings.map(|both| {
        Ok(hloom_pjrt::Tilings {
            parameters: checked_tilings(both.parameters, devices)?,
            results: checked_tilings(both.results, devices)?,
        })
    });
    let tilings = tilings.transpose()?;
    let description = Description {
        name,
        devices,
        parameters,
        donatable,
        results,
        custom_calls,
        tilings,
        memory: stats.map(Into::into),
    };
    Ok(Checked { description, results: sizes })
}

fn sized(array: Array) -> Result<(Spec, usize)> {
    let spec = array.spec();
    let bytes = spec.host_bytes().map_err(|error| wrong(error.to_string()))?;
    Ok((spec, bytes))
}

fn within(
    what: &'static str,
    sizes: impl Iterator<Item = usize>,
    devices: usize,
    limit: u64,
) -> Result<()> {
    let total = sizes.fold(0u64, |sum, size| sum.saturating_add(size as u64));
    let found = total.saturating_mul(devices as u64);
    if found > limit { Err(Error::TooLarge { what, found, limit }) } else { Ok(()) }
}

fn checked_tilings(
    all: Vec<Option<Tiling>>,
    devices: usize,
) -> Result<Vec<Option<hloom_pjrt::Tiling>>> {
    let check = |tiling: Option<Tiling>| tiling.map(|one| checked_tiling(one, devices)).transpose();
    all.into_iter().map(check).collect()
}

fn checked_tiling(tiling: Tiling, devices: usize) -> Result<hloom_pjrt::Tiling> {
    let Tiling { counts, tiles } = tiling;
    let fits = |tile: &Vec<usize>| {
        tile.len() == counts.len() && tile.iter().zip(&counts).all(|(index, count)| index < count)
    };
    if tiles.len() != devices || !tiles.iter().all(fits) {
        return Err(wrong(format!("tiles {tiles:?} of {counts:?} on {devices} devices")));
    }
    Ok(hloom_pjrt::Tiling { counts, tiles })
}

fn wrong(message: String) -> Error {
    Error::Protocol { work: Work::Compile, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{self, Tilings};
    use hloom_pjrt::DType;

    fn array(dims: &[i64]) -> Array {
        Array { dtype: DType::F32.to_raw(), dims: dims.to_vec() }
    }

    fn interface() -> Interface {
        let tiling = || Some(Tiling { counts: vec![2], tiles: vec![vec![0], vec![1]] });
        Interface {
            name: "main".into(),
            devices: 2,
            parameters: vec![message::Parameter { name: None, array: array(&[4]) }],
            donatable: vec![0],
            results: vec![array(&[8])],
            custom_calls: Vec::new(),
            tilings: Some(Tilings { parameters: vec![tiling()], results: vec![None] }),
            memory: None,
        }
    }

    #[test]
    fn sizes_are_those_of_the_specs() {
        let checked = check(interface(), 2, 64).unwrap();
        assert_eq!(checked.description.parameters[0].bytes, 16);
        assert_eq!(checked.results, [32]);
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let changes: [fn(&mut Interface); 9] = [
            |interface| interface.devices = 1,
            |interface| interface.donatable = vec![1],
            |interface| interface.results[0].dims = vec![-1],
            |interface| interface.results[0].dims = vec![i64::MAX, 4],
            |interface| interface.results[0].dtype = DType::Token.to_raw(),
            |interface| interface.parameters[0].array.dtype = 9999,
            |interface| first_tiling(interface).tiles[0] = vec![2],
            |interface| first_tiling(interface).tiles[0] = Vec::new(),
            |interface| first_tiling(interface).tiles.truncate(1),
        ];
        for (index, change) in changes.iter().enumerate() {
            let mut wrong = interface();
            change(&mut wrong);
            let error = check(wrong, 2, 64).map(|_| index).unwrap_err();
            assert!(matches!(error, Error::Protocol { .. }), "{index}: {error}");
        }
    }

    fn first_tiling(interface: &mut Interface) -> &mut Tiling {
        interface.tilings.as_mut().unwrap().parameters[0].as_mut().unwrap()
    }

    #[test]
    fn arrays_beyond_the_limit_of_memory_are_refused() {
        let refused = |memory| check(interface(), 2, memory).map(drop).unwrap_err().to_string();
        assert!(refused(63).starts_with("the results of the program have 64 bytes"));
        assert!(refused(31).starts_with("the parameters of the program have 32 bytes"));
    }
}
