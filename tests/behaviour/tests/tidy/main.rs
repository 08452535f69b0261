//! Consistency of the sources and the book: rules that no lint checks.

mod faults;
mod front;
mod imports;
mod links;
mod mistakes;
mod settings;
mod shown;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns every Rust source below a folder, with its text.
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

/// Macro test cases are as short as possible; a module's tests are described by the module.
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
    // Concatenated, so that this file does not find itself.
    let left_over = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["ses:by=schedules", "g!("],
        ["todo", "!("],
        ["unimpl", "emented!("],
    ];
    for (path, text) in sources(&root()) {
        for word in left_over.map(|parts| parts.concat()) {
            assert!(!text.contains(&word), "{} contains {word}", path.display());
        }
    }
}

/// The production executor and the test executor implement one trait; the core knows neither.
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

/// Returns true for a string with four words in a row.
fn is_sentence(text: &str) -> bool {
    let is_word = |word: &&str| {
        let word = word.trim_end_matches([',', ':', ';']);
        !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_lowercase())
    };
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(4).any(|four| four.iter().all(is_word))
}

/// Findings of the engine are data; `report::words` makes the sentences.
#[test]
fn the_engine_makes_no_sentences() {
    // The program under test reads these, or who runs it: errors, the text of a panic without one, an abort.
    let are_read = [
        "the disk is not of this execution",
        "a panic whose payload is no text",
        "and the test supplies it with",
        "actor-test: a destructor that runs",
    ];
    // These address whoever changes the engine.
    let is_for_developers = |line: &str| {
        let said = [
            "expect(",
            "assert",
            "panic!(",
            "unreachable!(",
            ".contains(",
            "eprintln!(",
        ];
        line.trim_start().starts_with("//") || said.iter().any(|call| line.contains(call))
    };
    for (path, text) in sources(&root().join("actor-test/src/engine")) {
        if is_case(&path) || path.components().any(|part| part.as_os_str() == "disks") {
            continue;
        }
        for line in text.lines().filter(|line| !is_for_developers(line)) {
            let mut strings = line.split('"').skip(1).step_by(2);
            let found = strings
                .find(|text| is_sentence(text) && !are_read.iter().any(|read| text.contains(read)));
            assert_eq!(found, None, "{}", path.display());
        }
    }
    assert!(is_sentence(
        "`{name}` awaits something that nothing completes"
    ));
    assert!(!is_sentence("the clock stands"));
}

/// The book names the test of each rule, and every such test is named.
#[test]
fn the_book_names_the_tests_of_the_rules() {
    let book = fs::read_to_string(root().join("book/src/semantics.md")).expect("the page is there");
    let rules = fs::read_to_string(root().join("tests/behaviour/tests/all/semantics/rules.rs"))
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

/// The tests that the book names for both executors exist.
#[test]
fn the_tests_that_the_book_names_are_there() {
    let page = fs::read_to_string(root().join("book/src/delivery.md")).expect("the page is there");
    let tests = ["tests/behaviour/tests", "tests/production/tests"]
        .map(|below| sources(&root().join(below)));
    let mut named = 0;
    for (file, name) in page.split('`').filter_map(|code| code.split_once("::")) {
        let is_it = |path: &Path| path.file_stem().is_some_and(|stem| stem == file);
        let mut texts = tests.iter().flatten().filter(|(path, _)| is_it(path));
        let test = format!("fn {name}(");
        assert!(
            texts.any(|(_, text)| text.contains(&test)),
            "there is no test {file}::{name}"
        );
        named += 1;
    }
    assert!(named > 40, "{named} tests are named");
}

/// Returns the paths that a source uses of its own crate, without its tests.
fn uses(below: &Path, path: &Path, text: &str) -> Vec<Vec<String>> {
    let own = path.strip_prefix(below).expect("the source lies below");
    let mut module: Vec<String> = own
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    module.pop_if(|last| last == "mod");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let code: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
    let code = code.join("\n");
    let is_word = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
    let mut all = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if !code[..at].ends_with(|letter| is_word(letter) || letter == '$') {
            add_paths(&mut all, &[], &code[at + "crate::".len()..]);
        }
    }
    for (at, _) in code.match_indices("super::") {
        let mut rest = &code[at..];
        if code[..at].ends_with(|letter| is_word(letter) || letter == ':') {
            continue;
        }
        let mut from = module.clone();
        while let Some(after) = rest.strip_prefix("super::") {
            from.pop();
            rest = after;
        }
        add_paths(&mut all, &from, rest);
    }
    all
}

/// Adds the paths that begin here: one, or those of a group in braces.
fn add_paths(all: &mut Vec<Vec<String>>, from: &[String], text: &str) {
    let in_path = |letter: char| letter == '_' || letter == ':' || letter.is_ascii_alphanumeric();
    let end = text.find(|letter| !in_path(letter)).unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    let path = path.split("::").filter(|part| !part.is_empty());
    let path: Vec<String> = from
        .iter()
        .cloned()
        .chain(path.map(str::to_owned))
        .collect();
    let Some(group) = rest.strip_prefix('{') else {
        return all.push(path);
    };
    let (mut depth, mut begin) = (0, 0);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' | ',' if depth == 0 => {
                let part = group[begin..at].trim();
                if !part.is_empty() {
                    add_paths(all, &path, part);
                }
                begin = at + 1;
                if letter == '}' {
                    return;
                }
            }
            _ => {}
        }
    }
}

/// The dependencies between modules, each with the first source that has it, and the used path.
type ModuleDependencies = BTreeMap<String, BTreeMap<String, String>>;

/// Returns the dependencies between the submodules of `inside`; an empty path is the crate's root.
fn dependencies(of: &str, inside: &[&str]) -> ModuleDependencies {
    let src = root().join(of).join("src");
    let folder = inside
        .iter()
        .fold(src.clone(), |path, part| path.join(part));
    let is_front = |path: &Path| {
        let name = path.strip_prefix(&folder).expect("it lies in the folder");
        name == Path::new("lib.rs") || name == Path::new("mod.rs") || name.starts_with("bin")
    };
    let mut modules = ModuleDependencies::new();
    let sources: Vec<(PathBuf, String)> = sources(&folder)
        .into_iter()
        .filter(|(path, _)| !is_front(path) && !path.ends_with("tests.rs"))
        .collect();
    let module = |path: &Path| {
        let own = path.strip_prefix(&folder).expect("it lies in the folder");
        let first = own.iter().next().expect("a source has a name");
        first.to_string_lossy().trim_end_matches(".rs").to_owned()
    };
    for (path, _) in &sources {
        modules.entry(module(path)).or_default();
    }
    for (path, text) in &sources {
        for used in uses(&src, path, text) {
            let into = used.iter().map(String::as_str).collect::<Vec<_>>();
            let Some(target) = into.strip_prefix(inside).and_then(|rest| rest.first()) else {
                continue;
            };
            let file = path.strip_prefix(&src).unwrap_or(path).display();
            assert!(
                modules.contains_key(*target) || !inside.is_empty(),
                "{file} uses crate::{}: name the module that it lies in",
                used.join("::")
            );
            if modules.contains_key(*target) && *target != module(path) {
                let dependencies = modules
                    .get_mut(&module(path))
                    .expect("every module has dependencies");
                let door = format!("{file} uses {}", used.join("::"));
                dependencies.entry((*target).to_owned()).or_insert(door);
            }
        }
    }
    modules
}

/// Returns a dependency cycle, if there is one.
fn dependency_cycle(dependencies: &ModuleDependencies) -> Option<Vec<String>> {
    fn walk(
        dependencies: &ModuleDependencies,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> bool {
        let here = way.last().expect("a way has a beginning").clone();
        if let Some(at) = way[..way.len() - 1]
            .iter()
            .position(|module| *module == here)
        {
            way.drain(..at);
            return true;
        }
        if done.contains(&here) {
            return false;
        }
        for next in dependencies[&here].keys() {
            way.push(next.clone());
            if walk(dependencies, way, done) {
                return true;
            }
            way.pop();
        }
        done.insert(here);
        false
    }
    let mut done = BTreeSet::new();
    dependencies.keys().find_map(|module| {
        let mut way = vec![module.clone()];
        walk(dependencies, &mut way, &mut done).then_some(way)
    })
}

/// Asserts that the dependencies have no cycle; the message names the files.
fn assert_no_circle(dependencies: &ModuleDependencies) {
    if let Some(way) = dependency_cycle(dependencies) {
        let why = way
            .windows(2)
            .map(|door| dependencies[&door[0]][&door[1]].clone());
        let why: Vec<String> = why.collect();
        panic!(
            "modules use each other in a circle, {}:\n{}",
            way.join(" > "),
            why.join("\n")
        );
    }
}

/// The modules of the tester have no dependency cycle.
#[test]
fn modules_use_each_other_one_way() {
    let dependencies = dependencies("actor-test", &[]);
    assert!(
        dependencies["exploring"].contains_key("engine"),
        "imports are seen"
    );
    assert!(
        dependencies["tool"].contains_key("protocol"),
        "imports are seen"
    );
    assert_no_circle(&dependencies);
}

/// The modules of the engine have no dependency cycle.
#[test]
fn the_engines_modules_use_each_other_one_way() {
    let dependencies = dependencies("actor-test", &["engine"]);
    assert!(
        dependencies["running"].contains_key("world"),
        "imports are seen"
    );
    assert_no_circle(&dependencies);
}

/// The modules of the core have no dependency cycle.
#[test]
fn the_cores_modules_use_each_other_one_way() {
    let dependencies = dependencies("actor-core", &[]);
    assert!(
        dependencies["actor"].contains_key("asking"),
        "imports are seen"
    );
    assert!(
        dependencies["dispatch"].contains_key("production"),
        "imports are seen"
    );
    assert_no_circle(&dependencies);
}

/// The modules of the production executor have no dependency cycle.
#[test]
fn the_modules_of_production_use_each_other_one_way() {
    let dependencies = dependencies("actor-core", &["production"]);
    assert!(
        dependencies["actor"].contains_key("mailbox"),
        "imports are seen"
    );
    assert_no_circle(&dependencies);
}

/// Production runs the parts of actors that the seam has, and has no word for a controlled executor.
#[test]
fn production_has_no_word_for_the_tester() {
    let src = root().join("actor-core/src");
    let words = [
        "Action",
        "Awaited",
        "Dropped",
        "NewOperation",
        "Note",
        "Query",
        "Registration",
        "Request",
        "Runtime",
        "act",
        "arm",
        "choose",
        "current",
        "dropped",
        "note",
        "query",
        "register",
        "request",
        "runtime",
        "try_query",
        "try_with",
        "with",
    ];
    let mut is_imported = false;
    for (path, text) in sources(&src.join("production")) {
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            assert!(!line.contains("ontrolled"), "{}: {line}", path.display());
        }
        for used in uses(&src, &path, &text) {
            if let [first, second, ..] = used.as_slice()
                && first == "seam"
            {
                is_imported = true;
                let is_spoken = words.contains(&second.as_str());
                assert!(!is_spoken, "{}: seam::{second}", path.display());
            }
        }
    }
    assert!(is_imported, "imports are seen");
}

/// The trait between programs and the tester has few methods, since most calls are data.
#[test]
fn the_seam_has_few_methods() {
    let seam = root().join("actor-core/src/seam/runtime.rs");
    let text = fs::read_to_string(seam).expect("the seam is there");
    let methods = text.lines().filter(|line| line.starts_with("    fn "));
    let count = methods.count();
    assert!((10..=20).contains(&count), "{count} methods");
}

/// Returns a page of the book.
fn page(name: &str) -> String {
    fs::read_to_string(root().join("book/src").join(name)).expect("the page is there")
}

/// The book's tables list all modules of the tester, each above its dependencies.
#[test]
fn the_book_shows_the_modules_as_they_are() {
    let page = page("inside.md");
    let (whole, engine) = page
        .split_once("## The modules of the engine")
        .expect("the engine has a table of its own");
    assert_shown(whole, &dependencies("actor-test", &[]));
    assert_shown(engine, &dependencies("actor-test", &["engine"]));
}

/// The book's tables list all modules of the core, each above its dependencies.
#[test]
fn the_book_shows_the_cores_modules_as_they_are() {
    let page = page("inside-core.md");
    let (whole, production) = page
        .split_once("## The modules of production")
        .expect("the executor has a table of its own");
    assert_shown(whole, &dependencies("actor-core", &[]));
    assert_shown(production, &dependencies("actor-core", &["production"]));
}

/// Asserts that the first column of the tables in `text` lists all modules, each above its dependencies.
fn assert_shown(text: &str, dependencies: &ModuleDependencies) {
    let table = text.split("## The way of ").next();
    let rows = table.unwrap_or_default().lines();
    let modules: Vec<&str> = rows
        .filter_map(|row| row.strip_prefix("| `")?.split_once("` |"))
        .map(|(module, _)| module)
        .collect();
    let mut sorted = modules.clone();
    sorted.sort_unstable();
    assert!(
        sorted.iter().eq(dependencies.keys()),
        "{sorted:?} in the book"
    );
    let place = |module: &str| modules.iter().position(|known| *known == module);
    for (module, used) in dependencies {
        for (other, door) in used {
            assert!(
                place(module) < place(other),
                "`{module}` stands below `{other}` in the book, but {door}"
            );
        }
    }
}

/// The files and functions that the book names on the path of an event exist.
#[test]
fn the_way_of_an_event_is_the_way_of_the_sources() {
    let page = page("inside.md") + &page("inside-core.md");
    let words: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
    let mut stations = 0;
    for pair in words.windows(2) {
        let Some(file) = pair[0]
            .strip_suffix(".rs")
            .filter(|file| file.contains('/'))
        else {
            continue;
        };
        let of_tester = root().join("actor-test/src").join(file);
        let path = [root().join(file), of_tester]
            .map(|path| path.with_extension("rs"))
            .into_iter()
            .find(|path| path.is_file());
        let path = path.unwrap_or_else(|| panic!("there is no {}", pair[0]));
        let begin = format!("`{}`, `{}`", pair[0], pair[1]);
        if page.contains(&begin) && !pair[1].contains(['/', ' ']) {
            let text = fs::read_to_string(&path).expect("a source is text");
            let function = ["(", "<"].map(|next| format!("fn {}{next}", pair[1]));
            let is_there = function.iter().any(|function| text.contains(function));
            assert!(is_there, "there is no `{}` in {}", pair[1], pair[0]);
            stations += 1;
        }
    }
    assert!(stations > 20, "{stations} stations");
}

/// Tests the test itself: paths are found in all forms, and cycles are found.
#[test]
fn circles_are_found() {
    let below = Path::new("src");
    let text = "use crate::a::{b::C, d};\nuse crate::{e, f::{G, H}};\n// crate::no\n\
                use super::super::i;\nuse super::k;\n#[cfg(test)]\nuse crate::no;";
    let mut found: Vec<String> = uses(below, Path::new("src/x/y.rs"), text)
        .iter()
        .map(|path| path.join("::"))
        .collect();
    found.sort();
    assert_eq!(found, ["a::b::C", "a::d", "e", "f::G", "f::H", "i", "x::k"]);
    let one = |to: &str| BTreeMap::from([(to.to_owned(), String::new())]);
    let mut dependencies =
        ModuleDependencies::from([("a".into(), one("b")), ("b".into(), one("c"))]);
    dependencies.insert("c".into(), BTreeMap::new());
    assert_eq!(dependency_cycle(&dependencies), None);
    dependencies.insert("c".into(), one("b"));
    assert_eq!(
        dependency_cycle(&dependencies),
        Some(["b", "c", "b"].map(String::from).to_vec())
    );
}
