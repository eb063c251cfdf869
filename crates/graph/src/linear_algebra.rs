//! The custom calls of linear algebra.

/// The targets of linear algebra, with the function of each.
const TARGETS: [(&str, &str); 7] = [
    ("hloom.lu.v1", "lu"),
    ("hloom.qr.v1", "qr"),
    ("hloom.eigh.v1", "eigh"),
    ("hloom.eig.v1", "eig"),
    ("hloom.svd.v1", "svd"),
    ("hloom.solve.v1", "solve"),
    ("hloom.inv.v1", "inv"),
];

/// The function of linear algebra that calls this target of custom calls, if there is one.
pub fn linear_algebra_name(target: &str) -> Option<&'static str> {
    TARGETS.iter().find(|(own, _)| *own == target).map(|&(_, name)| name)
}
