//! The book's table of settings is complete.

use std::fs;

use super::{page, root};

fn source(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("the source is there")
}

/// Returns the quoted words between two texts of a source.
fn quoted(text: &str, from: &str, to: &str) -> Vec<String> {
    let (_, rest) = text.split_once(from).expect("the list is there");
    let (list, _) = rest.split_once(to).expect("the list has an end");
    let words = list.split('"').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

/// Returns the long flags of a struct of the command line.
fn flags(options: &str, of: &str) -> Vec<String> {
    let (_, rest) = options.split_once(of).expect("the struct is there");
    let (fields, _) = rest.split_once("\n}\n").expect("the struct has an end");
    let arguments = fields.split("#[arg(").skip(1);
    let flag = |argument: &str| {
        let (attribute, field) = argument.split_once(")]\n").expect("a field follows");
        if !attribute.contains("long") || attribute.contains("hide = true") {
            return None;
        }
        if let Some((_, named)) = attribute.split_once("long = \"") {
            return named.split_once('"').map(|(name, _)| name.to_owned());
        }
        let (name, _) = field.split_once(':').expect("a field has a type");
        let name = name.trim().trim_start_matches("pub(crate) ");
        Some(name.replace('_', "-"))
    };
    arguments.filter_map(flag).collect()
}

#[test]
fn the_book_has_every_setting() {
    let page = page("settings.md");
    let environment = source("actor-test/src/protocol/environment.rs");
    let (constants, _) = environment
        .split_once("const SETTINGS")
        .expect("the list is there");
    let variables: Vec<&str> = constants
        .split("\"ACTOR_TEST_")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|name| *name != "REQUEST")
        .collect();
    assert!(variables.len() > 13, "{variables:?}");
    let help = source("actor-test/cli/src/options/mod.rs");
    for name in variables {
        assert!(
            page.contains(&format!("| `{name}` |")),
            "no variable {name}"
        );
        assert!(help.contains(name), "--help has no variable {name}");
    }
    let keys = quoted(&environment, "const KEYS", "];");
    assert!(keys.len() > 8, "{keys:?}");
    for key in keys {
        let has = |row: &str| {
            row.split('|')
                .nth(4)
                .is_some_and(|cell| cell.contains(&format!("`{key}`")))
        };
        assert!(page.lines().any(has), "no key {key} of the manifest");
    }
    let options = source("actor-macros/src/test/model.rs");
    let options = quoted(&options, "const ACCEPTED", "];");
    assert!(options.len() > 14, "{options:?}");
    for option in options {
        let forms = [format!("`{option}`"), format!("`{option} = ")];
        assert!(
            forms.iter().any(|form| page.contains(form)),
            "no option {option}"
        );
    }
    let options = |file| source(&format!("actor-test/cli/src/options/{file}.rs"));
    let mut flags_seen = flags(&options("explore"), "struct ExploreOptions {");
    flags_seen.extend(flags(&options("filter"), "struct Filter {"));
    assert!(flags_seen.len() > 25, "{flags_seen:?}");
    for flag in flags_seen {
        let is_there = page
            .match_indices(&format!("`--{flag}"))
            .any(|(at, found)| page[at + found.len()..].starts_with(['`', ' ', '=']));
        assert!(is_there, "no flag --{flag}");
    }
}
