//! Rewrites the syntax that the engine's lexer reads differently from jinja2: string literals, line
//! ends, and the tags that mark turns for training.
//!
//! A source is rewritten before it is parsed. Lines keep their numbers, which errors name.

/// The source in the engine's dialect.
pub(super) fn rewrite(source: &str) -> String {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(source.len());
    let mut rest = source.as_str();
    while let Some(at) = start_of_tag(rest) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = if rest.starts_with("{#") {
            rest.find("#}").map_or(rest.len(), |end| end + 2)
        } else if let Some(len) = raw(rest) {
            len
        } else {
            rest = tag(rest, &mut out);
            continue;
        };
        out.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    out + rest
}

fn start_of_tag(text: &str) -> Option<usize> {
    let at = |(at, _): (usize, _)| matches!(text.as_bytes().get(at + 1), Some(b'{' | b'%' | b'#'));
    text.match_indices('{').find(|&found| at(found)).map(|(at, _)| at)
}

/// The length of a `raw` block, whose text is not read, at the start of `text`.
fn raw(text: &str) -> Option<usize> {
    let is = |text: &str, name: &str| {
        let inner = text.strip_prefix("{%")?;
        let inner = inner.strip_prefix(['-', '+']).unwrap_or(inner).trim_start();
        let inner = inner.strip_prefix(name)?.trim_start();
        let inner = inner.strip_prefix(['-', '+']).unwrap_or(inner);
        inner.strip_prefix("%}").map(|after| text.len() - after.len())
    };
    let body = is(text, "raw")?;
    let mut tags = text[body..].match_indices("{%");
    tags.find_map(|(at, _)| Some(body + at + is(&text[body + at..], "endraw")?))
}

/// Writes the tag at the start of `text`, and returns the text after it.
fn tag<'a>(text: &'a str, out: &mut String) -> &'a str {
    let (open, close) = (&text[..2], if text.starts_with("{{") { "}}" } else { "%}" });
    out.push_str(open);
    let mut rest = &text[2..];
    if open == "{%" {
        rest = name_of_block(rest, out);
    }
    let mut brackets = 0usize;
    while let Some(next) = rest.chars().next() {
        if brackets == 0 && rest.starts_with(close) {
            out.push_str(close);
            return &rest[2..];
        }
        if matches!(next, '\'' | '"') {
            rest = strings(rest, out);
            continue;
        }
        match next {
            '(' | '[' | '{' => brackets += 1,
            ')' | ']' | '}' => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        out.push(next);
        rest = &rest[next.len_utf8()..];
    }
    rest
}

/// Writes the beginning of a block up to its name. `generation` is a block with a scope of its own
/// that prints its body.
fn name_of_block<'a>(text: &'a str, out: &mut String) -> &'a str {
    let after_sign = text.strip_prefix(['-', '+']).unwrap_or(text);
    let start = after_sign.trim_start();
    out.push_str(&text[..text.len() - after_sign.len()]);
    out.push_str(&after_sign[..after_sign.len() - start.len()]);
    let len = start.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(start.len());
    out.push_str(match &start[..len] {
        "generation" => "with",
        "endgeneration" => "endwith",
        name => name,
    });
    &start[len..]
}

/// Writes the adjacent string literals at the start of `text` as one, and returns the text after.
fn strings<'a>(text: &'a str, out: &mut String) -> &'a str {
    let (mut value, mut rest) = (String::new(), text);
    loop {
        let Some((literal, after)) = literal(rest) else {
            // An unfinished or invalid literal is left to the parser, which reports it.
            out.push_str(rest);
            return "";
        };
        value.push_str(&literal);
        let next = after.trim_start();
        if !next.starts_with(['\'', '"']) {
            rest = after;
            break;
        }
        rest = next;
    }
    let lines = text[..text.len() - rest.len()].matches('\n').count();
    out.push('"');
    out.push_str(&value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
    out.push('"');
    out.push_str(&"\n".repeat(lines));
    rest
}

/// The value of the literal at the start of `text`, and the text after it.
fn literal(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next()?;
    let (mut value, mut rest) = (String::new(), &text[1..]);
    loop {
        let next = rest.chars().next()?;
        rest = &rest[next.len_utf8()..];
        match next {
            '\\' => rest = escape(rest, &mut value)?,
            _ if next == quote => return Some((value, rest)),
            _ => value.push(next),
        }
    }
}

/// Decodes the escape sequence after a backslash as Python does, and returns the text after it.
fn escape<'a>(text: &'a str, out: &mut String) -> Option<&'a str> {
    let kind = text.chars().next()?;
    let rest = &text[kind.len_utf8()..];
    let plain = match kind {
        '\n' => return Some(rest),
        '\\' | '\'' | '"' => kind,
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '0'..='7' => {
            let len = text.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
            out.push(char::from_u32(u32::from_str_radix(&text[..len], 8).ok()?)?);
            return Some(&text[len..]);
        }
        'x' => return code(rest, 2, out),
        'u' => return code(rest, 4, out),
        'U' => return code(rest, 8, out),
        // Character names would need a table of all characters.
        'N' => return None,
        // jinja2 first replaces a character beyond ASCII by an escape sequence, whose backslash
        // this backslash then escapes.
        _ if !kind.is_ascii() => {
            let code = u32::from(kind);
            out.push('\\');
            out.push_str(&match code {
                0..=0xff => format!("x{code:02x}"),
                0x100..=0xffff => format!("u{code:04x}"),
                _ => format!("U{code:08x}"),
            });
            return Some(rest);
        }
        _ => {
            out.push('\\');
            kind
        }
    };
    out.push(plain);
    Some(rest)
}

/// Decodes the `digits` hexadecimal digits of a code point, or of both halves of a surrogate pair.
fn code<'a>(text: &'a str, digits: usize, out: &mut String) -> Option<&'a str> {
    let hex = |text: &str| {
        let hex = text.get(..digits).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(hex, 16).ok()
    };
    let (first, rest) = (hex(text)?, &text[digits..]);
    if let Some(found) = char::from_u32(first) {
        out.push(found);
        return Some(rest);
    }
    let second = rest.strip_prefix("\\u").filter(|_| digits == 4)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(hex(second)?).ok()?];
    out.push(char::decode_utf16(pair).next()?.ok()?);
    Some(&second[digits..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_pythons() {
        for (source, expected) in [
            (r"'\x41\101\u00e9\U0001f30d\v\a'", "A\u{41}é🌍\u{b}\u{7}"),
            ("'one\\\ntwo'", "onetwo"),
            (r"'\d\/\s'", r"\d\/\s"),
            (r#"'"it\'s"'"#, "\"it's\""),
            (r"'\é'", r"\xe9"),
            (r"'\ud83c\udf0d'", "🌍"),
        ] {
            assert_eq!(literal(source), Some((expected.to_owned(), "")), "{source}");
        }
        assert_eq!(literal(r"'\N{DASH}'"), None);
        assert_eq!(literal("'open"), None);
    }

    #[test]
    fn only_tags_are_rewritten() {
        for (source, expected) in [
            ("'a\\n' {{ 'a\\n' }} {# '\\n' #}", "'a\\n' {{ \"a\\n\" }} {# '\\n' #}"),
            (
                "{%raw%}{{ '\\n' }}{% endraw %}{{ '\\n' }}",
                "{%raw%}{{ '\\n' }}{% endraw %}{{ \"\\n\" }}",
            ),
            ("{{ {'a': {}} }}'", "{{ {\"a\": {}} }}'"),
            ("{{ 'a'\n'b' }}", "{{ \"ab\"\n }}"),
            ("{%- generation-%}\r\nx{%endgeneration%}", "{%- with-%}\nx{%endwith%}"),
            ("{% if generation %}", "{% if generation %}"),
            ("{{ '}}' }}", "{{ \"}}\" }}"),
            ("{{ 'open", "{{ 'open"),
        ] {
            assert_eq!(rewrite(source), expected, "{source}");
        }
    }
}
