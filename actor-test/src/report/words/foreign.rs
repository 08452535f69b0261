//! Detects `select!` macros of other crates in the sources that a story passes through. These draw their
//! first branch from a generator that the tester does not control.

use std::collections::BTreeSet;
use std::env;
use std::fs;

use crate::data::story::{Effect, Story};

/// A `select!` of another crate in a source file.
struct Foreign {
    /// The macro, `tokio::select!` for instance.
    name: String,
    first_line: usize,
    last_line: usize,
}

/// Lists each `select!` without a fixed order, with its place and a replacement.
pub(crate) fn selects(story: &Story) -> Option<String> {
    let effects = story.steps.iter().flat_map(|step| &step.effects);
    let places: BTreeSet<(&str, usize)> = effects
        .filter_map(|effect| match effect {
            Effect::Accessed { place, .. } => place.rsplit_once(':'),
            _ => None,
        })
        .filter_map(|(file, line)| Some((file, line.parse().ok()?)))
        .collect();
    let files: BTreeSet<&str> = places.iter().map(|(file, _)| *file).collect();
    let mut found = Vec::new();
    for file in files {
        let all = source(file).map_or_else(Vec::new, |text| foreign(&text));
        let is_passed = |of: &&Foreign| {
            let lines = of.first_line..=of.last_line;
            let mut there = places.iter().filter(|(at, _)| *at == file);
            there.any(|(_, line)| lines.contains(line))
        };
        let passed: Vec<&Foreign> = all.iter().filter(is_passed).collect();
        let meant = match passed.is_empty() {
            true => all.iter().collect(),
            false => passed,
        };
        found.extend(meant.into_iter().map(|of| {
            let (name, line) = (&of.name, of.first_line);
            let ordered = match name.starts_with("futures") {
                true => "`select_biased!`",
                false => "`biased;` in it",
            };
            format!(
                "`{name}` at {file}:{line} draws its order from a generator of its own: write \
                 `actor_core::select!`, or {ordered}"
            )
        }));
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// Returns the text of a source file, whose path is relative to the workspace or to the package.
fn source(file: &str) -> Option<String> {
    let here = env::current_dir().ok()?;
    here.ancestors()
        .find_map(|above| fs::read_to_string(above.join(file)).ok())
}

/// Returns the `select!` macros of other crates in a text.
fn foreign(text: &str) -> Vec<Foreign> {
    let line_of = |at: usize| 1 + text[..at].matches('\n').count();
    let all = text.match_indices("select!");
    let all = all.filter_map(|(at, word)| {
        let line_start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &text[line_start..at];
        if before.trim_start().starts_with("//") {
            return None;
        }
        let name = match before.strip_suffix("::") {
            Some(path) => {
                let is_path = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
                let start = path.rfind(|letter| !is_path(letter));
                path[start.map_or(0, |start| start + 1)..].to_owned()
            }
            None if before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_') => {
                return None;
            }
            None => imported_from(text)?,
        };
        let is_other = ["tokio", "futures", "futures_util"].contains(&name.trim_start_matches(':'));
        let body = text[at + word.len()..].trim_start();
        let inside = body.strip_prefix(['{', '(', '['])?;
        if !is_other || inside.trim_start().starts_with("biased") {
            return None;
        }
        let from = text.len() - body.len();
        Some(Foreign {
            name: format!("{name}::select!"),
            first_line: line_of(at),
            last_line: line_of(from + length(body)),
        })
    });
    all.collect()
}

/// Returns the crate from which a `use` imports `select`.
fn imported_from(text: &str) -> Option<String> {
    let mut uses = text.split(';').filter_map(|item| {
        let item = &item[item.rfind("use ")? + "use ".len()..];
        let mut words = item.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        words.any(|word| word == "select").then_some(item)
    });
    let (root, _) = uses.next()?.split_once("::")?;
    Some(root.trim().to_owned())
}

/// Returns the length of a text from its opening bracket to the matching closing one.
fn length(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Lists the sources of nondeterminism that the tester does not control.
pub fn uncontrolled() -> &'static str {
    match actor_test_os::takes_effect() {
        true => {
            "a static that changes, a thread, an address as a number, and randomness that does not \
             come from the system: fastrand, ahash, foldhash, `tokio::select!` without `biased`"
        }
        false => {
            "iterating over a HashMap or HashSet, randomness other than cx.rng(), the system's clock, a \
             static, or a thread"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::foreign;

    fn found(text: &str) -> Vec<(String, usize, usize)> {
        let all = foreign(text).into_iter();
        all.map(|of| (of.name, of.first_line, of.last_line))
            .collect()
    }

    #[test]
    fn those_without_an_order_are_found() {
        let text = "\
            use std::mem;\n\
            use tokio::{select, time};\n\
            // tokio::select! { a = b => c }\n\
            fn f() {\n\
            select! {\n\
            _ = a => {}\n\
            }\n\
            let x = futures::select! { b = c => d };\n\
            tokio::select! {\n\
            biased;\n\
            a = b => c\n\
            }\n\
            actor_core::select! { a = b => c }\n\
            preselect! { a }\n\
            futures::select_biased! { a = b => c }\n\
            ";
        let right = [("tokio::select!", 5, 7), ("futures::select!", 8, 8)];
        let right = right.map(|(name, from, to)| (name.to_owned(), from, to));
        assert_eq!(found(text), right);
        assert_eq!(
            found("use actor_core::{Actor, select};\nselect! { a = b => c }"),
            []
        );
        assert_eq!(found("select! { a = b => c }"), []);
        assert_eq!(found("tokio::select!"), []);
        assert_eq!(
            found("tokio::select! { a = b"),
            [("tokio::select!".into(), 1, 1)]
        );
    }
}
