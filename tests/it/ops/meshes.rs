//! Cases over meshes of virtual devices.

use crate::reference::Case;
use hloom::prelude::*;
use hloom_op_suite::{Row, Split, Trial};

/// The numbers of devices of the meshes.
const MESHES: [usize; 5] = [1, 2, 3, 4, 6];

/// The meshes of 1, 2, 3, 4 and 6 devices with the trials over each: every case over one of them,
/// with one sharding.
///
/// With `HLOOM_TEST_MESHES=all`, every case over every mesh, with every sharding.
pub fn meshes<'a>(
    platform: &Platform,
    pairs: &[(&'a Row, &'a Case)],
) -> Vec<(Mesh, Vec<Trial<'a>>)> {
    let all = std::env::var("HLOOM_TEST_MESHES").is_ok_and(|which| which == "all");
    let over = |(place, devices): (usize, usize)| {
        let mut trials = Vec::new();
        for (i, &(row, case)) in pairs.iter().enumerate() {
            if devices > 1 && has_two_bits(case) {
                continue;
            }
            let splits = Split::of(case, devices);
            let turn = (i / MESHES.len()) % splits.len();
            let tried = splits.into_iter().enumerate();
            let tried = tried.filter(|&(way, _)| all || (i % MESHES.len() == place && way == turn));
            trials.extend(tried.map(|(_, split)| Trial { split, ..Trial::new(row, case) }));
        }
        let mesh = Mesh::new(platform, [(Split::AXIS, devices)]).expect("there are six devices");
        (mesh, trials)
    };
    MESHES.into_iter().enumerate().map(over).collect()
}

/// Whether a case has two-bit elements, which are refused over several devices.
fn has_two_bits(case: &Case) -> bool {
    let mut values = case.inputs.iter().chain(&case.outputs);
    values.any(|values| values.shape.dtype().bits() == 2)
}
