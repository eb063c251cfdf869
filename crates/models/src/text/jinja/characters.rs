//! String functions by characters, as in Python.

use super::{budget::Budget, refused};
use minijinja::Error;

/// The maximum width of a padded text, in characters.
const WIDTH: i128 = 4_096;

/// The characters before a slice of a text, and the slice; `None` where it starts after the end.
pub(super) fn span(text: &str, start: Option<i128>, end: Option<i128>) -> Option<(usize, &str)> {
    let len = text.chars().count() as i128;
    let clamp = |at: i128| if at < 0 { (at.saturating_add(len)).max(0) } else { at };
    let (start, end) = (clamp(start.unwrap_or(0)), clamp(end.unwrap_or(len)).min(len));
    if start > end {
        return None;
    }
    let byte = |at: i128| text.char_indices().nth(at as usize).map_or(text.len(), |(at, _)| at);
    Some((start as usize, &text[byte(start)..byte(end)]))
}

/// White space as defined by Python, which includes four ASCII separators.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

pub(super) fn is_digit(c: char) -> bool {
    c.is_numeric() && !c.is_alphabetic() && (c.is_ascii_digit() || !"¼½¾".contains(c))
}

pub(super) fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

pub(super) fn is_lower(text: &str) -> bool {
    text.chars().any(is_cased) && !text.chars().any(char::is_uppercase)
}

pub(super) fn is_upper(text: &str) -> bool {
    text.chars().any(is_cased) && !text.chars().any(char::is_lowercase)
}

pub(super) fn is_identifier(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_numeric()) && every(text, |c| c == '_' || c.is_alphanumeric())
}

pub(super) fn every(text: &str, test: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(test)
}

/// `str.capitalize`.
pub(super) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    first + &chars.as_str().to_lowercase()
}

/// `str.title`: a letter after another is lower case.
pub(super) fn titled(text: &str) -> String {
    let (mut out, mut inside) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        if inside {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
        inside = is_cased(c);
    }
    out
}

pub(super) fn swapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_uppercase() {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
    }
    out
}

/// `str.strip` on the chosen sides, of `chars` or of white space.
pub(super) fn stripped<'a>(text: &'a str, chars: Option<&str>, left: bool, right: bool) -> &'a str {
    let is = |c: char| chars.map_or_else(|| is_space(c), |chars| chars.contains(c));
    let text = if left { text.trim_start_matches(is) } else { text };
    if right { text.trim_end_matches(is) } else { text }
}

/// `str.replace`; a negative or missing `count` replaces all.
///
/// # Errors
/// The budget is exhausted.
pub(super) fn replaced(
    budget: &Budget,
    text: &str,
    old: &str,
    new: &str,
    count: Option<i128>,
) -> Result<String, Error> {
    let found = if old.is_empty() { text.len() + 1 } else { text.matches(old).count() };
    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    budget.charge((found.min(count) as u64).saturating_mul(new.len() as u64))?;
    Ok(text.replacen(old, new, count))
}

/// The first `most` words of a text, and the rest.
pub(super) fn words(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text.trim_start_matches(is_space));
    while !rest.is_empty() {
        let end = if parts.len() == most { None } else { rest.find(is_space) };
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(word);
        rest = after.trim_start_matches(is_space);
    }
    parts
}

/// The last `most` words of a text, and the rest.
pub(super) fn last_words(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text.trim_end_matches(is_space));
    while !rest.is_empty() {
        let space = rest.char_indices().rev().find(|(_, c)| is_space(*c));
        let start = if parts.len() == most { None } else { space };
        let (before, word) = rest.split_at(start.map_or(0, |(at, c)| at + c.len_utf8()));
        parts.push(word);
        rest = before.trim_end_matches(is_space);
    }
    parts.reverse();
    parts
}

/// `str.splitlines`.
pub(super) fn lines(text: &str, keep_ends: bool) -> Vec<&str> {
    let is_end = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let (mut lines, mut rest) = (Vec::new(), text);
    while let Some(end) = rest.find(is_end) {
        let len = if rest[end..].starts_with("\r\n") {
            2
        } else {
            rest[end..].chars().next().map_or(1, char::len_utf8)
        };
        lines.push(&rest[..if keep_ends { end + len } else { end }]);
        rest = &rest[end + len..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// `text` in a field of `width` characters, by the method `side`.
///
/// # Errors
/// The field is too wide, or the budget is exhausted.
pub(super) fn padded(
    budget: &Budget,
    text: &str,
    width: i128,
    fill: char,
    side: &str,
) -> Result<String, Error> {
    if width > WIDTH {
        return Err(refused(format!("pads to {width} characters; at most {WIDTH} are possible")));
    }
    budget.charge(4 * WIDTH as u64)?;
    let missing = (width - text.chars().count() as i128).max(0);
    let left = match side {
        "ljust" => 0,
        "rjust" => missing,
        // As in Python, an odd character is on the left of an even text.
        _ => missing / 2 + (missing & width & 1),
    };
    let fill = |count: i128| fill.to_string().repeat(count as usize);
    Ok(format!("{}{text}{}", fill(left), fill(missing - left)))
}
