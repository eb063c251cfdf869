use crate::{
    Error, Report,
    example::{at, instruction, module, named, numbered},
    hlo::Module,
};

/// The name of a hostile program.
const MARKUP: &str = "</script><img src=x onerror=alert(1)>\"'&<!--";

fn hostile() -> Module {
    let mut sum = named(at(instruction(2, "add", &[8], &[1, 1]), MARKUP, 3), "a/</script>/b");
    sum.name = MARKUP.to_owned();
    let mut call = instruction(3, "custom-call", &[8], &[2]);
    call.custom_call_target = MARKUP.to_owned();
    let mut module = module(vec![vec![
        numbered(named(instruction(1, "parameter", &[8], &[]), MARKUP), 0),
        sum,
        call,
    ]]);
    module.name = MARKUP.to_owned();
    module.computations[0].name = MARKUP.to_owned();
    module
}

#[test]
fn text_from_a_program_is_no_markup() {
    let page = Report::of_module(hostile()).expect("it has an entry").platform(MARKUP).html();
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<img") && !page.contains("<!--"));
    assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"));
}

#[test]
fn the_page_names_no_other_address() {
    let page = Report::of_module(hostile()).expect("it has an entry").html();
    for part in ["src=\"", "url(", "@import", "fetch(", "XMLHttp", "innerHTML"] {
        assert!(!page.contains(part), "{part}");
    }
    let addresses: Vec<_> = page.match_indices("http").map(|(at, _)| &page[at..at + 26]).collect();
    assert_eq!(
        addresses,
        ["http-equiv=\"Content-Securit", "http://www.w3.org/2000/svg"].map(|a| &a[..26])
    );
}

#[test]
fn a_large_program_has_a_small_page() {
    let mut all = vec![numbered(instruction(1, "parameter", &[4096, 4096], &[]), 0)];
    for id in 2..20_002 {
        let name = format!("model/layers/{}/attention/multiply", id / 900);
        let line = i32::try_from(id % 300).expect("small");
        let before = if id < 4 { 1 } else { id - 2 };
        let one = instruction(id, "multiply", &[4096, 4096], &[id - 1, before]);
        all.push(named(at(one, "crates/models/src/llama/model.rs", line + 1), &name));
    }
    let start = std::time::Instant::now();
    let page = Report::of_module(module(vec![all])).expect("it has an entry").html();
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn what_is_no_program_is_an_error() {
    let error = |bytes: &[u8], format| match Report::of_hlo(bytes, format) {
        Ok(_) => panic!("{format}: {bytes:?}"),
        Err(error) => error.to_string(),
    };
    assert!(error(b"", "mlir").contains("the format `mlir`, expected HLO"));
    assert!(error(b"\xff\xff", "hlo").contains("the optimized program: "));
    assert!(matches!(Report::of_hlo(b"", "hlo"), Err(Error::NoEntry { .. })));
    assert!(error(b"", "hlo_with_config").contains("no entry computation"));
}
