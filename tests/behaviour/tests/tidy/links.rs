//! The pages of the book and their links: errors that `mdbook build` reports, and others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::root;
use super::shown::pages;

/// Returns the lines of a page outside code blocks.
fn prose(page: &str) -> Vec<&str> {
    let mut is_code = false;
    let mut prose = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose.push(line);
        }
    }
    prose
}

/// Returns the targets of the links and pictures of a line, without those in backticks.
fn links(line: &str) -> Vec<&str> {
    let outside = line.split('`').step_by(2);
    // The text of a link may be code: `[`tell`](page.md)` is cut before its target.
    outside
        .flat_map(|part| part.split("](").skip(1).collect::<Vec<_>>())
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .collect()
}

/// Returns the anchor of a heading, in mdbook and on the repository's page.
fn anchor(heading: &str) -> String {
    heading
        .trim()
        .to_lowercase()
        .chars()
        .filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    prose(page)
        .into_iter()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// Returns the broken links of the page at `path`.
fn broken<'a>(path: &Path, page: &'a str) -> Vec<&'a str> {
    let is_broken = |target: &&str| {
        if target.contains("://") || target.starts_with("mailto:") {
            return false;
        }
        let (file, place) = target.split_once('#').unwrap_or((target, ""));
        let file = match file {
            "" => path.to_owned(),
            file => path.parent().expect("a page is in a folder").join(file),
        };
        let is_there = || match place {
            "" => file.exists(),
            place => fs::read_to_string(&file).is_ok_and(|text| anchors(&text).contains(place)),
        };
        !is_there()
    };
    let all = prose(page).into_iter().flat_map(links);
    all.filter(is_broken).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page is text");
        seen += prose(&page).into_iter().flat_map(links).count();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for target in broken(&path, &page) {
            wrong.push(format!("{name}: {target}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "these links lead nowhere:\n{}",
        wrong.join("\n")
    );
    assert!(seen > 30, "{seen} links");
}

/// A page that the summary does not name is not in the book.
#[test]
fn the_summary_has_every_page() {
    let summary = fs::read_to_string(root().join("book/src/SUMMARY.md")).expect("it is there");
    let listed: BTreeSet<&str> = summary.lines().flat_map(links).collect();
    let there: BTreeSet<String> = fs::read_dir(root().join("book/src"))
        .expect("the book is there")
        .map(|entry| entry.expect("the folder can be read").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect();
    assert!(there.iter().map(String::as_str).eq(listed));
}

/// Readers outside mdbook would see such a line.
#[test]
fn nothing_is_included() {
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page is text");
        assert!(!page.contains("{{#"), "{}", path.display());
    }
}

/// Tests the test itself.
#[test]
fn a_broken_link_is_seen() {
    let path = root().join("book/src/SUMMARY.md");
    let broken = |page| broken(&path, page);
    assert_eq!(broken("[a](actor.md) [b](gone.md)"), ["gone.md"]);
    assert_eq!(broken("![a](images/gone.png)"), ["images/gone.png"]);
    assert_eq!(broken("[`tell`](gone.md)"), ["gone.md"]);
    assert_eq!(broken("[a](#here)\n# There"), ["#here"]);
    assert_eq!(broken("[a](actor.md#gone)"), ["actor.md#gone"]);
    assert_eq!(broken("[a](glossary.md) `[b](gone.md)`"), [""; 0]);
    assert_eq!(broken("```\n[b](gone.md)\n```"), [""; 0]);
    assert_eq!(broken("[a](https://example.org/#gone)"), [""; 0]);
    assert_eq!(
        anchor(" What `tell` does, and doesn't"),
        "what-tell-does-and-doesnt"
    );
}
