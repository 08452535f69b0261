//! Counts with their nouns in words: singular and plural.

/// `1 execution`, `2 executions`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
