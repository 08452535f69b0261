//! Tests of traces: identical bytes from all runs, replays, formats, damage.

use std::fs;
use std::path::{Path, PathBuf};

use actor_test::story::Story;
use insta::assert_snapshot;
use tempfile::TempDir;

use crate::project::{cargo_test, copy, redact, tool, traces};

const NAME: &str = "specimens-tests-never_six.json";

/// Returns the trace of a failing test, in a directory of its own.
fn failing() -> (TempDir, PathBuf) {
    let traces = traces();
    tool().args("never_six").traces(&traces).run().words(1);
    let path = traces.path().join(NAME);
    (traces, path)
}

fn read(directory: &TempDir) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read_to_string(path).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_same_bytes_for_any_workers_and_under_cargo_test() {
    let written = |run: crate::project::Run| {
        let traces = traces();
        run.short_of_steps().traces(&traces).run();
        read(&traces)
    };
    let one = written(tool().args("tests:: -j 1"));
    assert_eq!(
        one.len(),
        4,
        "{:?}",
        one.iter().map(|(name, _)| name).collect::<Vec<_>>()
    );
    assert_eq!(one, written(tool().args("tests:: -j 2")));
    // A single test gets both workers.
    assert_eq!(one[2], written(tool().args("never_six -j 2"))[0]);
    // `cargo test` does not minimise an expected bug.
    let unexpected = |all: Vec<(String, String)>| {
        let all = all.into_iter();
        all.filter(|(name, _)| !name.contains("expected"))
            .collect::<Vec<_>>()
    };
    let under_cargo = written(cargo_test().args("--lib tests::"));
    assert_eq!(under_cargo.len(), one.len());
    assert_eq!(unexpected(one), unexpected(under_cargo));
}

#[test]
fn a_trace_is_a_document() {
    let (_traces, path) = failing();
    assert_snapshot!(fs::read_to_string(path).unwrap());
}

#[test]
fn replayed() {
    let (_traces, path) = failing();
    assert_snapshot!(tool().arg("replay").arg(&path).run().words(1));
}

#[test]
fn shown() {
    let (_traces, path) = failing();
    assert_snapshot!(tool().arg("show").arg(&path).run().words(0));
}

#[test]
fn replayed_when_the_bug_is_fixed() {
    let (_traces, path) = failing();
    let words = tool()
        .arg("replay")
        .arg(&path)
        .args("--lib --features fixed")
        .run()
        .words(0);
    assert!(
        words.contains("\nno bug any more: the recorded schedule ran to its end without safety"),
        "{words}"
    );
    assert!(
        words.contains("\nnear it:    ") && words.contains(" had no bug either"),
        "{words}"
    );
    let replay = |arguments: &str| {
        let tool = tool()
            .arg("replay")
            .arg(&path)
            .args("--lib --features fixed");
        tool.args(arguments).run().words(0)
    };
    assert!(!replay("--near 0").contains("near it"));
    let document: serde_json::Value = serde_json::from_str(&replay("--format json")).unwrap();
    assert_eq!(document["format"], "actor-test replay");
    assert_eq!(document["recorded"]["kind"], "invariant");
    assert!(document["finding"].is_null() && document["near"]["bug"].is_null());
    assert!(document["near"]["executions"].as_u64().unwrap() > 100);
}

/// Minimising a minimal trace removes nothing, but still prints the story and the causes.
#[test]
fn minimized_once_more() {
    let (_traces, path) = failing();
    let before = fs::read_to_string(&path).unwrap();
    let minimize = |arguments: &str| {
        let tool = tool().arg("minimize").arg(&path);
        tool.args(arguments).run().words(0)
    };
    let words = minimize("");
    for said in [
        "trace of specimens::tests::never_six  safety: always \"never six\" is false",
        "  Cell     handles Double from Doubler",
        "\nnothing can be left out: it is as short as can be found\n",
        "\nneeds:      `Add` from Adder (step 8) before `Double` from Doubler (step 10) at Cell; ",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
    // Steps are not reported as needed if dropping them was not tried.
    let words = minimize("--budget 1");
    assert!(words.contains("\nminimised:  nothing is left out so far"));
    assert!(!words.contains("as short as can be found"), "{words}");
    let document: serde_json::Value = serde_json::from_str(&minimize("--format json")).unwrap();
    assert_eq!(document["format"], "actor-test minimize");
    assert!(document["minimized"].is_null());
    let shown = tool().arg("show").arg(&path).args("--format json").run();
    let shown: serde_json::Value = serde_json::from_str(&shown.words(0)).unwrap();
    assert!(shown["causes"].is_object());
    assert_eq!(document["trace"], shown);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    // After a change of the program, the trace keeps its information.
    let words = minimize("--lib --features fixed");
    assert!(
        words.contains(", or the program was changed since it"),
        "{words}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

/// The pinned test is the only text on standard output.
#[test]
fn minimized_as_a_test() {
    let (_traces, path) = failing();
    let tool = tool().arg("minimize").arg(&path).arg("--as-test");
    let source = tool.run().words(0);
    for line in [
        "/// safety: always \"never six\" is false",
        "fn never_six_pinned() {",
        "        \"tests::never_six\",",
        "            (\"test\", \"starts\"),",
        "            (\"Adder\", \"sends Add to Cell\"), // sends Add(3) to Cell",
        "            (\"Cell\", \"handles Double\"), // handles Double from Doubler",
        "    followed.assert_clean();",
    ] {
        assert!(
            source.lines().any(|other| other == line),
            "{line}: {source}"
        );
    }
    assert!(
        source.starts_with("///") && source.trim_end().ends_with('}'),
        "{source}"
    );
}

#[test]
fn replayed_when_the_program_is_changed() {
    let (_traces, path) = failing();
    let words = tool()
        .arg("replay")
        .arg(&path)
        .args("--lib --features changed")
        .run()
        .words(1);
    for said in [
        "\ndiverged at step 3: as recorded, `test` spawns Adder; now, `test` sends Add(0) to Cell",
        "\n      it went on, and the bug is still there: safety: always \"never six\" is false",
    ] {
        assert!(words.contains(said), "{words}");
    }
}

/// A fix may change the steps of the schedule; the remaining steps are followed to the end.
#[test]
fn replayed_when_the_program_is_changed_and_right() {
    let (_traces, path) = failing();
    let tool = tool().arg("replay").arg(&path);
    let words = tool
        .args("--lib --features fixed,changed --near 0")
        .run()
        .words(0);
    for said in [
        "\ndiverged at step 3: as recorded, `test` spawns Adder; now, `test` sends Add(0) to Cell",
        "\n      no bug any more: the recorded steps were followed by name, as far as they are still there, ",
    ] {
        assert!(words.contains(said), "{words}");
    }
}

/// The JSON document has the same story, with its texts written out.
#[test]
fn a_story_is_a_document() {
    let (_traces, path) = failing();
    let said = tool().arg("show").arg(&path).args("--format json").run();
    let document: serde_json::Value = serde_json::from_str(&said.words(0)).unwrap();
    assert_snapshot!(serde_json::to_string_pretty(&document).unwrap());
    let story: Story = serde_json::from_value(document).unwrap();
    assert_eq!(story.steps.len(), 12);
}

/// The page contains the document, and requests nothing over the network.
#[test]
fn a_story_is_a_page() {
    let (traces, path) = failing();
    let file = traces.path().join("story.html");
    let said = tool()
        .arg("show")
        .arg(&path)
        .arg("--html")
        .arg(&file)
        .run()
        .words(0);
    assert!(
        said.starts_with("wrote ") && said.contains("story.html: open it in a browser"),
        "{said}"
    );
    let page = fs::read_to_string(file).unwrap();
    let (_, rest) = page
        .split_once("id=\"story\">")
        .expect("the story's element");
    let (document, _) = rest.split_once("</script>").expect("its end");
    let story: Story = serde_json::from_str(document).unwrap();
    assert_eq!(story.steps.len(), 12);
}

#[test]
fn a_page_that_cant_be_written() {
    let (traces, path) = failing();
    let file = traces.path().join("nowhere/story.html");
    let said = tool().arg("show").arg(&path).arg("--html").arg(&file).run();
    assert!(said.error().contains("can't write the page to"), "{said:?}");
}

#[test]
fn a_story_for_mermaid() {
    let (_traces, path) = failing();
    assert_snapshot!(
        tool()
            .arg("show")
            .arg(&path)
            .args("--format mermaid")
            .run()
            .words(0)
    );
}

#[test]
fn printed_commands_work() {
    let said = tool().args("tests::never_six").run();
    let command = |word: &str| {
        let line = said
            .stdout
            .lines()
            .find(|line| line.contains(word))
            .expect("the command");
        line.split("cargo actor-test ").nth(1).unwrap().to_owned()
    };
    assert!(
        command("replay:").starts_with("replay target/actor-traces/"),
        "{}",
        said.stdout
    );
    assert!(
        tool()
            .args(&command("replay:"))
            .run()
            .words(1)
            .contains("\nreproduced: safety")
    );
    let again = tool().args(&command("reproduce:")).run().words(1);
    assert!(
        again.contains("FAIL  specimens::tests::never_six  safety"),
        "{again}"
    );
    assert!(again.contains(&command("reproduce:")), "{again}");
}

#[test]
fn damaged_traces() {
    let (traces, path) = failing();
    let text = fs::read_to_string(&path).unwrap();
    let damaged = traces.path().join("damaged.json");
    let error = |text: &str| {
        fs::write(&damaged, text).unwrap();
        let said: Vec<String> = ["replay", "show"]
            .into_iter()
            .map(|command| redact(tool().arg(command).arg(&damaged).run().error()))
            .collect();
        assert_eq!(said[0], said[1]);
        said[0].clone()
    };
    let expect = |text: &str, message: &str| {
        let error = error(text);
        assert!(error.contains(message), "expected {message}, got {error}");
    };
    expect("", "is empty: it was truncated");
    expect(
        &text[..text.len() / 2],
        "is a truncated trace: it ends in line",
    );
    expect(
        "fn main() {}",
        "is not a trace of actor-test: it is not JSON",
    );
    expect(
        "{\"a\": 1}",
        "it is JSON, but does not begin with \"format\": \"actor-test trace\"",
    );
    expect("[]", "it is JSON, but does not begin with");
    let newer = text.replace("\"version\": 3", "\"version\": 6");
    expect(
        &newer,
        "has version 6 of the trace format, and this actor-test (0.1.0) reads versions up to 5; update",
    );
    expect(
        &text.replace("\"version\": 3", "\"version\": \"x\""),
        "is a damaged trace: its beginning can't be read: invalid type: string \"x\", expected u64",
    );
    expect(
        &text.replace("\"seed\": 0", "\"seed\": \"x\""),
        "is a damaged trace: invalid type",
    );
    expect(
        &text.replace("\"seed\": 0,", "\"seed\" 0,"),
        "is a damaged trace: it is not JSON",
    );
    expect(
        &text.replace("\"event\":14", "\"event\":140"),
        "is a damaged trace: its story: there is no text 140: there are",
    );
    let edited = text.replacen("\"decisions\": [", "\"decisions\": [0,", 1);
    expect(
        &edited,
        "was edited: its decisions or settings don't match their digest",
    );
    expect(
        &text.replace("\"unfair\":10000", "\"unfair\":20000"),
        "was edited",
    );
}

/// In the first version, iterations count from zero, schedules differ, and the story is sentences.
#[test]
fn a_trace_of_the_first_version_is_read() {
    let (traces, path) = failing();
    let text = fs::read_to_string(&path).unwrap();
    let (now, before) = ("\"iteration\": 1,", "\"iteration\": 0,");
    assert!(text.contains(now), "{text}");
    let (head, _) = text.split_once("\"story\": {").expect("it has a story");
    let story = "\"story\": [{\"step\":1,\"time_ns\":0,\"actor\":\"test\",\"kind\":\"start\"}]";
    let old = format!("{head}{story}\n}}\n")
        .replace("\"version\": 3", "\"version\": 1")
        .replace(now, before);
    let path = traces.path().join("old.json");
    fs::write(&path, old).unwrap();
    let shown = tool().arg("show").arg(&path).run();
    let shown = shown.error();
    assert!(
        shown.contains("holds no story that this actor-test can read"),
        "{shown:?}"
    );
    let replayed = tool().arg("replay").arg(&path).run().words(1);
    assert!(replayed.contains(", iteration 1, seed 0"), "{replayed}");
    let changed = tool()
        .arg("replay")
        .arg(&path)
        .args("--lib --features changed");
    let changed = changed.run().words(1);
    assert!(
        changed.contains("it was recorded by actor-test 0.1.0, whose schedules were other ones"),
        "{changed}"
    );
}

#[test]
fn a_trace_that_is_not_there() {
    let said = tool().args("replay nowhere.json").run();
    assert_eq!(
        said.error(),
        "error: there is no trace nowhere.json; a failing test prints where it wrote its trace"
    );
    assert!(
        tool()
            .args("show src")
            .run()
            .error()
            .contains("can't read src: ")
    );
}

#[test]
fn a_trace_whose_test_is_gone() {
    let (_traces, path) = failing();
    let said = tool().arg("replay").arg(&path).args("--test bad").run();
    assert!(
        said.error()
            .contains("the trace belongs to specimens::tests::never_six, which is not among"),
        "{}",
        said.stderr
    );
}

/// A saved schedule runs first. The test uses a copy, since the shared project has no saved schedule.
#[test]
fn saved_schedules_run_first() {
    let (_traces, path) = failing();
    let project = copy("");
    let schedules = project.path().join("tests/schedules");
    fs::create_dir_all(&schedules).unwrap();
    fs::copy(&path, schedules.join("six.json")).unwrap();
    fs::write(schedules.join("wrong.json"), "{}").unwrap();
    let run = || {
        tool()
            .args("never_six --manifest-path")
            .arg(project.path().join("Cargo.toml"))
    };
    let words = run().run().words(1);
    assert!(
        words.contains("saved schedule six.json (random), iteration"),
        "{words}"
    );
    assert!(words.contains("warning: saved schedule: "), "{words}");
    let words = run().args("--features fixed").run().words(0);
    assert!(
        words.contains("PASS  specimens::tests::never_six"),
        "{words}"
    );
    // A trace in the directory of saved schedules is not recommended to be moved there.
    let replayed = |path: &Path| {
        let tool = tool().arg("replay").arg(path);
        let tool = tool.args("--features fixed --near 0 --manifest-path");
        tool.arg(project.path().join("Cargo.toml")).run().words(0)
    };
    let kept = schedules.join("six.json");
    assert!(replayed(&path).contains("move it to tests/schedules/"));
    assert!(!replayed(&kept).contains("move it to tests/schedules/"));
    let words = run().args("--features fixed,changed").run().words(0);
    assert!(
        words.contains("warning: the saved schedule six.json no longer fits the test"),
        "{words}"
    );
}
