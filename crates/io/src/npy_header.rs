//! The header of a `.npy` file: element type, order and shape.
//!
//! It is a Python dictionary of three known keys, with a text, a boolean and a tuple of integers.
//! Only this form is read, in one pass: a general Python expression may be nested without limit.

use hloom_files::binary_kind;
use hloom_graph::{DType, Shape};
use std::io::Read;

/// The element types and their names in NumPy.
pub(crate) const TYPES: [(DType, &str); 14] = [
    (DType::Bool, "b1"),
    (DType::I8, "i1"),
    (DType::I16, "i2"),
    (DType::I32, "i4"),
    (DType::I64, "i8"),
    (DType::U8, "u1"),
    (DType::U16, "u2"),
    (DType::U32, "u4"),
    (DType::U64, "u8"),
    (DType::F16, "f2"),
    (DType::F32, "f4"),
    (DType::F64, "f8"),
    (DType::C64, "c8"),
    (DType::C128, "c16"),
];

/// The size limit of a header in bytes; those of NumPy take 128.
const MAX_TEXT: usize = 1 << 16;

/// The length limit of text from a file in a message.
const MAX_SHOWN: usize = 100;

/// The description of an array in its file.
pub(crate) struct NpyHeader {
    pub shape: Shape,
    pub is_column_major: bool,
    /// Whether the bytes of each element are in the other order than the host's.
    pub is_swapped: bool,
    /// The number of bytes before the elements.
    pub size: u64,
}

impl NpyHeader {
    /// Reads a file up to its elements.
    ///
    /// # Errors
    /// The file cannot be read, is not of the format, or has another element type or a shape that
    /// does not fit into memory.
    pub fn read(file: &mut impl Read) -> Result<NpyHeader, String> {
        let (text, size) = text(file)?;
        let mut parser = Parser { rest: text.trim_end() };
        let (mut descr, mut is_column_major, mut sizes) = (None, None, None);
        parser.expect('{')?;
        while !parser.accept('}') {
            let key = parser.string()?;
            parser.expect(':')?;
            let is_new = match key {
                "descr" => descr.replace(parser.element_type()?).is_none(),
                "fortran_order" => is_column_major.replace(parser.boolean()?).is_none(),
                "shape" => sizes.replace(parser.sizes()?).is_none(),
                _ => return Err(format!("the header has an unknown key `{}`", shown(key))),
            };
            if !is_new {
                return Err(format!("the header has the key `{key}` twice"));
            }
            if !parser.accept(',') {
                parser.expect('}')?;
                break;
            }
        }
        parser.end()?;
        let missing = |key: &str| format!("the header has no key `{key}`");
        let (dtype, is_swapped) = descr.ok_or_else(|| missing("descr"))?;
        let sizes = sizes.ok_or_else(|| missing("shape"))?;
        Ok(NpyHeader {
            shape: shape(dtype, &sizes)?,
            is_column_major: is_column_major.ok_or_else(|| missing("fortran_order"))?,
            is_swapped,
            size,
        })
    }
}

/// The text of a header, and the number of bytes up to its end.
fn text(file: &mut impl Read) -> Result<(String, u64), String> {
    let mut read = |bytes: &mut [u8]| {
        file.read_exact(bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => "the file ends within its header".to_owned(),
            _ => error.to_string(),
        })
    };
    let mut start = [0; 8];
    read(&mut start)?;
    if &start[..6] != b"\x93NUMPY" {
        let kind = binary_kind(&start).map(|kind| format!("; it is {kind}"));
        let kind = kind.unwrap_or_default();
        return Err(format!("it does not begin with the mark of an npy file{kind}"));
    }
    let width = match start[6..] {
        [1, 0] => 2,
        [2 | 3, 0] => 4,
        _ => return Err(format!("version {}.{} is not supported", start[6], start[7])),
    };
    let mut length = [0; 4];
    read(&mut length[..width])?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_TEXT {
        return Err(format!("the header takes {length} bytes, the limit is {MAX_TEXT}"));
    }
    let mut bytes = vec![0; length];
    read(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok((text, (start.len() + width + length) as u64))
}

fn shape(dtype: DType, sizes: &[u64]) -> Result<Shape, String> {
    let product = sizes.iter().try_fold(1u64, |product, &size| product.checked_mul(size.max(1)));
    if product.is_none_or(|product| product > u64::MAX / 32) {
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        let sizes = sizes.join(", ");
        return Err(format!("an array of sizes ({}) does not fit into memory", shown(&sizes)));
    }
    let sizes: Vec<usize> = sizes
        .iter()
        .map(|&size| usize::try_from(size).map_err(|_| format!("an axis has size {size}")))
        .collect::<Result<_, _>>()?;
    Shape::new(dtype, sizes).map_err(|error| error.to_string())
}

/// The start of text from a file, without control characters.
fn shown(text: &str) -> String {
    let start = text.chars().take(MAX_SHOWN);
    start.map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Reads the text of a header from its start on.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn accept(&mut self, mark: char) -> bool {
        let rest = self.rest.trim_ascii_start();
        let after = rest.strip_prefix(mark);
        self.rest = after.unwrap_or(rest);
        after.is_some()
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.accept(mark) { Ok(()) } else { Err(self.unexpected(&format!("`{mark}`"))) }
    }

    fn unexpected(&self, expected: &str) -> String {
        if self.rest.is_empty() {
            return format!("the header ends where {expected} is expected");
        }
        format!("the header has `{}` where {expected} is expected", shown(self.rest))
    }

    fn end(&mut self) -> Result<(), String> {
        if self.rest.trim_ascii().is_empty() { Ok(()) } else { Err(self.unexpected("its end")) }
    }

    /// A text in quotes. The keys and types of NumPy have no escapes.
    fn string(&mut self) -> Result<&'a str, String> {
        let quote = if self.accept('"') { '"' } else { '\'' };
        if quote == '\'' && !self.accept(quote) {
            return Err(self.unexpected("a text"));
        }
        let (inner, rest) =
            self.rest.split_once(quote).ok_or_else(|| self.unexpected("a closing quote"))?;
        self.rest = rest;
        Ok(inner)
    }

    /// An element type, and whether its bytes are in the other order than the host's.
    fn element_type(&mut self) -> Result<(DType, bool), String> {
        let unsupported = |name: &str| format!("element type {} is not supported", shown(name));
        // A list describes a record type.
        if self.rest.trim_ascii_start().starts_with('[') {
            return Err(unsupported(self.rest.trim_ascii_start()));
        }
        let name = self.string()?;
        let (order, kind) = name.split_at_checked(1).unwrap_or(("", name));
        let found = TYPES.iter().find(|(_, known)| *known == kind);
        let &(dtype, _) = found.ok_or_else(|| unsupported(name))?;
        let is_swapped = match order {
            ">" => cfg!(target_endian = "little"),
            "<" => cfg!(target_endian = "big"),
            "|" => false,
            _ => return Err(unsupported(name)),
        };
        Ok((dtype, is_swapped && dtype.size() > 1))
    }

    fn boolean(&mut self) -> Result<bool, String> {
        let rest = self.rest.trim_ascii_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(after) = rest.strip_prefix(word) {
                self.rest = after;
                return Ok(value);
            }
        }
        Err(self.unexpected("`True` or `False`"))
    }

    /// A tuple of sizes; one of a single size has a comma.
    fn sizes(&mut self) -> Result<Vec<u64>, String> {
        let mut sizes = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            sizes.push(self.size()?);
            if self.accept(',') {
                continue;
            }
            if sizes.len() == 1 {
                return Err(self.unexpected("`,`"));
            }
            self.expect(')')?;
            break;
        }
        Ok(sizes)
    }

    fn size(&mut self) -> Result<u64, String> {
        let rest = self.rest.trim_ascii_start();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        if digits.is_empty() {
            return Err(self.unexpected("a size"));
        }
        let too_large = |_| format!("an axis of size {} does not fit into memory", shown(digits));
        let size = digits.parse().map_err(too_large)?;
        // Python 2 writes some integers with the suffix `L`.
        self.rest = after.strip_prefix('L').unwrap_or(after);
        Ok(size)
    }
}
