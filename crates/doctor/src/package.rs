//! The package of a file, from the records that packages install next to their files.

use std::{fs, path::Path};

use serde::Serialize;

/// A package and its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The package whose record lists `file`, if any folder above it has one.
pub fn of(file: &Path) -> Option<Package> {
    // `site-packages/<group>/<package>/<file>` is the deepest path of a plugin.
    file.ancestors().skip(1).take(4).find_map(|site| {
        let inside = file.strip_prefix(site).ok()?.to_str()?;
        fs::read_dir(site).ok()?.flatten().find_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (name, version) = name.strip_suffix(".dist-info")?.rsplit_once('-')?;
            let record = fs::read_to_string(entry.path().join("RECORD")).ok()?;
            let listed = |line: &str| {
                let path = line.strip_prefix('"').unwrap_or(line);
                path.strip_prefix(inside).is_some_and(|rest| rest.starts_with([',', '"']))
            };
            record
                .lines()
                .any(listed)
                .then(|| Package { name: name.replace('_', "-"), version: version.to_owned() })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_the_one_whose_record_lists_the_file() {
        let site = tempfile::TempDir::new().unwrap();
        let write = |path: &str, content: &str| {
            let path = site.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        write("a-2.0.dist-info/RECORD", "plugins/x/x.so.old,sha256=,1\nother,,\n");
        write("my_plugin-1.0rc1.dist-info/RECORD", "plugins/x/x.so,sha256=abc,12\n");
        let found = of(&site.path().join("plugins/x/x.so")).unwrap();
        assert_eq!((found.name.as_str(), found.version.as_str()), ("my-plugin", "1.0rc1"));
        assert_eq!(of(&site.path().join("plugins/x/y.so")), None);
        assert_eq!(of(Path::new("x.so")), None);
    }
}
