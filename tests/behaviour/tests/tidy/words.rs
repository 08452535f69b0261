//! The words of comments and names: sentences that begin without a noun, and words that the field has no use for.

use super::{root, sources};

/// The words with which no sentence of a comment begins: a reader who searches for an idea finds it by its
/// noun or its verb.
const BEGINNINGS: [&str; 11] = [
    "What", "Who", "Whom", "Whose", "Whoever", "Whether", "Where", "How", "It", "Its", "And",
];

/// Words of a private language, and the field's words for them. A test's name may have them.
const WORDS: [(&str, &str); 13] = [
    ("onlooker", "observer"),
    ("lookout", "fingerprinter"),
    ("luggage", "span context"),
    ("thermometer", "temperature"),
    ("household", "supervised children"),
    ("newborn", "spawned actor"),
    ("conceive", "create"),
    ("bury", "remove"),
    ("deadening", "ending early"),
    ("laboratory", "trials"),
    ("workshop", "arena"),
    ("interlude", "fault between steps"),
    ("vigil", "sentinel state"),
];

/// The sources that a rule does not hold for: programs of users, and this file.
fn is_spared(path: &str) -> bool {
    path.contains("/samples/")
        || path.contains("/tests/macros/tests/")
        || path.ends_with("/tidy/words.rs")
}

/// Returns the comments of a source: the line where each begins, and its text in one line.
fn comments(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut is_open, mut is_code) = (false, false);
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else {
            (is_open, is_code) = (false, false);
            continue;
        };
        let comment = comment.trim_start_matches(['/', '!']).trim();
        if comment.starts_with("```") {
            is_code = !is_code;
        }
        let is_item = comment.starts_with(['#', '-', '*', '|']);
        if comment.is_empty() || comment.starts_with("```") || is_code {
            is_open = false;
            continue;
        }
        let comment = comment.trim_start_matches(['#', '-', '*', '|', ' ']);
        match found.last_mut().filter(|_| is_open && !is_item) {
            Some((_, whole)) => *whole = format!("{whole} {comment}"),
            None => found.push((number + 1, comment.to_owned())),
        }
        is_open = true;
    }
    found
}

/// Returns the first words of the sentences in a text.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let ends = [". ", "! ", "? ", ".) "];
    let starts = ends.into_iter().flat_map(|end| {
        let after = text.match_indices(end).map(move |(at, _)| at + end.len());
        after.collect::<Vec<_>>()
    });
    let word = |at: usize| {
        text[at..]
            .split(|letter: char| !letter.is_alphanumeric())
            .next()
    };
    std::iter::once(0).chain(starts).filter_map(word)
}

fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (line, comment) in comments(text) {
        for word in beginnings(&comment).filter(|word| BEGINNINGS.contains(word)) {
            faults.push(format!(
                "{line}: a sentence begins with `{word}`: {comment}"
            ));
        }
    }
    let is_test = |line: &str| {
        line.trim_start()
            .trim_start_matches("async ")
            .starts_with("fn ")
    };
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !is_test(line)) {
        let lower = line.to_lowercase();
        for (word, then) in WORDS.iter().filter(|(word, _)| lower.contains(word)) {
            faults.push(format!("{}: `{word}` is called {then}", number + 1));
        }
    }
    faults
}

#[test]
fn comments_and_names_are_in_the_words_of_the_field() {
    let mut all = Vec::new();
    for (path, text) in sources(&root()) {
        let path = path.to_string_lossy().replace('\\', "/");
        if !is_spared(&path) {
            all.extend(
                faults(&text)
                    .into_iter()
                    .map(|fault| format!("{path}:{fault}")),
            );
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn what_breaks_a_rule_is_named() {
    let broken = "/// The key. It is\n/// unique.\n/// - Where it is\nstruct Onlooker;\n";
    let said = faults(broken);
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(
        said[0].starts_with("1: a sentence begins with `It`"),
        "{said:?}"
    );
    assert!(
        said[1].starts_with("3: a sentence begins with `Where`"),
        "{said:?}"
    );
    assert_eq!(said[2], "4: `onlooker` is called observer");
    let right = "/// The key, for instance `What`. Italics are not used.\n/// ```\n/// // What is it?\n/// ```\n";
    assert_eq!(faults(right), Vec::<String>::new());
    assert_eq!(
        faults("    fn an_onlooker_is_seen() {"),
        Vec::<String>::new()
    );
}
