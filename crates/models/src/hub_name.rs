//! Names of models on a hub.
//!
//! Both parts of a name become paths in the cache and addresses on the hub, so only names that a
//! hub itself accepts are allowed: no name may leave a folder, enter another one, or change the
//! meaning of an address.

/// The longest name of a repository that hubs accept, in bytes.
const MAX_REPOSITORY: usize = 96;
/// The longest name of a file on the usual file systems, in bytes; no part of a revision may be
/// longer.
const MAX_PART: usize = 255;

/// A checked name: `owner/name` or `name`, and a revision, `main` unless there is an `@`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HubName<'a> {
    /// The repository, with its owner.
    pub repository: &'a str,
    /// A branch, tag or commit.
    pub revision: &'a str,
}

impl<'a> HubName<'a> {
    /// Splits `name` at its first `@` and checks both parts.
    ///
    /// # Errors
    /// The repository's name or the revision is invalid.
    pub fn parse(name: &'a str) -> Result<HubName<'a>, String> {
        let (repository, revision) = name.split_once('@').unwrap_or((name, "main"));
        if !is_repository(repository) {
            return Err(format!(
                "`{}` is not the name of a model: expected `name` or `owner/name` of letters, \
                 digits, `-`, `_` and `.`, without `--` or `..`, and neither beginning nor ending \
                 with `-` or `.`",
                repository.escape_debug()
            ));
        }
        if !revision.split('/').all(is_revision_part) {
            return Err(format!(
                "`{}` is not a revision: expected a branch, tag or commit of letters, digits, \
                 `-`, `_`, `.`, `+`, `=` and `/`, without parts that are empty, begin with `.` or \
                 `-`, or contain `..`",
                revision.escape_debug()
            ));
        }
        Ok(HubName { repository, revision })
    }
}

fn is_repository(text: &str) -> bool {
    let plain = |part: &str| {
        let inner = part.trim_matches(['-', '.']);
        !part.is_empty()
            && inner == part
            && !part.contains("--")
            && !part.contains("..")
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    text.len() <= MAX_REPOSITORY && text.split('/').count() <= 2 && text.split('/').all(plain)
}

fn is_revision_part(part: &str) -> bool {
    !part.is_empty()
        && part.len() <= MAX_PART
        && !part.starts_with(['.', '-'])
        && !part.contains("..")
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+=".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_repository_and_a_revision() {
        for (name, repository, revision) in [
            ("gpt2", "gpt2", "main"),
            ("house/Model-1.5_b", "house/Model-1.5_b", "main"),
            ("house/model@v1.0", "house/model", "v1.0"),
            ("house/model@refs/pr/7", "house/model", "refs/pr/7"),
        ] {
            assert_eq!(HubName::parse(name), Ok(HubName { repository, revision }), "{name}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let long = "x".repeat(97);
        for name in [
            "", "/", "a/", "/a", "a/b/c", "..", "../a", "a/..", ".a", "a.", "a/.b", "-a", "a--b",
            "a..b", "a\\b", "C:a", "a b", "a?b", "a%2e", "a\0b", "a\nb", "\u{e9}/a", "@main",
            &long,
        ] {
            let message = HubName::parse(name).unwrap_err();
            assert!(message.contains("is not the name of a model"), "{name:?}: {message}");
        }
        let long = "x".repeat(256);
        for revision in [
            "", "..", "../x", "/x", "x/", "x//y", "x/../y", ".x", "-x", "x..y", "x\\y", "C:x",
            "a b", "a?b", "a#b", "a%2e", "x@y", "x\0y", "x\ny", &long,
        ] {
            let message = HubName::parse(&format!("house/model@{revision}")).unwrap_err();
            assert!(message.contains("is not a revision"), "{revision:?}: {message}");
        }
    }

    /// The corpus of the fuzz target `hub_index`: a name on one line, followed by an index.
    #[test]
    fn the_fuzzing_corpus_is_read_or_refused() {
        let corpus =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/hub_index");
        let (mut read, mut refused) = (0, 0);
        for file in std::fs::read_dir(corpus).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let (name, index) = text.split_once('\n').unwrap_or((&text, ""));
            if HubName::parse(name).is_ok() && hloom_io::index::parse(index.as_bytes()).is_ok() {
                read += 1
            } else {
                refused += 1
            }
        }
        assert!(read >= 3 && refused >= 15, "{read} read, {refused} refused");
    }
}
