//! Every type in the book's code has a stated import, since rustc does not always suggest one.

use std::collections::BTreeSet;
use std::fs;

use super::root;
use super::shown::pages;

/// Types that a page's program defines without showing them, and that share a name with ours.
const OWN: [(&str, &str); 3] = [
    ("actor.md", "Answer"),
    ("replication.md", "Group"),
    ("state-machines.md", "Error"),
];

/// Returns the words of a text that begin with a capital letter.
fn types(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(move |letter| !is_word(letter))
        .filter(|word| word.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

/// Returns the types that a file exports by `pub use`.
fn exported(text: &str) -> BTreeSet<&str> {
    text.split("pub use ")
        .skip(1)
        .filter_map(|rest| rest.split_once(';'))
        .flat_map(|(export, _)| types(export))
        .collect()
}

/// Returns the types that users must import by name: at the root of the crate or in its modules, and not in
/// its prelude.
fn outside_the_prelude<'a>(source: &'a str, modules: &'a [String]) -> BTreeSet<&'a str> {
    let (before, rest) = source
        .split_once("pub mod generated {")
        .expect("the root's exports come first");
    let (_, prelude) = rest
        .split_once("pub mod prelude {")
        .expect("the prelude comes last");
    let mut all = exported(before);
    all.extend(modules.iter().flat_map(|module| exported(module)));
    &all - &exported(prelude)
}

/// Returns the types in a page's code whose import the page does not state.
fn unsaid<'a>(page: &'a str, root: &BTreeSet<&str>) -> BTreeSet<&'a str> {
    let mut code = String::new();
    let mut is_code = false;
    let mut used = BTreeSet::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = line.starts_with("```rust");
        } else if is_code {
            let line = line.split("//").next().unwrap_or_default();
            code.push_str(line);
            let bare = line.replace("::", " ::");
            let is_path = |word: &str| bare.contains(&format!(" ::{word}"));
            used.extend(types(line).filter(|word| root.contains(word) && !is_path(word)));
        }
    }
    let own = |word: &&str| {
        let defines = |kind: &str| code.contains(&format!("{kind} {word}"));
        !["struct", "enum", "trait", "type"].into_iter().any(defines)
    };
    let said: BTreeSet<&str> = page
        .split("actor_core::")
        .skip(1)
        .map(|rest| rest.trim_start_matches(|letter: char| letter.is_lowercase() || letter == ':'))
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => types(list.split('}').next().unwrap_or_default()).collect::<Vec<_>>(),
            None => types(rest).take(1).collect(),
        })
        .collect();
    used.into_iter()
        .filter(own)
        .filter(|word| !said.contains(word))
        .collect()
}

#[test]
fn a_page_says_where_its_types_come_from() {
    let read = |path: &str| {
        let path = root().join("actor-core/src").join(path);
        fs::read_to_string(path).expect("it is there")
    };
    let source = read("lib.rs");
    let modules = ["journal", "services", "specification", "supervision"];
    let modules = modules.map(|module| read(&format!("{module}/mod.rs")));
    let root = outside_the_prelude(&source, &modules);
    let missing: Vec<String> = pages()
        .into_iter()
        .filter_map(|path| {
            let page = fs::read_to_string(&path).expect("a page is text");
            let mut unsaid = unsaid(&page, &root);
            for (_, own) in OWN.into_iter().filter(|(page, _)| path.ends_with(page)) {
                assert!(unsaid.remove(own), "{own} is not on {}", path.display());
            }
            (!unsaid.is_empty()).then(|| format!("{}: {unsaid:?}", path.display()))
        })
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn a_type_from_nowhere_is_seen() {
    let root = BTreeSet::from(["Backoff", "Node", "Pool"]);
    let page = "```rust\nlet pause = Backoff::new(a, b);\nlet node: Tree::Node = Pool(3);\n```\n";
    assert_eq!(unsaid(page, &root), BTreeSet::from(["Backoff", "Pool"]));
    let page = format!("{page}`use actor_core::{{Spawner, Backoff}};` is half of it.");
    assert_eq!(unsaid(&page, &root), BTreeSet::from(["Pool"]));
    let page = format!("{page}`use actor_core::services::{{Pool, Topics}};` is the rest.");
    assert_eq!(unsaid(&page, &root), BTreeSet::new());
}
