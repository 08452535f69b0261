//! Sanitises, shortens, wraps and compares texts of the program under test, for a terminal.

/// A longer text is shortened.
const LONG: usize = 1_000;

/// Two values that are both longer are reduced to their difference.
const COMPARED_MIN: usize = 60;

/// The number of equal characters shown around a difference.
const AROUND: usize = 12;

/// Returns a text as one line, with control characters and marks of writing direction escaped.
pub fn plain(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.contains(acts) {
        true => escaped(&words),
        false => words,
    }
}

/// Escapes the same characters, but keeps lines and blanks.
pub fn harmless(text: &str) -> String {
    let breaks = |letter| matches!(letter, '\n' | '\t');
    let is_plain = |letter: char| breaks(letter) || !acts(letter);
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => text.split_inclusive(breaks).map(line_escaped).collect(),
    }
}

fn line_escaped(line: &str) -> String {
    let text = line.trim_end_matches(['\n', '\t']);
    escaped(text) + &line[text.len()..]
}

fn escaped(text: &str) -> String {
    let letters = text.chars().map(|letter| match acts(letter) {
        true => letter.escape_unicode().to_string(),
        false => letter.to_string(),
    });
    letters.collect()
}

/// Returns true if a terminal would act on the character instead of showing it.
fn acts(letter: char) -> bool {
    let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() || turns
}

/// Returns a plain text, shortened if it is long, with the number of missing characters.
pub fn shortened(text: &str) -> String {
    let text = plain(text);
    let letters = text.chars().count();
    if letters <= LONG {
        return text;
    }
    let start: String = text.chars().take(LONG - 100).collect();
    format!("{start}… ({} letters more)", letters - (LONG - 100))
}

/// Truncates a text that is wider than `width`.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars()
        .take(width.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Returns two values, or their differing parts if both are long.
pub fn differing(before: &str, after: &str) -> (String, String) {
    let (before, after): (Vec<char>, Vec<char>) = (
        plain(before).chars().collect(),
        plain(after).chars().collect(),
    );
    let text = |letters: &[char]| letters.iter().collect::<String>();
    if before.len().min(after.len()) <= COMPARED_MIN {
        return (shortened(&text(&before)), shortened(&text(&after)));
    }
    let pairs = before.iter().zip(&after);
    let first = pairs.take_while(|(one, other)| one == other).count();
    let pairs = before[first..]
        .iter()
        .rev()
        .zip(after[first..].iter().rev());
    let last = pairs.take_while(|(one, other)| one == other).count();
    let part = |letters: &[char]| {
        let from = match first {
            near if near <= 2 * AROUND => 0,
            far => far - AROUND,
        };
        let to = (letters.len() - last + AROUND).min(letters.len());
        let head = if from > 0 { "…" } else { "" };
        let tail = if to < letters.len() { "…" } else { "" };
        shortened(&format!("{head}{}{tail}", text(&letters[from..to])))
    };
    (part(&before), part(&after))
}

/// Breaks a text into lines of at most `width` characters, between words if possible.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line: Vec<char> = Vec::new();
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(line.drain(..).collect());
        }
        if !line.is_empty() {
            line.push(' ');
        }
        while line.len() + word.len() > width {
            let fits = width - line.len();
            line.extend(word.drain(..fits));
            lines.push(line.drain(..).collect());
        }
        line.append(&mut word);
    }
    lines.push(line.into_iter().collect());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(plain("a\n\tb"), "a b");
        assert_eq!(plain("\u{1b}[2Jred\u{7}"), "\\u{1b}[2Jred\\u{7}");
        assert_eq!(plain("abc\u{202e}cba"), "abc\\u{202e}cba");
        assert_eq!(plain("\u{9b}31m"), "\\u{9b}31m");
        assert_eq!(plain("häßlich 漢字"), "häßlich 漢字");
    }

    #[test]
    fn lines_stay_where_they_are_to() {
        assert_eq!(harmless("a\n\n  b\tc"), "a\n\n  b\tc");
        assert_eq!(
            harmless("a\n\u{1b}[2J\n\tb\r\n"),
            "a\n\\u{1b}[2J\n\tb\\u{d}\n"
        );
    }

    #[test]
    fn a_long_text_says_how_much_is_missing() {
        let long = "x".repeat(5_000);
        let text = shortened(&long);
        assert!(text.ends_with("x… (4100 letters more)"), "{text}");
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn of_long_values_the_difference_is_told() {
        assert_eq!(differing("1", "2"), ("1".into(), "2".into()));
        let value = |term| format!("Entry {{ term: {term}, text: \"{}\" }}", "y".repeat(80));
        let (before, after) = differing(&value(1), &value(27));
        assert_eq!(before, "Entry { term: 1, text: \"yyy…");
        assert_eq!(after, "Entry { term: 27, text: \"yyy…");
        // A value that is a part of the other one is not counted twice.
        let (before, after) = differing(&"z".repeat(70), &"z".repeat(72));
        assert_eq!(
            (before.len(), after.len()),
            ("…".len() + 12, "…".len() + 14)
        );
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}
