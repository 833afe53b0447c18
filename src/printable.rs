//! Names of files and of models as text on one line.
//!
//! A name is bytes that somebody else chose: it may break lines, move the cursor or turn the direction of
//! writing. Texts for people hold it escaped, so that every line is one that this program wrote; JSON has its
//! own escapes and keeps names as they are.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with everything escaped that is no visible part of a line, as `\u{a}`. Different texts stay
/// different; one without such characters stays as it is.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) && !text.contains("\\u{") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, character) in text.char_indices() {
        // What already looks like an escape must not read as one.
        let looks_escaped = character == '\\' && text[at..].starts_with("\\u{");
        if is_hidden(character) || looks_escaped { escape(&mut out, character) } else { out.push(character) }
    }
    Cow::Owned(out)
}

/// The same for what was escaped when it was written to a file, which anybody may have edited since: escapes
/// that are there stay as they are.
pub fn escaped_again(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hidden(character) { escape(&mut out, character) } else { out.push(character) }
    }
    Cow::Owned(out)
}

/// The same for a field of a line whose fields are parted by spaces: those at its ends are escaped as well.
pub fn field(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    if !text.starts_with(' ') && !text.ends_with(' ') {
        return text;
    }
    let inner = text.trim_matches(' ');
    let (before, after) = if inner.is_empty() {
        (text.len(), 0)
    } else {
        (text.len() - text.trim_start_matches(' ').len(), text.len() - text.trim_end_matches(' ').len())
    };
    let mut out = String::new();
    (0..before).for_each(|_| escape(&mut out, ' '));
    out.push_str(inner);
    (0..after).for_each(|_| escape(&mut out, ' '));
    Cow::Owned(out)
}

/// A path as text on one line.
pub fn path(path: &std::path::Path) -> String {
    printable(&path.to_string_lossy()).into_owned()
}

fn escape(out: &mut String, character: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
}

/// Control characters, separators of lines and paragraphs, and what turns the direction of writing.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_hides_is_escaped_and_the_rest_stays() {
        assert_eq!(printable("C:\\users\\ä b"), "C:\\users\\ä b");
        assert_eq!(printable("a\nb\u{1b}[31m\u{202e}"), "a\\u{a}b\\u{1b}[31m\\u{202e}");
        assert_eq!(printable("\\u{a}"), "\\u{5c}u{a}");
        assert_eq!(escaped_again("\\u{a}\n"), "\\u{a}\\u{a}");
        assert_eq!(field("  a b "), "\\u{20}\\u{20}a b\\u{20}");
        assert_eq!((field("  "), field("")), ("\\u{20}\\u{20}".into(), "".into()));
    }

    proptest! {
        #[test]
        fn names_are_one_line_and_stay_apart(a in "(\\PC|[\n\r \\\\u{}a5c]|\u{85}|\u{2028})*", b in any::<String>()) {
            for text in [printable(&a), field(&a), printable(&b), field(&b)] {
                prop_assert!(text.lines().count() <= 1 && !text.contains(char::is_control));
            }
            prop_assert_eq!(printable(&a) == printable(&b), a == b);
            prop_assert_eq!(field(&a) == field(&b), a == b);
            let kept = field(&a);
            prop_assert_eq!(kept.trim_matches(' '), &*kept);
        }
    }
}
