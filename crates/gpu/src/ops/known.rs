//! Cases that are known not to compile for a platform.

/// Beginnings of `family/row/case` that do not compile for a platform, with the reason.
const KNOWN: &[(&str, &str, &str)] = &[];

/// The reason why a case is known not to compile for a target such as `cuda:h200`.
pub fn reason(target: &str, id: &str) -> Option<&'static str> {
    let of_case = |(platform, start, _): &&(&str, &str, &str)| {
        target.split(':').next() == Some(*platform) && id.starts_with(start)
    };
    KNOWN.iter().find(of_case).map(|(_, _, reason)| *reason)
}
