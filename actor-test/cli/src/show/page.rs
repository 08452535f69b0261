//! An HTML page of a story: one self-contained file for a browser.

use std::io::{self, Write};

use crate::words;

/// The page built from `page/`, including scripts and styles.
const PAGE: &str = include_str!("../../page/page.html");

/// The placeholder for the story's document.
const PLACE: &str = "@@STORY@@";

/// Writes the page of a story, with the document written by `write`.
pub(super) fn write(
    page: &mut dyn Write,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
    page.write_all(before.as_bytes())?;
    write(&mut HtmlEscaper(page))?;
    page.write_all(after.as_bytes())
}

/// A writer that escapes JSON within an HTML element: no text ends the element or changes the direction of
/// the text around it. In JSON, these letters occur only in strings. Letters of markup become equivalent `\u`
/// escapes; invisible letters become visible codes, as on a terminal.
struct HtmlEscaper<'a>(&'a mut dyn Write);

impl Write for HtmlEscaper<'_> {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        self.write_all(json)?;
        Ok(json.len())
    }

    fn write_all(&mut self, json: &[u8]) -> io::Result<()> {
        let mut rest = std::str::from_utf8(json).map_err(io::Error::other)?;
        while let Some(at) = rest.find(|letter| ends(letter) || turns(letter)) {
            let (before, after) = rest.split_at(at);
            self.0.write_all(before.as_bytes())?;
            let mut after = after.chars();
            if let Some(letter) = after.next() {
                match ends(letter) {
                    true => write!(self.0, "\\u{:04x}", u32::from(letter))?,
                    false => write!(self.0, "\\{}", letter.escape_unicode())?,
                }
            }
            rest = after.as_str();
        }
        self.0.write_all(rest.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns true for letters that may end an element or begin another one.
fn ends(letter: char) -> bool {
    matches!(letter, '<' | '>' | '&')
}

/// Returns true for invisible letters that affect the text around them.
fn turns(letter: char) -> bool {
    !letter.is_ascii() && words::harmless(letter.encode_utf8(&mut [0; 4])).len() > letter.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the content of the story's element.
    fn embedded(page: &str) -> &str {
        let (_, rest) = page
            .split_once("<script type=\"application/json\" id=\"story\">")
            .expect("the element");
        rest.split_once("</script>").expect("its end").0
    }

    #[test]
    fn a_story_does_not_end_its_element() {
        let hostile =
            "</script><script>alert(1)</script><!-- <script> & \u{2028}\u{2029} @@STORY@@ \"";
        let document = serde_json::json!({ "test": hostile });
        let mut page = Vec::new();
        let written = write(&mut page, &mut |page| {
            Ok(serde_json::to_writer(page, &document)?)
        });
        written.expect("a vector takes it all");
        let page = String::from_utf8(page).expect("UTF-8");
        let inside = embedded(&page);
        assert!(!inside.contains(['<', '>', '&']));
        let read: serde_json::Value = serde_json::from_str(inside).expect("JSON");
        assert_eq!(read["test"], hostile);
    }

    #[test]
    fn no_text_turns_the_direction_of_what_is_around_it() {
        let mut page = Vec::new();
        let document = serde_json::json!({ "test": "a\u{202e}b \u{2067}\u{9b} häßlich 漢字" });
        let written = write(&mut page, &mut |page| {
            Ok(serde_json::to_writer(page, &document)?)
        });
        written.expect("a vector takes it all");
        let page = String::from_utf8(page).expect("UTF-8");
        let read: serde_json::Value = serde_json::from_str(embedded(&page)).expect("JSON");
        assert_eq!(read["test"], "a\\u{202e}b \\u{2067}\\u{9b} häßlich 漢字");
    }

    #[test]
    fn there_is_one_place_for_the_story_and_nothing_from_elsewhere() {
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        assert_eq!(embedded(PAGE), PLACE);
        assert!(PAGE.contains("default-src 'none'"));
        assert!(!PAGE.contains(" src="));
        assert!(!PAGE.contains(" href="));
    }
}
