//! Formats shares, and indents lines.

pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// Indents the lines after the first.
pub fn hanging(text: &str) -> String {
    text.replace('\n', "\n      ")
}

pub(super) fn indented(lines: Vec<String>) -> impl Iterator<Item = String> {
    lines
        .into_iter()
        .map(|line| format!("      {}", hanging(&line)))
}
