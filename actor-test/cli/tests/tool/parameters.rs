//! Tests of parametrised tests: each combination is a test of its own.

use crate::project::{cargo_test, tool, traces};

const TARGET: &str = "--test parameters";

#[test]
fn listed() {
    let list = |filters: &[&str]| {
        let run = tool().args("list").args(TARGET);
        filters
            .iter()
            .fold(run, |run, filter| run.arg(filter))
            .run()
    };
    assert_eq!(
        list(&["::fails", "first=1]"]).stdout,
        "parameters::expected[first=1]\n\
         parameters::fails[first=0, name=\"it's\"]\n\
         parameters::fails[first=0, name=\"a b\"]\n\
         parameters::fails[first=1, name=\"it's\"]\n\
         parameters::fails[first=1, name=\"a b\"]\n"
    );
    let pairs = list(&["in_pairs"]).stdout;
    assert!((9..=12).contains(&pairs.lines().count()), "{pairs}");
    // A test whose values can't be listed is shown by its path, with the reason.
    let said = list(&["x_without_values"]);
    assert_eq!(said.stdout, "parameters::x_without_values\n");
    assert!(
        said.error()
            .contains("parameters::x_without_values, at tests/parameters.rs:"),
        "{}",
        said.stderr
    );
}

#[test]
fn run_and_counted_one_by_one() {
    let words = |flags: &str| {
        let traces = traces();
        let run = tool().args("fails in_pairs aborts").args(TARGET);
        run.args(flags).traces(&traces).run().words(1)
    };
    let said = words("-j 2");
    let pairs = said.matches("PASS  parameters::in_pairs[a=").count();
    assert!((9..=12).contains(&pairs), "{said}");
    assert!(
        said.ends_with(&format!("\n{} passed, 3 failed", pairs + 3)),
        "{said}"
    );
    for line in [
        "PASS  parameters::aborts[deed=\"none\"]  2 executions",
        "FAIL  parameters::aborts[deed=\"abort\"]  crash: the process was aborted",
        "PASS  parameters::fails[first=0, name=\"it's\"]  60 executions",
        "FAIL  parameters::fails[first=1, name=\"it's\"]  safety: always \"never eight\" is false",
        "FAIL  parameters::fails[first=1, name=\"a b\"]  safety: always \"never eight\" is false",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert_eq!(words("-j 1"), said);
}

/// The schedules depend only on the values, and each combination has its own.
#[test]
fn schedules_do_not_depend_on_other_combinations() {
    let executions = |filter: &str| {
        let said = tool().args("--format json").args(TARGET).arg(filter).run();
        let lines = said.stdout.lines();
        let reports = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut reports: Vec<_> = reports
            .filter(|line| line["type"] == "test")
            .map(|mut line| {
                let bugs = line["report"]["bugs"].as_array_mut().unwrap();
                let found = bugs
                    .first_mut()
                    .map(|bug| (bug["iteration"].clone(), bug["trace"]["decisions"].take()));
                (line["test"].clone(), line["report"]["steps"].take(), found)
            })
            .collect();
        reports.pop().map(|last| (last, reports))
    };
    let (last, before) = executions("fails[").unwrap();
    assert_eq!(before.len(), 3);
    let (alone, none) = executions("fails[first=1, name=\"a b\"]").unwrap();
    assert_eq!(none.len(), 0);
    assert_eq!(alone, last);
    // The two failing combinations differ only in a name without effect.
    assert_ne!(before[2].2, last.2);
}

#[test]
fn printed_commands_work() {
    let said = tool()
        .args(TARGET)
        .arg("fails[first=1, name=\"it's\"]")
        .run();
    let words = said.words(1);
    let command = |word: &str| {
        let line = words
            .lines()
            .find(|line| line.contains(word))
            .expect("the command");
        line.split("cargo actor-test ").nth(1).unwrap().to_owned()
    };
    // A concurrent test may have taken the file name without a suffix.
    let replay = command("replay:");
    let start = "replay target/actor-traces/specimens-parameters-fails-first=1-name=its-";
    assert!(replay.starts_with(start), "{replay}");
    let in_shell = |command: &str| {
        // The path of the checkout, and so of the tool, may contain a space.
        let run = crate::project::named("sh").arg("-c");
        run.arg(format!("\"$0\" actor-test {command}"))
            .arg(env!("CARGO_BIN_EXE_cargo-actor-test"))
            .run()
    };
    let replayed = in_shell(&command("replay:")).words(1);
    assert!(
        replayed.starts_with("trace of parameters::fails[first=1, name=\"it's\"]  safety: "),
        "{replayed}"
    );
    assert!(replayed.contains("\nreproduced: safety"), "{replayed}");
    let reproduced = in_shell(&command("reproduce:")).words(1);
    assert!(
        reproduced.contains("FAIL  parameters::fails[first=1, name=\"it's\"]  safety"),
        "{reproduced}"
    );
    assert!(reproduced.contains(&command("reproduce:")), "{reproduced}");
}

#[test]
fn a_trace_of_values_that_are_gone() {
    let traces = traces();
    let run = tool().args(TARGET).arg("fails[first=1, name=\"a b\"]");
    run.traces(&traces).run().words(1);
    let path = std::fs::read_dir(traces.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let gone = std::fs::read_to_string(&path).unwrap();
    let from = "\"test\": \"parameters::fails[first=1, name=\\\"a b\\\"]\"";
    assert!(gone.contains(from), "{gone}");
    let to = "\"test\": \"parameters::fails[first=1, name=\\\"b a\\\"]\"";
    std::fs::write(&path, gone.replace(from, to)).unwrap();
    // The digest includes the test with its values.
    let error = tool().arg("replay").arg(&path).args(TARGET).run();
    assert!(error.error().contains("was edited"), "{}", error.stderr);
}

#[test]
fn a_bug_that_one_combination_has() {
    let run = |filter: &str| tool().args(TARGET).arg(filter).run();
    let said = run("::expected").words(0);
    assert!(!said.contains("without the bug"), "{said}");
    let said = tool().args(TARGET).args("::expected -v").run().words(0);
    assert!(
        said.contains("PASS  parameters::expected[first=1]  found the expected bug: safety"),
        "{said}"
    );
    assert!(
        said.contains("without the bug \"never eight\", which is expected in one combination"),
        "{said}"
    );
    // If some combinations were not run, nothing is reported.
    assert!(
        run("::expected[first=0]")
            .words(0)
            .ends_with("\n1 passed, 0 failed")
    );
    let said = run("in_vain").words(1);
    let missing = "FAIL  parameters::in_vain  the expected bug \"never eight\" was found in none of 3 \
                   combinations; is it fixed?";
    assert!(said.contains(missing), "{said}");
    assert!(said.ends_with("\n3 passed, 1 failed"), "{said}");
}

#[test]
fn values_that_are_no_values() {
    let said = tool()
        .args(TARGET)
        .args("x_ parameters::expected")
        .run()
        .words(2);
    for (test, problem) in [
        ("without_values", "the parameter `n` has no values"),
        (
            "with_too_many",
            "10200 combinations of values are more than 10000; with `pairwise`",
        ),
        (
            "without_an_end",
            "the parameter `n` has more than 10000 values",
        ),
        ("with_one_twice", "the parameter `n` has the value 1 twice"),
        ("without_luck", "no values today"),
    ] {
        let from = said.find(&format!("ERROR parameters::x_{test}  "));
        let block = from.map(|from| said[from..].split("\nERROR").next().unwrap());
        assert!(
            block.is_some_and(|block| block.contains(problem)),
            "{test}\n{said}"
        );
    }
    assert!(
        said.ends_with("\n2 passed, 0 failed, 5 could not be run, 1 ignored"),
        "{said}"
    );
}

#[test]
fn under_cargo_test() {
    let test = |filter: &str, code| {
        let traces = traces();
        let run = cargo_test().args(TARGET).arg(filter);
        let said = run.args("-- --nocapture").traces(&traces).run();
        assert_eq!(said.code, Some(code), "{}\n{}", said.stdout, said.stderr);
        format!("{}\n{}", said.stdout, said.stderr)
    };
    let said = test("fails", 101);
    for name in ["it's", "a b"] {
        let passes = format!("PASS  parameters::fails[first=0, name=\"{name}\"]  60 executions");
        let fails = format!("FAIL  parameters::fails[first=1, name=\"{name}\"]  safety: always");
        assert!(said.contains(&passes) && said.contains(&fails), "{said}");
    }
    assert!(
        said.contains(
            "2 of 4 combinations failed, first in parameters::fails[first=1, name=\"it's\"]: actor test"
        ),
        "{said}"
    );
    assert!(test("expected", 0).contains("found the expected bug"));
    let said = test("in_vain", 101);
    assert!(
        said.contains("the expected bug \"never eight\" was found in none of 3 combinations"),
        "{said}"
    );
    let said = test("x_without_values", 101);
    assert!(said.contains("the parameter `n` has no values"), "{said}");
}
