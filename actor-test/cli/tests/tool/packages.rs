//! Tests of equal names in two packages of a workspace, and in two targets of one.

use crate::project::{cargo_test, tool, traces};

#[test]
fn twins_are_listed_apart() {
    let list = tool().args("list twin --workspace").run().words(0);
    assert_eq!(
        list,
        "twin::fails -p one\ntwin::wakes -p one\ntwin::fails -p two\ntwin::wakes -p two"
    );
    // If only one of them is built, the name is unambiguous.
    let list = tool().args("list -p two").run().words(0);
    assert_eq!(list, "twin::fails\ntwin::wakes");
}

/// Returns the command after a word such as `replay:` in a report, without the tool's name.
fn typed(words: &str, command: &str, ending: &str) -> String {
    let typed = words
        .lines()
        .filter_map(|line| line.split_once(command))
        .map(|(_, typed)| typed.trim().replace("cargo actor-test ", ""))
        .find(|typed| typed.ends_with(ending));
    typed.unwrap_or_else(|| panic!("no {command} that ends with `{ending}`: {words}"))
}

/// The commands in each report lead to the same test and bug, from the same directory.
#[test]
fn twins_are_reported_and_reproduced_apart() {
    let traces = traces();
    let run = |arguments: &str, code| tool().args(arguments).traces(&traces).run().words(code);
    let words = run("twin::fails --workspace", 1);
    for package in ["one", "two"] {
        let head = format!("FAIL  twin::fails -p {package}  panic: ");
        assert!(words.contains(&head), "{words}");
        for command in ["reproduce:", "replay:    "] {
            let typed = typed(&words, command, &format!(" -p {package}"));
            assert!(!typed.contains("--workspace"), "{typed}");
            if command == "reproduce:" {
                let again = run(&typed, 1);
                assert!(again.contains("as all of its twins do"), "{again}");
            } else {
                assert!(
                    typed.contains(&format!("{package}-twin-fails.json")),
                    "{typed}"
                );
            }
        }
    }
    // The trace records the package of its test.
    let trace = traces.path().join("two-twin-fails.json");
    let again = tool().args("replay --workspace").arg(trace).run().words(1);
    assert!(again.contains("(twins/two/tests/twin.rs:"), "{again}");
    let said = tool()
        .args("twin::fails --workspace --reproduce random@0-1-v4")
        .run();
    let error = said.error();
    assert!(
        error.contains("twin::fails -p one, twin::fails -p two"),
        "{error}"
    );
}

#[test]
fn twins_are_covered_apart() {
    let directory = traces();
    tool()
        .args("twin::wakes --workspace --coverage")
        .arg(directory.path())
        .run()
        .words(0);
    for package in ["one", "two"] {
        let diagram = directory.path().join(format!("{package}.twin.Kid.dot"));
        assert!(diagram.is_file(), "{}", diagram.display());
    }
}

#[test]
fn under_cargo_test_the_command_names_the_package() {
    let said = cargo_test().args("-p two --test twin fails").run();
    assert_eq!(said.code, Some(101), "{said:?}");
    let named = said.stdout.lines().any(|line| {
        line.contains("reproduce:  cargo actor-test twin::fails --reproduce ")
            && line.ends_with(" -p two")
    });
    assert!(named, "{}", said.stdout);
}

/// A library and a binary of one package share modules, and so names of tests.
#[test]
fn a_library_and_a_program_are_told_apart() {
    let list = tool().args("list -p both").run().words(0);
    assert_eq!(
        list,
        "both::tests::fails --bin both\nboth::tests::wakes --bin both\n\
         both::tests::fails --lib\nboth::tests::wakes --lib"
    );
    let traces = traces();
    let run = |arguments: &str, code| tool().args(arguments).traces(&traces).run().words(code);
    let words = run("both::tests::fails -p both", 1);
    for target in ["--lib", "--bin both"] {
        let head = format!("FAIL  both::tests::fails {target}  panic: ");
        assert!(words.contains(&head), "{words}");
        for command in ["reproduce:", "replay:    "] {
            let typed = typed(&words, command, &format!(" -p both {target}"));
            // The output is redacted, so the path of the traces is restored.
            let typed = typed.replace("/tmp/.tmp…", &traces.path().to_string_lossy());
            let again = run(&typed, 1);
            assert!(again.contains("as all of its twins do"), "{again}");
        }
    }
}

/// JSON, JUnit and coverage distinguish the tests as well.
#[test]
fn a_library_and_a_program_are_told_apart_in_files() {
    let directory = traces();
    let path = directory.path();
    let said = tool()
        .args("both::tests::wakes -p both -i 3 --format json --junit")
        .arg(path.join("junit.xml"))
        .args("--coverage")
        .arg(path.join("coverage"))
        .run();
    assert_eq!(said.code, Some(0), "{said:?}");
    let lines = said.stdout.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let field = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        (field("test"), field("package"), field("target"))
    });
    let tests: Vec<_> = lines.filter(|(test, ..)| !test.is_empty()).collect();
    let test = |target: &str| {
        (
            "both::tests::wakes".to_owned(),
            "both".to_owned(),
            target.to_owned(),
        )
    };
    assert_eq!(tests, [test("--bin both"), test("--lib")]);
    let xml = std::fs::read_to_string(path.join("junit.xml")).expect("it was written");
    for suite in ["both", "both::bin/both"] {
        let head = format!("<testsuite name=\"{suite}\" tests=\"1\"");
        assert!(xml.contains(&head), "{xml}");
        assert!(xml.contains(&format!("classname=\"{suite}\"")), "{xml}");
    }
    for file in ["both.tests.Kid.dot", "bin.both.tests.Kid.dot"] {
        let file = path.join("coverage").join(file);
        let text = std::fs::read_to_string(&file);
        let text = text.unwrap_or_else(|_| panic!("{} is there", file.display()));
        assert!(text.contains("3"), "{text}");
    }
}

/// Parts of a search are merged for each of them.
#[test]
fn a_library_and_a_program_are_merged_apart() {
    let directory = traces();
    for number in [1, 2] {
        let arguments =
            format!("both::tests::wakes -p both -i 4 --partition {number}/2 --search-dir");
        tool().args(&arguments).arg(directory.path()).run().words(0);
    }
    let words = tool().arg("merge").arg(directory.path()).run().words(0);
    for target in ["--lib", "--bin both"] {
        let head = format!("PASS  both::tests::wakes -p both {target}  4 executions");
        assert!(words.contains(&head), "{words}");
    }
}
