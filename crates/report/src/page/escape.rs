//! Text that comes from a program, within a page.

/// As the content of an element, or of an attribute in double quotes.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

/// JSON as the content of a script element, which `</script` and `<!--` would otherwise end or
/// change: outside of strings JSON has no `<`.
pub(super) fn json(text: &str) -> String {
    text.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(html("<a b='\"'>&"), "&lt;a b=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(json(r#"["</script><!--"]"#), r#"["\u003c/script>\u003c!--"]"#);
        let back: Vec<String> = serde_json::from_str(&json(r#"["</script>"]"#)).expect("JSON");
        assert_eq!(back, ["</script>"]);
    }
}
