//! Pagination of answers, with bounds on lines and bytes.

use std::fmt::Write;

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;

use crate::words;

/// The maximum number of bytes of an answer's lines.
const BYTES_MAX: usize = 60_000;

const LINE_MAX: usize = 2_000;

/// The number of last lines that are always included.
const ENDING: usize = 20;

pub(super) type Answer = Result<CallToolResult, String>;

/// Returns an answer as structured data.
pub(super) fn data(answer: &impl Serialize) -> Answer {
    let value = serde_json::to_value(answer).map_err(|error| error.to_string())?;
    Ok(CallToolResult::structured(value))
}

pub(super) fn text(lines: &[String]) -> Answer {
    page(&[], lines, 0, usize::MAX)
}

/// Returns a page of lines, with a head that is repeated on each page.
pub(super) fn page(head: &[String], lines: &[String], offset: usize, limit: usize) -> Answer {
    if offset > 0 && offset >= lines.len() {
        let many = words::count(lines.len() as u64, "line");
        return Err(format!("offset: it is {offset}, and there are {many}"));
    }
    let mut text = String::new();
    for line in head {
        let _ = writeln!(text, "{}", words::cut(line, LINE_MAX));
    }
    let mut shown = 0;
    for line in lines.iter().skip(offset).take(limit) {
        let line = words::cut(line, LINE_MAX);
        if text.len() + line.len() > BYTES_MAX && shown > 0 {
            break;
        }
        let _ = writeln!(text, "{line}");
        shown += 1;
    }
    let end = offset + shown;
    if offset > 0 || end < lines.len() {
        let _ = write!(text, "(lines {} to {end} of {}", offset + 1, lines.len());
        if end < lines.len() {
            let _ = write!(text, "; next_offset: {end}");
        }
        text.push_str(")\n");
    }
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
}

/// Returns a page of lines with the last lines, which contain the result, in addition.
pub(super) fn page_and_end(
    head: &[String],
    lines: &[String],
    offset: usize,
    limit: usize,
) -> Answer {
    let rest = lines.len().saturating_sub(offset);
    if rest <= limit || limit <= ENDING {
        return page(head, lines, offset, limit);
    }
    let shown = limit - ENDING;
    let ending = &lines[lines.len() - ENDING..];
    let head: Vec<String> = head
        .iter()
        .cloned()
        .chain(["it ends with:".to_owned()])
        .chain(ending.iter().cloned())
        .chain([String::new(), "it begins with:".to_owned()])
        .collect();
    page(&head, lines, offset, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(answer: Answer) -> String {
        let answer = serde_json::to_value(answer.expect("a page")).expect("it is data");
        let text = answer["content"][0]["text"].as_str();
        text.expect("a text").to_owned()
    }

    fn lines(many: usize) -> Vec<String> {
        (1..=many).map(|number| format!("line {number}")).collect()
    }

    #[test]
    fn a_page_says_where_the_next_begins() {
        assert_eq!(shown(page(&[], &lines(2), 0, 2)), "line 1\nline 2\n");
        let first = shown(page(&["head".into()], &lines(5), 0, 2));
        assert_eq!(
            first,
            "head\nline 1\nline 2\n(lines 1 to 2 of 5; next_offset: 2)\n"
        );
        let last = shown(page(&[], &lines(5), 4, 2));
        assert_eq!(last, "line 5\n(lines 5 to 5 of 5)\n");
        let too_far = page(&[], &lines(5), 5, 2).expect_err("there is no such line");
        assert_eq!(too_far, "offset: it is 5, and there are 5 lines");
        assert_eq!(shown(page(&[], &[], 0, 2)), "");
    }

    #[test]
    fn a_page_has_a_bound_in_bytes() {
        let long = vec!["x".repeat(100_000); 100];
        let page = shown(page(&[], &long, 0, 100));
        assert!(page.len() < BYTES_MAX + LINE_MAX, "{}", page.len());
        assert!(
            page.ends_with("(lines 1 to 29 of 100; next_offset: 29)\n"),
            "{}",
            &page[page.len() - 60..]
        );
    }

    #[test]
    fn what_came_of_it_is_told_always() {
        let page = shown(page_and_end(&[], &lines(500), 0, 100));
        assert!(page.starts_with("it ends with:\nline 481\n"), "{page}");
        assert!(
            page.contains("line 500\n\nit begins with:\nline 1\n"),
            "{page}"
        );
        assert!(
            page.ends_with("line 80\n(lines 1 to 80 of 500; next_offset: 80)\n"),
            "{page}"
        );
    }
}
