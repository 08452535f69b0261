//! The Rust code in the book equals that of the sources, which are compiled and tested.
//!
//! The pages contain the code, so that they are readable without mdbook. A line before each block
//! names its source: `<!-- samples/src/ping_pong/mod.rs:server -->` means the part of that file between
//! `// ANCHOR: server` and `// ANCHOR_END: server`. Without a colon it means the whole file, without its
//! module documentation. With `, as typed` it means the code without the sample's `expect_bug`, as a
//! reader would type it.
//!
//! `UPDATE_BOOK=1 cargo test -p behaviour --test tidy shown` updates the pages.

use std::fs;
use std::path::PathBuf;

use super::root;

/// Returns a page with up-to-date code and its number of blocks, or the error in the page.
fn renewed(page: &str) -> Result<(String, usize), String> {
    let mut lines = page.lines();
    let mut renewed = Vec::new();
    let mut blocks = 0;
    while let Some(line) = lines.next() {
        renewed.push(line.to_owned());
        if line == "```rust" {
            let next = lines.next().unwrap_or_default();
            return Err(format!(
                "no line says where the code comes from that begins with `{next}`"
            ));
        }
        let Some(source) = source_of(line) else {
            continue;
        };
        if lines.next() != Some("```rust") {
            return Err(format!("no Rust code follows {line}"));
        }
        if lines.by_ref().all(|line| line != "```") {
            return Err(format!("the code after {line} has no end"));
        }
        renewed.push("```rust".to_owned());
        renewed.extend(code(source)?);
        renewed.push("```".to_owned());
        blocks += 1;
    }
    Ok((renewed.join("\n") + "\n", blocks))
}

/// Returns the source that an HTML comment names, if there is one.
fn source_of(line: &str) -> Option<&str> {
    let named = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    named.contains(".rs").then_some(named)
}

/// Returns the lines of a source.
fn code(source: &str) -> Result<Vec<String>, String> {
    let (place, is_typed) = match source.strip_suffix(", as typed") {
        Some(place) => (place, true),
        None => (source, false),
    };
    let (file, anchor) = match place.split_once(':') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (place, None),
    };
    let text = fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))?;
    let lines = match anchor {
        Some(anchor) => between(&text, anchor).ok_or(format!("{file} has no anchor {anchor}"))?,
        None => text
            .lines()
            .skip_while(|line| line.starts_with("//!") || line.is_empty())
            .collect(),
    };
    let lines = lines
        .into_iter()
        .filter(|line| !line.contains("// ANCHOR"))
        .map(|line| {
            if is_typed {
                typed(line)
            } else {
                line.to_owned()
            }
        });
    Ok(outdented(lines.collect()))
}

fn between<'a>(text: &'a str, anchor: &str) -> Option<Vec<&'a str>> {
    let is = |line: &str, word: &str| line.trim() == format!("// {word}: {anchor}");
    let mut lines = text.lines();
    lines.by_ref().find(|line| is(line, "ANCHOR"))?;
    let mut found = Vec::new();
    for line in lines {
        if is(line, "ANCHOR_END") {
            return Some(found);
        }
        found.push(line);
    }
    None
}

/// Returns the line without the bug that its sample expects.
fn typed(line: &str) -> String {
    let Some((before, rest)) = line.split_once("expect_bug = \"") else {
        return line.to_owned();
    };
    let (_, after) = rest.split_once('"').expect("a text has an end");
    let joined = match after.strip_prefix(", ") {
        Some(after) => format!("{before}{after}"),
        None => format!("{}{after}", before.trim_end_matches(", ")),
    };
    joined.replace("()]", "]")
}

/// Removes the common indentation.
fn outdented(lines: Vec<String>) -> Vec<String> {
    let indents = lines.iter().filter(|line| !line.is_empty());
    let least = indents
        .map(|line| line.len() - line.trim_start().len())
        .min();
    let least = least.unwrap_or(0);
    let cut = |line: String| line.get(least..).unwrap_or_default().to_owned();
    lines.into_iter().map(cut).collect()
}

/// Returns the pages of the book, the README, and those of the crates.
pub(super) fn pages() -> Vec<PathBuf> {
    let book = fs::read_dir(root().join("book/src")).expect("the book is there");
    let mut pages: Vec<PathBuf> = book
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    let packages = [
        ".",
        "actor-core",
        "actor-macros",
        "actor-test",
        "actor-test/cli",
    ];
    pages.extend(packages.map(|package| root().join(package).join("README.md")));
    pages.sort();
    pages
}

#[test]
fn what_is_shown_is_what_is_tested() {
    let update = std::env::var_os("UPDATE_BOOK").is_some();
    let (mut blocks, mut wrong) = (0, Vec::new());
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page is text");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match renewed(&page) {
            Err(error) => wrong.push(format!("{name}: {error}")),
            Ok((renewed, found)) => {
                blocks += found;
                if renewed != page && update {
                    fs::write(&path, renewed).expect("a page can be written");
                } else if renewed != page {
                    let lines = page.lines().zip(renewed.lines());
                    let first = lines
                        .enumerate()
                        .find(|(_, (shown, tested))| shown != tested);
                    wrong.push(format!(
                        "{name}, in line {}",
                        first.map_or(0, |(at, _)| at + 1)
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "the code on these pages is not that of its sources; \
         `UPDATE_BOOK=1 cargo test -p behaviour --test tidy shown` takes it over:\n{}",
        wrong.join("\n")
    );
    assert!(blocks > 30, "{blocks} blocks");
}

/// The first program must stay short.
#[test]
fn the_first_program_is_short() {
    let code = code("samples/src/first_program.rs, as typed").expect("the sample is there");
    let lines = code.iter().filter(|line| !line.is_empty());
    assert!(lines.count() <= 40, "it has grown");
}

/// Tests the test itself.
#[test]
fn a_difference_is_seen() {
    let line = "<!-- samples/src/first_program.rs, as typed -->";
    let (page, _) = renewed(&format!("{line}\n```rust\nother\n```\n")).expect("it can be read");
    assert!(page.contains("    #[actor_test]\n"), "{page}");
    assert!(
        page.starts_with(&format!("{line}\n```rust\nuse ")),
        "{page}"
    );
    let wrong = |page: &str| renewed(page).expect_err("it is wrong");
    assert!(wrong("```rust\nlet a = 1;\n```\n").contains("let a = 1;"));
    assert!(wrong(&format!("{line}\n\n```rust\n```\n")).contains("no Rust code follows"));
    assert!(wrong(&format!("{line}\n```rust\n")).contains("no end"));
    let gone = "<!-- samples/src/first_program.rs:gone -->\n```rust\n```\n";
    assert!(wrong(gone).contains("has no anchor gone"));
    assert_eq!(typed("#[actor_test(expect_bug = \"x\")]"), "#[actor_test]");
    assert_eq!(
        typed("#[actor_test(supervised, expect_bug = \"x\")]"),
        "#[actor_test(supervised)]"
    );
    assert_eq!(
        typed("#[actor_test(expect_bug = \"x\", supervised)]"),
        "#[actor_test(supervised)]"
    );
}
