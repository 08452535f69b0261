//! Tests of misbehaving programs: crashes, hangs and nondeterminism are reported, and other tests still run.

use insta::assert_snapshot;

use crate::project::{cargo_test, tool, traces};

#[track_caller]
fn report(test: &str) -> String {
    let traces = traces();
    // The test runs between two clean tests, with one child at a time.
    let tests = format!("a_first_clean_one z_a_last_clean_one bad::{test} -j 1 --hang-timeout 1s");
    let words = tool().args(&tests).traces(&traces).run().words(1);
    let first = "PASS  bad::a_first_clean_one  100 executions, [time]\n";
    assert!(
        words.starts_with(first),
        "the first test did not pass: {words}"
    );
    let last = words.find("\nPASS  bad::z_a_last_clean_one  100 executions, [time]\n");
    let last = last.unwrap_or_else(|| panic!("the last test did not pass: {words}"));
    assert!(words.ends_with("\n\n2 passed, 1 failed"), "{words}");
    let bad = words.find("\nFAIL  ").expect("the bad test fails");
    words[bad + 1..last].to_owned()
}

#[test]
fn abort() {
    assert_snapshot!(report("aborts"));
}

#[test]
fn stack_overflow() {
    assert_snapshot!(report("overflows"));
}

#[test]
fn exit() {
    assert_snapshot!(report("exits"));
}

#[test]
fn hang() {
    let words = report("hangs");
    assert_snapshot!(words);
}

#[test]
fn a_crash_is_reproduced_by_its_token() {
    let words = report("aborts");
    let token = words
        .split("--reproduce ")
        .nth(1)
        .expect("a token")
        .lines()
        .next()
        .unwrap();
    let again = tool()
        .args("bad::aborts --reproduce")
        .arg(token)
        .run()
        .words(1);
    assert!(
        again.contains("crash: the process was aborted (SIGABRT)"),
        "{again}"
    );
    assert!(
        again.contains(&format!("bad::aborts --reproduce {token}\n")),
        "{again}"
    );
}

/// Returns the path of the trace that the report names.
#[track_caller]
fn trace_of(words: &str) -> &str {
    let line = words.split("replay:     cargo actor-test replay ").nth(1);
    let path = line.and_then(|line| line.split_whitespace().next());
    path.expect("a trace was written")
}

/// The trace of a crash or hang has a story, and its replay ends in the same way.
#[test]
fn what_ends_a_process_is_shown_and_replayed() {
    for (test, kind, end) in [
        ("aborts", "crash", "ends the process"),
        ("hangs", "hang", "does not return"),
    ] {
        let traces = traces();
        let run = tool()
            .args(&format!("bad::{test} --hang-timeout 1s -s dfs"))
            .traces(&traces)
            .run();
        let words = run.words(1);
        let name = trace_of(&words).rsplit('/').next().expect("a file");
        let path = traces.path().join(name);
        let last = format!("4  0  Villain  handles Go from test, chooses 0, {end}");
        for (command, code) in [("show", 0), ("replay --hang-timeout 1s", 1)] {
            let again = tool().args(command).arg(&path).run().words(code);
            assert!(again.contains(&last), "{command}: {again}");
            let reproduced = format!("\nreproduced: {kind}: ");
            assert_eq!(again.contains(&reproduced), code == 1, "{command}: {again}");
        }
    }
}

/// The reported iteration is the same with several workers.
#[test]
fn a_crash_is_pinned_whatever_the_workers() {
    let words = |workers: &str| tool().args("bad::aborts -j").arg(workers).run().words(1);
    assert_eq!(words("1"), words("2"));
}

#[test]
fn panic_outside_an_actor() {
    assert_snapshot!(report("panics_outside"));
}

#[test]
fn leaked_threads() {
    assert_snapshot!(report("leaks_threads"));
}

#[test]
fn a_pool_is_a_warning() {
    let words = tool().args("has_a_pool").run().words(0);
    assert!(
        words.contains("warning: 1 thread that the test started still runs after it"),
        "{words}"
    );
}

#[test]
fn a_static_that_changes() {
    let words = report("counts_in_a_static");
    assert!(
        words.starts_with(
            "FAIL  bad::counts_in_a_static  nondeterminism: the same decisions led to different executions"
        ),
        "{words}"
    );
    assert!(words.contains("a static"), "{words}");
}

/// The virtual clock stands still during a handler, so a handler that waits for it never returns.
#[test]
fn a_handler_that_waits_for_the_clock() {
    let words = report("waits_for_the_clock");
    assert!(
        words.starts_with(
            "FAIL  bad::waits_for_the_clock  hang: no step was finished for 1 s: `Villain` handles Go"
        ),
        "{words}"
    );
    assert!(
        words.contains("the clock, which stands still meanwhile"),
        "{words}"
    );
}

#[test]
fn tokio_timer() {
    assert_snapshot!(report("awaits_tokio"));
}

#[test]
fn under_cargo_test_a_hang_ends_the_process() {
    let said = cargo_test()
        .args("--test bad hangs")
        .env("ACTOR_TEST_HANG_TIMEOUT", "1s")
        .run();
    assert_eq!(said.code, Some(101), "{said:?}");
    assert!(
        said.stderr.contains(
            "FAIL  bad::hangs  hang: no step was finished for 1 s: `Villain` handles Go from test"
        ),
        "{}",
        said.stderr
    );
    assert!(
        said.stderr
            .contains("Villain  handles Go from test, chooses 0, does not return"),
        "{}",
        said.stderr
    );
    assert!(
        said.stderr
            .contains("reproduce:  cargo actor-test bad::hangs --reproduce "),
        "{}",
        said.stderr
    );
}

/// Each specimen ends the process of `cargo test` during an execution. The output then names the test and the
/// iteration, and the printed command reproduces the crash.
#[test]
fn under_cargo_test_who_ends_the_process_is_named() {
    if !cfg!(target_os = "linux") {
        return;
    }
    for (test, why) in [
        ("aborts", "the process was aborted (SIGABRT)"),
        ("overflows", "or the stack overflowed"),
        ("exits", "the process was asked to exit"),
    ] {
        let said = cargo_test().args(&format!("--test bad {test}")).run();
        assert_eq!(said.code, Some(101), "{said:?}");
        let start = format!("FAIL  bad::{test}  crash in iteration ");
        let words = said.stderr.split(&start).nth(1);
        let words = words.unwrap_or_else(|| panic!("{}", said.stderr));
        let (first, rest) = words.split_once('\n').expect("more lines");
        assert!(first.contains(why), "{words}");
        let iteration = first.split(':').next().expect("a number");
        let command = format!("reproduce:  cargo actor-test bad::{test} --reproduce ");
        let command = rest.trim_start().strip_prefix(&command);
        let token = command.and_then(|command| command.split_whitespace().next());
        let token = token.unwrap_or_else(|| panic!("{words}"));
        assert!(token.contains(&format!("-{iteration}-")), "{words}");
        let again = tool()
            .args(&format!("bad::{test} --reproduce {token}"))
            .run()
            .words(1);
        assert!(again.contains("`Villain` handles Go from test"), "{again}");
    }
}

/// The report names the iteration, which workers that explore parts of a search don't know.
#[test]
#[ignore = "a search of 14 000 executions, four times"]
fn a_hang_in_a_part_of_a_search() {
    let said = |workers: &str| {
        let traces = traces();
        let run = tool()
            .args("bad::late_to_hang --exhaustive --hang-timeout 2s -j")
            .arg(workers)
            .traces(&traces)
            .run();
        run.words(1)
    };
    let alone = said("1");
    let iteration = alone.split("iteration ").nth(1).and_then(|rest| {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<u64>().ok()
    });
    // The search was divided long before that iteration.
    assert!(
        iteration.is_some_and(|iteration| iteration > 10_000),
        "{alone}"
    );
    assert!(
        alone.contains("hang: no step was finished for 2 s"),
        "{alone}"
    );
    assert_eq!(said("3"), alone);
}
