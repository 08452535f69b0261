//! A story as a page: one file for a browser, which asks nobody for anything else.

/// What `page/` is built to, script and style included.
const PAGE: &str = include_str!("../../page/page.html");

/// Where the story's document stands in it.
const PLACE: &str = "@@STORY@@";

/// The page of a story's document.
pub(super) fn page(document: &str) -> String {
    PAGE.replacen(PLACE, &inside_an_element(document), 1)
}

/// JSON in which nothing ends the element that it stands in. In JSON these letters are nowhere but in
/// texts, where they can be written this way as well.
fn inside_an_element(json: &str) -> String {
    let mut harmless = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' => harmless += "\\u003c",
            '>' => harmless += "\\u003e",
            '&' => harmless += "\\u0026",
            '\u{2028}' => harmless += "\\u2028",
            '\u{2029}' => harmless += "\\u2029",
            letter => harmless.push(letter),
        }
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in the element of the story.
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
        let document = serde_json::json!({ "test": hostile }).to_string();
        let page = page(&document);
        let inside = embedded(&page);
        assert!(!inside.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
        let read: serde_json::Value = serde_json::from_str(inside).expect("JSON");
        assert_eq!(read["test"], hostile);
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
