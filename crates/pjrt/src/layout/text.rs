//! Layouts in the compiler's text format.

use crate::Layout;
use std::str::FromStr;

impl Layout {
    /// Parses a layout such as `{1,0}` or `{1,0:T(8,128)(2,1)}`: the order of dimensions, and
    /// tiles; `None` if the text has more than these, such as a memory space, or is not a layout.
    /// Whether the numbers fit an array is not checked here.
    pub fn from_text(text: &str) -> Option<Layout> {
        let inside = text.strip_prefix('{')?.strip_suffix('}')?;
        let (order, tiles) = inside.split_once(':').unwrap_or((inside, ""));
        Some(Layout::Tiled { minor_to_major: numbers(order)?, tiles: parse_tiles(tiles)? })
    }
}

fn numbers(text: &str) -> Option<Vec<i64>> {
    match text {
        "" => Some(Vec::new()),
        text => text.split(',').map(|number| i64::from_str(number).ok()).collect(),
    }
}

/// `T(8,128)(2,1)`, or nothing.
fn parse_tiles(text: &str) -> Option<Vec<Vec<i64>>> {
    let Some(mut rest) = text.strip_prefix('T') else {
        return text.is_empty().then(Vec::new);
    };
    let mut tiles = Vec::new();
    while let Some(open) = rest.strip_prefix('(') {
        let (tile, after) = open.split_once(')')?;
        tiles.push(numbers(tile)?);
        rest = after;
    }
    rest.is_empty().then_some(tiles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read() {
        assert_eq!(Layout::from_text("{1,0}"), Some(Layout::row_major(2)));
        assert_eq!(Layout::from_text("{}"), Some(Layout::row_major(0)));
        let tiled =
            Layout::Tiled { minor_to_major: vec![1, 0], tiles: vec![vec![8, 128], vec![2, 1]] };
        assert_eq!(Layout::from_text("{1,0:T(8,128)(2,1)}"), Some(tiled));
        for other in ["", "1,0", "{1,0:S(1)}", "{1,0:T(8,128)S(1)}", "{a}", "{1,0:T(8}"] {
            assert_eq!(Layout::from_text(other), None, "{other}");
        }
    }

    /// The corpus of the fuzz target `layout_text`.
    #[test]
    fn the_fuzzing_corpus_is_read_or_refused() {
        let corpus =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/layout_text");
        let (mut read, mut refused) = (0, 0);
        for file in std::fs::read_dir(corpus).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            match std::str::from_utf8(&bytes).ok().and_then(Layout::from_text) {
                Some(_) => read += 1,
                None => refused += 1,
            }
        }
        assert!(read >= 5 && refused >= 8, "{read} read, {refused} refused");
    }
}
