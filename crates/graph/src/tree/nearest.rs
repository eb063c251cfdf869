//! Names that are close to a wrong one.

/// The minimum similarity of a suggested name: the fraction of equal letters.
const SIMILAR: f64 = 0.6;

/// The name that is most similar to a wrong one by edit distance, if any is similar.
///
/// ```
/// use hloom_graph::nearest_name;
///
/// assert_eq!(nearest_name("wieght", ["bias", "weight"]), Some("weight"));
/// assert_eq!(nearest_name("scale", ["bias", "weight"]), None);
/// ```
pub fn nearest_name<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let similarity = |name| strsim::normalized_damerau_levenshtein(wrong, name);
    let similar = names.into_iter().map(|name| (similarity(name), name));
    let best = similar.filter(|(similarity, _)| *similarity >= SIMILAR);
    best.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}
