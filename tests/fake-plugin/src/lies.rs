//! The violations of a copy of the plugin, encoded in its file name.

use std::path::Path;

/// How a plugin registers handlers of custom calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FfiForm {
    /// The GPU extension, older than the FFI extension's slot.
    Gpu,
    /// The FFI extension without a slot for handlers.
    WithoutHandlers,
    /// The FFI extension with the longer struct.
    V2,
    /// The FFI extension with the shorter struct.
    V3,
}

/// The violations; the default is a correct plugin of the newest known version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lies {
    /// `GetPjrtApi` returns null.
    pub no_table: bool,
    /// The major version.
    pub major: Option<i32>,
    /// The minor version.
    pub minor: Option<i32>,
    /// The `struct_size` of the function table.
    pub table_size: Option<usize>,
    /// The `struct_size` of the version in it.
    pub version_size: Option<usize>,
    /// A function that is a null pointer.
    pub null: Option<String>,
    /// A function that fails, and its error code.
    pub fail: Option<(String, i32)>,
    /// A function that ends the process.
    pub abort: Option<String>,
    /// A function that never returns.
    pub hang: Option<String>,
    /// The client's handle is null although its creation succeeded.
    pub no_client: bool,
    /// Errors have no message, and querying their code fails.
    pub mute: bool,
    /// The list of extensions is cyclic.
    pub circle: bool,
    /// The size of the only extension does not cover its own header.
    pub stunted: bool,
    /// How handlers are registered; a plugin without this registers none.
    pub ffi: Option<FfiForm>,
}

impl Lies {
    /// The file name of a copy with these violations.
    pub fn file_name(&self) -> String {
        let mut parts = vec!["fake".to_owned()];
        let mut flag = |set: bool, name: &str| parts.extend(set.then(|| name.to_owned()));
        flag(self.no_table, "no_table");
        flag(self.no_client, "no_client");
        flag(self.mute, "mute");
        flag(self.circle, "circle");
        flag(self.stunted, "stunted");
        let mut value = |name: &str, value: Option<String>| {
            parts.extend(value.map(|value| format!("{name}={value}")))
        };
        value("major", self.major.map(|value| value.to_string()));
        value("minor", self.minor.map(|value| value.to_string()));
        value("table_size", self.table_size.map(|value| value.to_string()));
        value("version_size", self.version_size.map(|value| value.to_string()));
        value("ffi", self.ffi.map(|form| format!("{form:?}")));
        value("null", self.null.clone());
        value("abort", self.abort.clone());
        value("hang", self.hang.clone());
        value("fail", self.fail.as_ref().map(|(function, code)| format!("{function}@{code}")));
        parts.join(",") + ".so"
    }

    /// The violations in a file's name; parts that do not parse are ignored.
    pub fn of_file(path: &Path) -> Self {
        let mut lies = Self::default();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for part in name.split(',') {
            match part.split_once('=').unwrap_or((part, "")) {
                ("no_table", _) => lies.no_table = true,
                ("no_client", _) => lies.no_client = true,
                ("mute", _) => lies.mute = true,
                ("circle", _) => lies.circle = true,
                ("stunted", _) => lies.stunted = true,
                ("major", value) => lies.major = value.parse().ok(),
                ("minor", value) => lies.minor = value.parse().ok(),
                ("table_size", value) => lies.table_size = value.parse().ok(),
                ("version_size", value) => lies.version_size = value.parse().ok(),
                ("ffi", value) => {
                    let forms = [FfiForm::Gpu, FfiForm::WithoutHandlers, FfiForm::V2, FfiForm::V3];
                    lies.ffi = forms.into_iter().find(|form| format!("{form:?}") == value);
                }
                ("null", value) => lies.null = Some(value.to_owned()),
                ("abort", value) => lies.abort = Some(value.to_owned()),
                ("hang", value) => lies.hang = Some(value.to_owned()),
                ("fail", value) => {
                    lies.fail = value.split_once('@').and_then(|(function, code)| {
                        Some((function.to_owned(), code.parse().ok()?))
                    });
                }
                _ => {}
            }
        }
        lies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_every_lie() {
        let lies = Lies {
            no_table: true,
            major: Some(-1),
            minor: Some(56),
            table_size: Some(usize::MAX),
            version_size: Some(0),
            null: Some("PJRT_Client_Create".to_owned()),
            fail: Some(("PJRT_Client_Devices".to_owned(), 8)),
            abort: Some("PJRT_Client_Compile".to_owned()),
            hang: Some("PJRT_Event_Await".to_owned()),
            no_client: true,
            mute: true,
            circle: true,
            stunted: true,
            ffi: Some(FfiForm::WithoutHandlers),
        };
        assert_eq!(Lies::of_file(Path::new(&lies.file_name())), lies);
        assert_eq!(Lies::of_file(Path::new("/tmp/libfake_plugin.so")), Lies::default());
    }
}
