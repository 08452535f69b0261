//! Numbers of things, in words.

/// `1 execution`, `2 executions`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
