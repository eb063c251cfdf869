//! Patterns of paths.

/// Whether the path of a leaf or the name of a tensor matches a pattern, in which each `*` matches
/// any text, including dots.
///
/// ```
/// use hloom_graph::path_matches;
///
/// assert!(path_matches("*.q_proj.weight", "layers.0.q_proj.weight"));
/// assert!(!path_matches("q_proj", "layers.0.q_proj.weight"));
/// ```
pub fn path_matches(pattern: &str, path: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == path;
    };
    let Some(mut text) = path.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('*').map_or(("", rest), |(middle, last)| (middle, last));
    // The first match of each part leaves the most text for the parts after it.
    for part in middle.split('*') {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("a.b", "a.b", true),
            ("a.b", "a.bc", false),
            ("*", "", true),
            ("*.weight", "layers.0.q_proj.weight", true),
            ("*.q_proj.weight", "layers.0.k_proj.weight", false),
            ("layers.*.weight", "layers.weight", false),
            ("layers.*.mlp.*", "layers.10.mlp.up.weight", true),
            ("*b*b", "ab", false),
            ("*b*b", "abab", true),
            ("**", "x", true),
        ] {
            assert_eq!(path_matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
