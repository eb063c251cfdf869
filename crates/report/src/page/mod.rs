//! The page: a skeleton with the totals, the data, and the script that draws it.

mod data;
mod escape;
mod policy;
mod totals;

use crate::{Report, costs, memory, modules, program::ModuleGraph};
use data::Data;
use escape::{html as escaped, json};

const STYLE: &str = concat!(
    include_str!("style/page.css"),
    include_str!("style/costs.css"),
    include_str!("style/memory.css"),
    include_str!("style/program.css"),
    include_str!("style/narrow.css"),
);
/// The parts of the script, in order: each uses definitions of earlier parts.
const SCRIPT: &str = concat!(
    include_str!("script/facts.js"),
    include_str!("script/costs.js"),
    include_str!("script/memory.js"),
    include_str!("script/program.js"),
    include_str!("script/links.js"),
);
const BODY: &str = include_str!("body.html");

/// Writes the page.
pub(crate) fn html(report: &Report) -> String {
    let program = ModuleGraph::new(&report.module);
    let analysis = memory::of(&program);
    let costs = costs::of(&program, &analysis, &report.kernels);
    let modules = modules::of(&program, &analysis, &report.input_names);
    let totals = totals::of(report, &costs, &analysis.memory);
    let data = Data::new(report, &program, &analysis, &costs, &modules);
    let data = serde_json::to_string(&data).expect("numbers and text are valid JSON");

    let title = escaped(&report.title);
    let platform = match report.platform.as_str() {
        "" => String::new(),
        platform => format!("<p class=\"platform\">{}</p>", escaped(platform)),
    };
    let parts = [
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"",
        &policy::of(SCRIPT, STYLE),
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
        &title,
        " – program report</title>\n<style>",
        STYLE,
        "</style>\n</head>\n<body>\n<header>\n<div class=\"name\"><h1>",
        &title,
        "</h1>",
        &platform,
        "</div>\n",
        &totals.html(),
        "</header>\n",
        BODY,
        "<script type=\"application/json\" id=\"data\">",
        &json(&data),
        "</script>\n<script>",
        SCRIPT,
        "</script>\n</body>\n</html>\n",
    ];
    parts.concat()
}

#[cfg(test)]
mod tests;
