//! The roots of the crates show few names; the others are in modules.

use std::fs;

use super::root;

/// Returns the public names at the root of a crate, with the modules and the macros, but not the hidden ones.
fn names(crate_root: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut items = crate_root;
    while let Some(at) = items.find("\npub ") {
        let (before, item) = items.split_at(at);
        let item = &item["\npub ".len()..];
        let is_hidden = before.ends_with("#[doc(hidden)]");
        let end = match item.strip_prefix("use ") {
            Some(exports) => {
                let (exports, _) = exports.split_once(';').expect("an export has an end");
                let (_, list) = exports.rsplit_once("::").expect("an export has a path");
                let list = list.trim_end_matches('}');
                let exported = list.split(['{', ',']).map(str::trim);
                let exported = exported.filter(|name| !name.is_empty() && !is_hidden);
                names.extend(exported);
                exports.len()
            }
            None => {
                let mut words =
                    item.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                names.extend(words.nth(1).filter(|_| !is_hidden));
                0
            }
        };
        items = &item[end..];
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the number of macros by example that a crate exports.
fn macros(crate_name: &str) -> usize {
    let sources = super::sources(&root().join(crate_name).join("src"));
    let exported = sources
        .iter()
        .flat_map(|(_, text)| text.split("#[macro_export]").skip(1));
    let shown = exported.filter(|rest| !rest.trim_start().starts_with("macro_rules! __"));
    shown.count()
}

#[test]
fn the_roots_show_few_names() {
    for (crate_name, most) in [("actor-core", 60), ("actor-test", 45)] {
        let path = root().join(crate_name).join("src/lib.rs");
        let text = fs::read_to_string(path).expect("the crate has a root");
        let names = names(&text);
        let count = names.len() + macros(crate_name);
        assert!(count <= most, "{crate_name} shows {count} names: {names:?}");
        assert!(count > 10, "{crate_name}: {names:?}");
    }
}

/// Tests the test itself.
#[test]
fn each_name_is_counted_once() {
    let text = "//! Docs.\n\n#[doc(hidden)]\npub mod inner;\nmod own;\npub mod shown;\n\
                pub use macros::{Twice, one};\npub use own::Twice;\npub use own::sub::{\n    A, B,\n};\n\
                pub mod front {\n    pub use crate::own::C;\n}\n";
    assert_eq!(names(text), ["A", "B", "Twice", "front", "one", "shown"]);
}
