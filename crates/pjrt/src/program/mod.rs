//! Programs for the compiler.

mod compile;
pub(crate) mod compile_options;
mod costs;
mod device_assignment;
pub(crate) mod executable;
pub(crate) mod interface;
pub(crate) mod kernels;
pub(crate) mod loaded_executable;
pub(crate) mod memory_stats;
pub(crate) mod proto;
pub(crate) mod signature;
pub(crate) mod tiling;

use crate::sys::{self, Versioned};
use std::borrow::Cow;

/// A program in one of the forms that plugins accept.
///
/// ```
/// use hloom_pjrt::Program;
/// let program = Program::mlir("func.func @main() { return }");
/// assert_eq!(program.format(), "mlir");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<'a> {
    format: Cow<'a, str>,
    code: Cow<'a, [u8]>,
}

impl<'a> Program<'a> {
    /// StableHLO as MLIR text, as MLIR bytecode, or as a portable artifact (VHLO).
    ///
    /// Only portable artifacts are promised to be compatible between versions of StableHLO.
    pub fn mlir(code: impl Into<ProgramCode<'a>>) -> Self {
        Self::with_format("mlir", code)
    }

    /// A serialized `HloModuleProto`.
    pub fn hlo(code: impl Into<ProgramCode<'a>>) -> Self {
        Self::with_format("hlo", code)
    }

    /// A serialized `HloModuleProtoWithConfig`, as some plugins return for the optimized program.
    pub fn hlo_with_config(code: impl Into<ProgramCode<'a>>) -> Self {
        Self::with_format("hlo_with_config", code)
    }

    /// A program in a format that the plugin knows by this name.
    pub fn with_format(format: impl Into<Cow<'a, str>>, code: impl Into<ProgramCode<'a>>) -> Self {
        Self { format: format.into(), code: code.into().0 }
    }

    /// The name of the format.
    pub fn format(&self) -> &str {
        &self.format
    }

    /// The bytes of the program.
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// The form of the C API, which borrows from this.
    pub(crate) fn to_raw(&self) -> sys::PJRT_Program {
        sys::PJRT_Program {
            struct_size: sys::PJRT_Program::size_at(sys::API_MINOR),
            extension_start: std::ptr::null_mut(),
            // Plugins only read it: the pointer is mutable for calls that return a program.
            code: self.code.as_ptr().cast_mut().cast(),
            code_size: self.code.len(),
            format: self.format.as_ptr().cast(),
            format_size: self.format.len(),
        }
    }

    /// Takes the bytes.
    pub fn into_code(self) -> Vec<u8> {
        self.code.into_owned()
    }
}

/// The bytes of a program, borrowed or owned, from text or bytes.
#[derive(Clone, Debug)]
pub struct ProgramCode<'a>(Cow<'a, [u8]>);

macro_rules! from {
    ($($ty:ty: $value:ident => $code:expr),* $(,)?) => {$(
        impl<'a> From<$ty> for ProgramCode<'a> {
            fn from($value: $ty) -> Self {
                Self($code)
            }
        }
    )*};
}

from! {
    &'a str: value => Cow::Borrowed(value.as_bytes()),
    &'a String: value => Cow::Borrowed(value.as_bytes()),
    &'a [u8]: value => Cow::Borrowed(value),
    &'a Vec<u8>: value => Cow::Borrowed(value.as_slice()),
    String: value => Cow::Owned(value.into_bytes()),
    Vec<u8>: value => Cow::Owned(value),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comes_from_text_and_bytes() {
        let text = String::from("abc");
        let bytes = vec![97u8, 98, 99];
        let all = [
            Program::mlir("abc"),
            Program::mlir(&text),
            Program::mlir(text.clone()),
            Program::mlir(&bytes),
            Program::mlir(bytes.clone()),
            Program::mlir(&bytes[..]),
        ];
        assert!(all.iter().all(|p| p.code() == b"abc" && p.format() == "mlir"));
        assert_eq!(Program::hlo(vec![1]).format(), "hlo");
        assert_eq!(Program::with_format("x", vec![1]).into_code(), [1]);
    }
}
