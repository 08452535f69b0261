//! Spelling suggestions by edit distance.

use std::fmt::Display;

/// Returns the end of an error about `name`: the nearest of `accepted`, or all of them after `introduction`.
pub(crate) fn hint<T: Display>(name: &str, accepted: &[T], introduction: &str) -> String {
    if let Some(nearest) = nearest(name, accepted) {
        return format!("did you mean `{nearest}`?");
    }
    let all: Vec<_> = accepted.iter().map(|name| format!("`{name}`")).collect();
    format!("{introduction} {}", all.join(", "))
}

/// Returns the nearest of `accepted`, if one is near enough.
pub(crate) fn nearest<'a, T: Display>(name: &str, accepted: &'a [T]) -> Option<&'a T> {
    let near = |other: &T| distance(&name.to_lowercase(), &other.to_string().to_lowercase());
    // The limit is rustc's: one edit for every three letters.
    let limit = name.chars().count().max(3) / 3;
    let best = accepted.iter().min_by_key(|other| near(other))?;
    (near(best) <= limit).then_some(best)
}

/// Returns the edit distance: insertions, removals, replacements, and swaps of neighbours.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                let swapped: usize = before[j - 1] + 1;
                best = best.min(swapped);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, hint};

    #[test]
    fn distances() {
        assert_eq!(distance("waiting", "waiting"), 0);
        assert_eq!(distance("wating", "waiting"), 1);
        assert_eq!(distance("wiating", "waiting"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
    }

    #[test]
    fn the_nearest_or_all() {
        let states = ["Idle", "Waiting"];
        assert_eq!(
            hint("Wating", &states, "its states are"),
            "did you mean `Waiting`?"
        );
        assert_eq!(
            hint("Done", &states, "its states are"),
            "its states are `Idle`, `Waiting`"
        );
    }
}
