//! Normalises the message of a finding, to deduplicate bugs: removes what varies between executions.

use crate::data::bug::{BugKind, Finding};

/// The placeholder for a number.
const NUMBER: char = '_';

/// Returns the normalised message, the same for all executions that fail for one reason.
pub(super) fn normalised_message(finding: &Finding) -> String {
    let message = match finding.kind {
        // The duration of a pending obligation is no part of the obligation.
        BugKind::Liveness => before(&finding.message, &[", for ", ", pending since step "]),
        BugKind::HotAtEnd => before(&finding.message, &[", pending since step "]),
        _ => &finding.message,
    };
    let lines = message.lines().filter(|line| !is_value(line));
    let lines: Vec<String> = lines.map(without_numbers).collect();
    let message = lines.join("\n");
    match finding.kind {
        BugKind::Deadlock => in_order(&message),
        _ => message,
    }
}

/// Returns the message up to the first place where one of the marks is followed by a number.
fn before<'a>(message: &'a str, marks: &[&str]) -> &'a str {
    let ends = marks.iter().filter_map(|mark| {
        let mut found = message.match_indices(mark);
        let is_number = |at: usize| {
            let rest = &message[at + mark.len()..];
            rest.starts_with(|next: char| next.is_ascii_digit())
        };
        found.find(|(at, _)| is_number(*at)).map(|(at, _)| at)
    });
    ends.min().map_or(message, |end| &message[..end])
}

/// Returns true for a line of `assert_eq!` that prints the left or right value.
fn is_value(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("left: ") || line.starts_with("right: ")
}

/// Replaces numbers: `Kid#2 has [10, 7] of 1.5ms` becomes `Kid has [_] of _`.
fn without_numbers(line: &str) -> String {
    let mut letters = line.chars().peekable();
    let mut without = String::new();
    while let Some(letter) = letters.next() {
        let is_digit = |next: Option<&char>| next.is_some_and(char::is_ascii_digit);
        if letter == '#' && is_digit(letters.peek()) {
            while letters.next_if(char::is_ascii_digit).is_some() {}
        } else if letter.is_ascii_digit() {
            // The number includes its fraction and its unit.
            let goes_on = |next: &char| next.is_alphanumeric() || *next == '_' || *next == '.';
            let mut last = letter;
            while let Some(next) = letters.next_if(goes_on) {
                last = next;
            }
            let minus = without.strip_suffix('-').map(str::len);
            let is_sign = |at: &usize| !without[..*at].ends_with(char::is_alphanumeric);
            if let Some(at) = minus.filter(is_sign) {
                without.truncate(at);
            }
            without.push(NUMBER);
            // A dot at the end belongs to the sentence, or to a range.
            if last == '.' {
                without.push('.');
            }
        } else {
            without.push(letter);
        }
        // A list of numbers shrinks to one number, whatever its length.
        if without.ends_with("_, _") {
            without.truncate(without.len() - 3);
        }
    }
    without
}

/// Sorts and deduplicates the waits of a deadlock's message.
fn in_order(message: &str) -> String {
    let (head, waits) = message.split_once(": ").unwrap_or(("", message));
    let mut waits: Vec<&str> = waits.split("; ").collect();
    waits.sort_unstable();
    waits.dedup();
    format!("{head}: {}", waits.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: BugKind, message: &str) -> String {
        normalised_message(&Finding {
            kind,
            message: message.into(),
            location: None,
            step: 1,
        })
    }

    #[test]
    fn one_reason_has_many_forms() {
        let one = |kind, forms: &[&str], reason: &str| {
            for form in forms {
                assert_eq!(of(kind, form), reason, "{form}");
            }
        };
        one(
            BugKind::Panic,
            &[
                "`Kid#2` panicked: 7 left of [1, 22, -3], after 1.5s",
                "`Kid` panicked: -1 left of [4], after 200ms",
            ],
            "`Kid` panicked: _ left of [_], after _",
        );
        one(
            BugKind::Panic,
            &[
                "assertion `left == right` failed: 2 owners\n  left: Some(3)\n right: None",
                "assertion `left == right` failed: 3 owners\n  left: None\n right: Some(4)",
            ],
            "assertion `left == right` failed: _ owners",
        );
        one(
            BugKind::Liveness,
            &[
                "monitor `Owed` is hot in `Hot`, for 50001 steps of fair scheduling (threshold 50000), \
                 pending since step 3",
                "monitor `Owed` is hot in `Hot`, pending since step 112, in a cycle; no step leads out of \
                 the 3 states around it",
                "monitor `Owed` is hot in `Hot`, for 9 steps of fair scheduling (threshold 8), owed \
                 since step 1; there is a cycle of 4 steps",
            ],
            "monitor `Owed` is hot in `Hot`",
        );
        one(
            BugKind::Deadlock,
            &[
                "nothing can run: `A` awaits the reply of `B`; `B` awaits the reply of `A`",
                "nothing can run: `B#2` awaits the reply of `A`; `A` awaits the reply of `B`; `A#3` \
                 awaits the reply of `B`",
            ],
            "nothing can run: `A` awaits the reply of `B`; `B` awaits the reply of `A`",
        );
    }

    #[test]
    fn what_differs_stays_so() {
        let differ = |one: &str, other: &str| {
            assert_ne!(of(BugKind::Panic, one), of(BugKind::Panic, other));
        };
        differ("`Kid` is late", "`Kid` is early");
        differ("# of kids", " of kids");
        differ("left of 3", "right of 3");
        differ("waits, for what", "waits");
        differ("state `Idle`", "state `Busy`");
        differ("a-1", "a1");
    }
}
