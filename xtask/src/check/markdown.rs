//! Links and headings of Markdown texts: as much of the syntax as the pages of a repository use.

use std::collections::BTreeMap;

/// A link of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Link {
    /// The number of its line, from 1.
    pub line: usize,
    /// Its address as written, without a title.
    pub target: String,
}

/// The links and images outside of code: inline, or as definitions of references.
pub fn links(text: &str) -> Vec<Link> {
    let prose = without_spans(&without_fences(text).join("\n"));
    let mut found = Vec::new();
    for (index, line) in prose.lines().enumerate() {
        let definition = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
        let definition = definition.filter(|(label, _)| !label.contains(']'));
        for target in line.split("](").skip(1).chain(definition.map(|(_, target)| target)) {
            let target = target.trim_start().trim_start_matches('<');
            let end = target.find([')', '>', ' ']).unwrap_or(target.len());
            found.push(Link { line: index + 1, target: target[..end].to_owned() });
        }
    }
    found
}

/// The anchors of the headings, as GitHub and mdBook form them.
pub fn anchors(text: &str) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for line in without_fences(text) {
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        if !(1..=6).contains(&level) || !title.starts_with(' ') {
            continue;
        }
        let anchor: String = (without_targets(title.trim()).to_lowercase().chars())
            .filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let count = counts.entry(anchor.clone()).or_default();
        found.push(if *count == 0 { anchor } else { format!("{anchor}-{count}") });
        *count += 1;
    }
    found
}

/// The lines of a text; those of code blocks between fences are empty.
fn without_fences(text: &str) -> Vec<&str> {
    let mut open = None;
    let blank = |line: &'_ str| {
        let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        match (open, fence) {
            (None, None) => return false,
            (None, Some(fence)) => open = Some(fence),
            (Some(other), Some(fence)) if other == fence => open = None,
            (Some(_), _) => {}
        }
        true
    };
    let mut blank = blank;
    text.lines().map(|line| if blank(line) { "" } else { line }).collect()
}

/// A text without its code between backticks, which ends in its paragraph. Lines stay lines.
fn without_spans(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find('`') {
        let (before, code) = rest.split_at(start);
        out += before;
        let body = code.trim_start_matches('`');
        let ticks = &code[..code.len() - body.len()];
        let paragraph = &body[..body.find("\n\n").unwrap_or(body.len())];
        rest = match paragraph.find(ticks) {
            Some(end) => {
                out.extend(body[..end].chars().filter(|&c| c == '\n'));
                &body[end + ticks.len()..]
            }
            None => {
                out += ticks;
                body
            }
        };
    }
    out + rest
}

/// A title with its links replaced by their texts.
fn without_targets(title: &str) -> String {
    let mut parts = title.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(')').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_of_code() {
        let text = "[a](b.md) `[no](c.md)` [d](../e.md#f \"title\")\n```rust\nx[0](1)\n```\n\
                    ![i](j) ``[no](`k`)`` `open [l](<m>)\n\n    ~~~\n```\n[no](n)\n    ~~~\n\
                    [`o`\np](q#r) `[no\n](s)` t[u]\n[v w]: x.md\n";
        let found: Vec<_> = links(text).into_iter().map(|link| (link.line, link.target)).collect();
        let expected =
            [(1, "b.md"), (1, "../e.md#f"), (5, "j"), (5, "m"), (12, "q#r"), (14, "x.md")];
        assert_eq!(found, expected.map(|(line, target)| (line, target.to_owned())));
    }

    #[test]
    fn anchors_are_formed_from_headings() {
        let text = "# A plan, in `two_parts`\n## Über-all\n##no\n```\n# no\n```\n### Same\n\
                    #### Same\n# [Linked](x.md) title\n####### no\n";
        let expected = ["a-plan-in-two_parts", "über-all", "same", "same-1", "linked-title"];
        assert_eq!(anchors(text), expected);
    }
}
