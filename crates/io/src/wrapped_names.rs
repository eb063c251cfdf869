//! Names of tensors that differ from those of a tree by prefixes or segments that programs add.

use std::collections::BTreeMap;

/// The segments of names that PyTorch's wrappers of modules add, anywhere in a name:
/// `torch.compile`, data parallel training, FSDP, its activation checkpoints, and DeepSpeed.
const WRAPPERS: [&str; 5] = [
    "_orig_mod",
    "module",
    "_fsdp_wrapped_module",
    "_checkpoint_wrapped_module",
    "_forward_module",
];

/// The maximum number of prefixes that are compared with all missing tensors.
const MAX_PREFIXES: usize = 16;

/// A name without the segments that wrappers add; `None` without such segments.
pub(crate) fn unwrapped(name: &str) -> Option<String> {
    let kept: Vec<&str> = name.split('.').filter(|part| !WRAPPERS.contains(part)).collect();
    (kept.len() < name.split('.').count() && !kept.is_empty()).then(|| kept.join("."))
}

/// A hint that all missing tensors of a tree have other names in the source, such as a common
/// prefix, if that is the only difference.
pub(crate) fn hint<'a>(names: impl Iterator<Item = &'a str>, missing: &[&str]) -> Option<String> {
    let names: Vec<&str> = names.collect();
    let first = *missing.first()?;
    let prefix = |name: &&str| {
        // The missing path may be one of several tensors.
        let at = name.find(&format!(".{first}"))?;
        let end = name[at + 1 + first.len()..].chars().next();
        end.is_none_or(|end| end == '.').then(|| name[..at].to_owned())
    };
    let mut prefixes: Vec<String> = names.iter().filter_map(prefix).collect();
    prefixes.dedup();
    let has = |wanted: &str, sorted: &[&str]| {
        let at = sorted.partition_point(|name| *name < wanted);
        let below =
            |name: &&str| name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'));
        sorted[at..].first().is_some_and(|name| *name == wanted)
            // Names such as `a-b` sort between `a` and `a.c`.
            || sorted[at..].iter().take_while(|name| name.starts_with(wanted)).any(below)
    };
    let is_prefix =
        |prefix: &&String| missing.iter().all(|path| has(&format!("{prefix}.{path}"), &names));
    if let Some(prefix) = prefixes.iter().take(MAX_PREFIXES).find(is_prefix) {
        let prefix = prefix.escape_debug();
        return Some(format!(
            "each of them is below `{prefix}`: load from that part, `.at(\"{prefix}\")`"
        ));
    }
    let inner: BTreeMap<String, &str> =
        names.iter().filter_map(|name| Some((unwrapped(name)?, *name))).collect();
    let sorted: Vec<&str> = inner.keys().map(String::as_str).collect();
    if !inner.is_empty() && missing.iter().all(|path| has(path, &sorted)) {
        let example = inner.values().next()?.escape_debug().to_string();
        return Some(format!(
            "their names are those of wrapped modules, such as `{example}`: \
             `Checkpoint::without_wrappers` removes the wrappers"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_segments_of_wrappers_are_removed() {
        for (name, expected) in [
            ("_orig_mod.layers.0.weight", Some("layers.0.weight")),
            ("module._orig_mod.a", Some("a")),
            ("model._fsdp_wrapped_module.layers.0.w", Some("model.layers.0.w")),
            ("modules.a", None),
            ("a.weight", None),
            ("module", None),
        ] {
            assert_eq!(unwrapped(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_hint_explains_all_tensors_or_none() {
        let wrapped = ["_orig_mod.a.w", "_orig_mod.b.0.w", "_orig_mod.b.1.w"];
        let found = hint(wrapped.into_iter(), &["a.w", "b.0"]).unwrap();
        assert!(found.contains("`.at(\"_orig_mod\")`"), "{found}");
        assert_eq!(hint(wrapped.into_iter(), &["a.w", "c.w"]), None);
        assert_eq!(hint(wrapped.into_iter(), &["a.w", "b.2"]), None);
        assert_eq!(hint(["x.a.w2"].into_iter(), &["a.w"]), None);
        let inside = ["m.module.a.w", "m.b._orig_mod.w"];
        let found = hint(inside.into_iter(), &["m.a.w", "m.b.w"]).unwrap();
        assert!(found.contains("without_wrappers"), "{found}");
        assert_eq!(hint(["a", "b"].into_iter(), &[]), None);
    }
}
