//! What lints can't see in the sources.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust source of ours below a folder, with its text.
fn sources(below: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let entries = fs::read_dir(below).expect("the folder is there");
    for entry in entries {
        let path = entry.expect("the folder can be read").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && !name.ends_with(".out.rs") {
            let text = fs::read_to_string(&path).expect("a source is text");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// The cases of macros are as short as they can be; a module's tests are described by it.
fn is_case(path: &Path) -> bool {
    let path = path.to_string_lossy().replace('\\', "/");
    path.ends_with("/tests.rs")
        || path.contains("/tests/ui/")
        || path.contains("/tests/pass/")
        || path.contains("/snapshots/")
}

#[test]
fn every_source_begins_with_what_it_is_about() {
    for (path, text) in sources(&root()).iter().filter(|(path, _)| !is_case(path)) {
        assert!(
            text.starts_with("//!"),
            "{} has no module documentation",
            path.display()
        );
    }
}

#[test]
fn nothing_is_left_over() {
    // Put together, so that this file does not find itself.
    let left_over = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["db", "g!("],
        ["todo", "!("],
        ["unimpl", "emented!("],
    ];
    for (path, text) in sources(&root()) {
        for word in left_over.map(|parts| parts.concat()) {
            assert!(!text.contains(&word), "{} contains {word}", path.display());
        }
    }
}

/// Production and test executors meet at one trait; the core does not know who implements it.
#[test]
fn the_core_knows_nothing_of_testing() {
    let core = root().join("actor-core");
    let manifest = fs::read_to_string(core.join("Cargo.toml")).expect("the manifest is there");
    assert!(
        !manifest.contains("actor-test"),
        "actor-core must not depend on the tester"
    );
    for (path, text) in sources(&core.join("src")) {
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            assert!(!line.contains("actor_test"), "{}: {line}", path.display());
        }
    }
}

/// A strategy sees operations and choices, never the user's types.
#[test]
fn strategies_see_no_user_types() {
    for (path, text) in sources(&root().join("actor-test/src/strategy")) {
        // An example in the docs may show a program.
        let mut code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        assert!(
            !code.any(|line| line.contains("actor_core")),
            "{} uses actor-core",
            path.display()
        );
    }
}

/// The book names the test beside each rule, and every such test is named.
#[test]
fn the_book_names_the_tests_of_the_rules() {
    let book = fs::read_to_string(root().join("book/src/semantics.md")).expect("the page is there");
    let rules = fs::read_to_string(root().join("tests/behaviour/tests/rules.rs"))
        .expect("the tests are there");
    let names = |text: &str, before: &str| -> Vec<String> {
        let starts = text
            .match_indices(before)
            .map(|(at, _)| &text[at + before.len()..]);
        let name = |rest: &str| {
            let end = rest.find(|letter: char| letter != '_' && !letter.is_ascii_alphanumeric());
            format!("rule_{}", &rest[..end.unwrap_or(rest.len())])
        };
        let mut names: Vec<String> = starts.map(name).collect();
        names.sort();
        names
    };
    assert_eq!(names(&book, "`rule_"), names(&rules, "fn rule_"));
}

/// What the book says of both executors has tests beside it, and they are there.
#[test]
fn the_tests_that_the_book_names_are_there() {
    let page = fs::read_to_string(root().join("book/src/delivery.md")).expect("the page is there");
    let folders = ["tests/behaviour/tests", "actor-core/tests"];
    let mut named = 0;
    for (file, name) in page.split('`').filter_map(|code| code.split_once("::")) {
        let texts = folders.map(|folder| {
            let path = root().join(folder).join(file).with_extension("rs");
            fs::read_to_string(path).unwrap_or_default()
        });
        let test = format!("fn {name}(");
        assert!(
            texts.iter().any(|text| text.contains(&test)),
            "there is no test {file}::{name}"
        );
        named += 1;
    }
    assert!(named > 40, "{named} tests are named");
}
