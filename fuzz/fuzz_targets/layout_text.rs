//! Any text as a layout, as plugins and programs write them.
#![no_main]

use hloom_pjrt::Layout;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(layout) = Layout::from_text(text) {
        let Layout::Tiled { minor_to_major, tiles } = &layout else {
            panic!("texts have no strides: {layout:?}");
        };
        let list =
            |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let tiles: String = tiles.iter().map(|tile| format!("({})", list(tile))).collect();
        let again = format!("{{{}:T{tiles}}}", list(minor_to_major));
        assert_eq!(Layout::from_text(&again), Some(layout));
    }
});
