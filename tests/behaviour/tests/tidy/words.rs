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

/// Words of a private language that are no part of an identifier in a library or a tool. Other English words
/// contain some of them, and test programs may have actors of that name.
const PARTS: [(&str, &str); 31] = [
    ("adopted", "child"),
    ("alike", "interchangeable, equal"),
    ("attention", "instrumented"),
    ("bark", "on_hang"),
    ("beyond", "outside, over_bound"),
    ("birth", "spawn"),
    ("born", "spawned"),
    ("chart", "model"),
    ("charted", "modelled"),
    ("crowded", "refused"),
    ("debt", "obligation"),
    ("debts", "obligations"),
    ("deed", "operation, effect"),
    ("deeds", "effects"),
    ("elsewhere", "other"),
    ("lane", "process, signals"),
    ("lap", "cycle path"),
    ("leftovers", "end state"),
    ("look", "observe, find, check"),
    ("looked", "observed, visited"),
    ("looking", "observing"),
    ("mishap", "fault"),
    ("owed", "pending"),
    ("owes", "is_pending"),
    ("owing", "obligations"),
    ("rerun", "re-execution"),
    ("stretch", "transition"),
    ("told", "reported, recorded"),
    ("whoever", "symmetric"),
    ("witness", "log, observer"),
    ("witnessed", "logged"),
];

/// The sources that a rule does not hold for: programs of users, and this file.
fn is_spared(path: &str) -> bool {
    path.contains("/samples/")
        || path.contains("/tests/behaviour/tests/ui/")
        || path.contains("/tests/behaviour/tests/all/macros/")
        || path.ends_with("/tidy/words.rs")
}

/// True for the sources of a library or a tool.
fn is_product(path: &str) -> bool {
    let crates = ["/actor-core/", "/actor-macros/", "/actor-test/"];
    crates.into_iter().any(|folder| path.starts_with(folder)) && !path.contains("/tests/")
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

/// Returns the code of a source: the text with blanks for comments and for the contents of strings.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let hashes = rest
            .bytes()
            .skip(1)
            .take_while(|byte| *byte == b'#')
            .count();
        let is_word = code.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let end = |close: &str, from: usize| {
            let found = rest[from..].find(close);
            found.map_or(rest.len(), |at| from + at + close.len())
        };
        let length = match letter {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            'r' if !is_word && rest[1 + hashes..].starts_with('"') => {
                end(&format!("\"{}", "#".repeat(hashes)), hashes + 2)
            }
            '"' => {
                let mut is_escaped = false;
                let close = rest[1..].find(|letter| {
                    let closes = letter == '"' && !is_escaped;
                    is_escaped = letter == '\\' && !is_escaped;
                    closes
                });
                close.map_or(rest.len(), |at| at + 2)
            }
            '\'' if rest.starts_with("'\"'") => 3,
            '\'' if rest.starts_with("'\\") => end("'", 3),
            _ => {
                code.push(letter);
                rest = &rest[letter.len_utf8()..];
                continue;
            }
        };
        code.extend(rest[..length].chars().map(|letter| match letter {
            '\n' => letter,
            _ => ' ',
        }));
        rest = &rest[length..];
    }
    code
}

/// Returns the words of an identifier: `KnownOperation` and `known_operation` have two.
fn parts(identifier: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut was_small = false;
    for letter in identifier.chars() {
        match parts.last_mut() {
            Some(last) if letter != '_' && !(letter.is_uppercase() && was_small) => {
                last.extend(letter.to_lowercase());
            }
            _ => parts.push(
                letter
                    .to_lowercase()
                    .filter(|letter| *letter != '_')
                    .collect(),
            ),
        }
        was_small = letter.is_lowercase();
    }
    parts
}

/// Returns the identifiers that have a private word, with the field's word for it. To look something up is an
/// honest phrase.
fn private_parts(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in code(text).lines().enumerate() {
        let lower = line.to_lowercase();
        for (part, then) in PARTS.iter().filter(|(part, _)| lower.contains(part)) {
            let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let has = |word: &&str| parts(word).iter().any(|one| one == part);
            let is_right = |word: &&str| word.contains("look_up") || is_test(line);
            for word in words.filter(|word| has(word) && !is_right(word)) {
                faults.push(format!(
                    "{}: `{part}` in `{word}` is called {then}",
                    number + 1
                ));
            }
        }
    }
    faults
}

/// True for the line that names a function, as each test has one.
fn is_test(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("async ");
    line.starts_with("fn ")
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
        let path = path.split_once("/../..").map_or(&*path, |(_, path)| path);
        let mut found = Vec::new();
        if !is_spared(path) {
            found.extend(faults(&text));
        }
        if is_product(path) {
            found.extend(private_parts(&text));
        }
        all.extend(found.into_iter().map(|fault| format!("{path}:{fault}")));
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

#[test]
fn a_private_part_of_a_name_is_seen() {
    let broken = "// born\nstruct BornActor; // born\nlet is_owed = 'a';\nlet text = \"owed \\\" born\n born\";\n";
    assert_eq!(
        private_parts(broken),
        [
            "2: `born` in `BornActor` is called spawned",
            "3: `owed` in `is_owed` is called pending"
        ]
    );
    let right = "fn it_is_born() {}\nself.look_up(r#\"born \" born\"#, '\"', '\\'', airborne);\nStillborn::new();\n";
    assert_eq!(private_parts(right), Vec::<String>::new());
}
