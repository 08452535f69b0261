//! Tests of `cargo actor-test debug` with scripts on standard input, and of the book's sessions.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use actor_test::tool::trace::Trace;
use insta::assert_snapshot;

use crate::project::{Run, Said, copy, redact, tool};
use crate::terminal::Terminal;

/// A project of its own, with traces of its failing tests.
pub(crate) struct Shop {
    project: PathBuf,
}

impl Shop {
    pub(crate) fn get() -> &'static Self {
        static SHOP: OnceLock<Shop> = OnceLock::new();
        SHOP.get_or_init(|| {
            // The path is always the same, so that later runs build little.
            let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debugged");
            let copied = copy("");
            for directory in ["src", "tests"] {
                fs::create_dir_all(project.join(directory)).expect("a directory");
            }
            for file in ["Cargo.toml", "Cargo.lock", "src/lib.rs"] {
                fs::copy(copied.path().join(file), project.join(file)).expect("a file");
            }
            let source = include_str!("../specimens/debugged.rs");
            fs::write(project.join("tests/debugged.rs"), source).expect("a test");
            let shop = Self { project };
            for test in ["no_book_is_sold_twice", "three_pings", "it_rests"] {
                let run = tool()
                    .args("--test debugged")
                    .arg(test)
                    .arg("--manifest-path");
                let said = run
                    .arg(shop.project.join("Cargo.toml"))
                    .env("ACTOR_TEST_TRACE_DIR", shop.project.join("traces"))
                    .run();
                assert_eq!(said.code, Some(1), "{said:?}");
            }
            shop
        })
    }

    pub(crate) fn trace(&self, test: &str) -> PathBuf {
        self.project
            .join(format!("traces/specimens-debugged-{test}.json"))
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.project.join("Cargo.toml")
    }

    fn run(&self, trace: &Path) -> Run {
        let run = tool().args("debug --test debugged --width 100 --manifest-path");
        run.arg(self.project.join("Cargo.toml")).arg(trace)
    }

    fn debug(&self, trace: &Path, script: &str) -> Said {
        let mut command = self.run(trace).command();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let mut stdin = child.stdin.take().expect("it reads");
        // The debugger may end before it has read the whole script.
        let _ = stdin.write_all(script.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        Said {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("words are UTF-8"),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn session(&self, test: &str, script: &str) -> String {
        let said = self.debug(&self.trace(test), script);
        said.words(0)
    }
}

const BOOK: &str = include_str!("../../../../book/src/debugger.md");

/// The session in the book is the actual output.
#[test]
fn the_session_of_the_book() {
    let (_, rest) = BOOK
        .split_once("```text\n")
        .expect("the page has a session");
    let (shown, _) = rest.split_once("```").expect("its end");
    let commands = shown.lines().filter_map(|line| {
        let (prompt, command) = line.split_once(") ")?;
        prompt.starts_with('(').then(|| format!("{command}\n"))
    });
    let script: String = commands.collect();
    let said = Shop::get().session("no_book_is_sold_twice", &script);
    assert_eq!(said.trim_end(), shown.trim_end(), "\n{said}");
}

/// The book describes every command of the list.
#[test]
fn the_commands_of_the_book() {
    let said = Shop::get().session("no_book_is_sold_twice", "help\n");
    let (_, list) = said.split_once(") help\n").expect("the list");
    let heads = list.lines().filter(|line| !line.starts_with("      "));
    let names: Vec<&str> = heads
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert!(names.len() > 20, "{said}");
    for name in names {
        assert!(
            BOOK.contains(&format!("| `{name}")),
            "{name} is not in the book's table"
        );
    }
}

#[test]
fn a_session() {
    let script = "\
# everything once
step
step 4

print
next Seller#1
previous Seller#1
break event Take
break field Stock left -1
break predicate \"no book is sold twice\" false
break
continue
continue
delete 1
continue
reverse
inbox
timers
monitors
enabled
jump end
print Stock
print Stock left
list 3 5
find Take
causes
diff 3 7
executions
branch pct:3 7
switch 0
jump 11
take 2
diff #0
executions
help take
quit
step
";
    assert_snapshot!(Shop::get().session("no_book_is_sold_twice", script));
}

/// In a terminal, lines are edited, completed and recalled; cancelled and invalid lines do no harm.
#[test]
fn a_session_in_a_terminal() {
    let shop = Shop::get();
    let trace = shop.trace("no_book_is_sold_twice");
    let mut terminal = Terminal::of(shop.run(&trace), 100);
    terminal.until("(0/20) ");
    let mut answers = |keys: &str, text: &str| terminal.answers(keys, text, "/20) ");
    // The tab key completes a command.
    answers("jum\t 15\r", "Stock  handles HowMany from Seller#2");
    // The tab key completes a name; a superfluous letter is deleted, and a missing one inserted.
    answers("print St\t left\r", "left: 1");
    answers("jump 20x\x7f\r", "left: 0 → -1");
    answers("prnt Stock left\x01\x1b[C\x1b[Ci\r", "left: -1");
    // The arrow key recalls earlier lines, and a recalled line runs again.
    answers(
        "\x1b[A\x1b[A\x1b[A\x1b[A\r",
        "handles HowMany from Seller#2",
    );
    // An unknown command; a cancelled line; an empty line, which repeats the last command.
    answers("stpe\r", "there is no command `stpe`; did you mean `step`?");
    answers("jump 3\x03", "jump 3");
    answers("back 2\r", "13  0  Seller#1  resumes");
    answers("\r", "11  0  Seller#2  handles Sell from test, awaits");
    terminal.types(b"\x04");
    let (shown, status) = terminal.end();
    assert_eq!(status.code(), Some(0), "{shown}");
}

/// Plain text and regular expressions find events, actors and changes.
#[test]
fn what_is_found() {
    let steps = |pattern: &str| -> Vec<String> {
        let script = format!("find {pattern}\n");
        let said = Shop::get().session("no_book_is_sold_twice", &script);
        let (_, found) = said.split_once(&script).expect("the command is echoed");
        let numbered = found
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        let is_number = |word: &&str| word.parse::<u64>().is_ok();
        numbered.filter(is_number).map(str::to_owned).collect()
    };
    assert_eq!(steps("/left: .* → -\\d/"), ["20"]);
    assert_eq!(steps("left: .*"), [""; 0]);
    assert_eq!(steps("left: 0 → -1"), ["20"]);
    assert_eq!(steps("/^Seller#[12] sends Take/"), ["14", "19"]);
    assert_eq!(steps("/(?i)^stock handles take/"), ["17", "20"]);
    assert_eq!(steps("/twice: true → false/"), ["20"]);
    assert_eq!(steps("/"), [""; 0]);
}

/// A liveness bug of thousands of steps: moving in both directions, and the state at its end.
#[test]
fn a_long_session() {
    let script =
        "jump 9999\nstep\nprint\nback 5000\nmonitors\njump end\nstep\ndiff 500 10000\nlive 3\n";
    assert_snapshot!(Shop::get().session("it_rests", script));
}

/// A crash is shown as recorded, and can be inspected up to the step before.
#[test]
fn a_crash() {
    let script = "jump end\nback\nprint\nenabled\n";
    assert_snapshot!(Shop::get().session("three_pings", script));
}

/// If the program crashes its process, the session reports it with the step.
#[test]
fn a_crash_that_is_asked_for() {
    let shop = Shop::get();
    let trace = shop.trace("three_pings");
    let said = shop.debug(&trace, "jump end\nprint\n");
    assert!(
        said.error()
            .contains("can't show the states after step 8: "),
        "{said:?}"
    );
    let said = shop.debug(&trace, "jump 2\nbranch random 3\n");
    let how = "can't show how that goes on: in step 8, the process was aborted (SIGABRT)";
    assert!(said.error().contains(how), "{said:?}");
}

/// A bad command ends a script, and its line is named.
#[test]
fn bad_commands() {
    let shop = Shop::get();
    let trace = shop.trace("no_book_is_sold_twice");
    let error = |script: &str| {
        let said = shop.debug(&trace, script);
        redact(said.error())
    };
    for (script, message) in [
        (
            "step\nstpe\n",
            "line 2, `stpe`: there is no command `stpe`; did you mean `step`?",
        ),
        (
            "jump 1000\n",
            "line 1, `jump 1000`: there is no step 1000: they count from 1 to ",
        ),
        (
            "\n\n# c\njump 99999999999999999999\n",
            "line 4, `jump 99999999999999999999`: usage: jump N",
        ),
        ("step -1\n", "line 1, `step -1`: usage: step [N]"),
        (
            "print Stok\n",
            "nobody is called `Stok`; did you mean `Stock`?",
        ),
        (
            "jump 9\nprint Stock rigth\n",
            "Stock has no field `rigth` now; it has left",
        ),
        (
            "next\n",
            "whose event? here no step was taken: name an actor",
        ),
        (
            "break event Tkae\n",
            "nobody sends an event `Tkae`; did you mean `Take`?",
        ),
        ("break state Stock Full\n", "`Stock` has no states"),
        (
            "break field Stock right\n",
            "`Stock` has no field `right`; it has left",
        ),
        (
            "break monitor M\n",
            "no monitor or predicate is called `M`; there are no book is sold twice",
        ),
        ("break if x > 3\n", "usage: break [event E [ACTOR] |"),
        ("delete 4\n", "there is no break 4"),
        ("jump critical\n", "the critical step is not known"),
        ("diff 1 1000\n", "there is no step `1000`"),
        (
            "diff #7\n",
            "there is no execution #7; `executions` lists them",
        ),
        ("diff nowhere.json\n", "there is no trace nowhere.json"),
        ("branch rnadom\n", "`random`"),
        (
            "branch dfs\n",
            "`dfs` learns from one execution for the next",
        ),
        ("take 0\n", "there is no 0"),
        ("take 99\n", "there is no 99"),
        ("switch 3\n", "there is no execution #3"),
        ("list 9 3\n", "9 is behind 3"),
        ("causes 0\n", "the story has no step 0"),
        ("save /nowhere/at/all\n", "can't write /nowhere/at/all"),
        ("help me\n", "there is no command `me`"),
        ("print \"Stock\n", "a quotation mark is missing"),
        ("find /Take(/\n", "`Take(` is no regular expression: "),
    ] {
        let said = error(script);
        assert!(said.contains(message), "{script}: {said}");
        assert!(said.starts_with("error: line "), "{script}: {said}");
    }
}

/// The program kills the process while minimising: the best trace so far exists, and has the bug.
#[test]
fn minimising_is_killed_in_the_middle() {
    let shop = Shop::get();
    let traces = shop.project.join("killed");
    let file = traces.join("specimens-debugged-a_book_and_many_sellers.json");
    let run = |dies_in: u32| {
        let _ = fs::remove_file(&file);
        let run = tool().args("--test debugged -j 1 a_book_and_many_sellers");
        let run = run.arg("--manifest-path");
        let said = run
            .arg(shop.project.join("Cargo.toml"))
            .env("ACTOR_TEST_TRACE_DIR", &traces)
            .env("DIES_IN", dies_in.to_string())
            .run();
        let trace = Trace::read(&file).expect("a trace that can be read");
        let step = trace.finding.step;
        assert_eq!(
            trace.story().steps.last().map(|step| step.number),
            Some(step)
        );
        assert_eq!(said.code, Some(1), "{said:?}");
        let again = tool().args("replay --test debugged --manifest-path");
        let again = again.arg(shop.project.join("Cargo.toml")).arg(&file).run();
        assert_eq!(again.code, Some(1), "killed in {dies_in}: {again:?}");
        assert!(again.stdout.contains("reproduced: "), "{again:?}");
        step
    };
    let steps: Vec<u32> = [40, 80, 160, 1_000_000]
        .into_iter()
        .map(|at| run(at) as u32)
        .collect();
    assert!(
        steps.is_sorted_by(|before, after| before >= after),
        "{steps:?}"
    );
    assert!(steps[0] > steps[3], "it was not in the middle: {steps:?}");
    assert!(
        steps[1] > steps[3] || steps[2] > steps[3] || steps[0] > steps[1],
        "{steps:?}"
    );
}

/// Rejected traces: not a trace, a trace of a changed program, and a trace of another test.
#[test]
fn other_traces() {
    let shop = Shop::get();
    let trace = shop.trace("no_book_is_sold_twice");
    let broken = shop.project.join("broken.json");
    let text = fs::read_to_string(&trace).expect("the trace");
    fs::write(&broken, &text[..text.len() / 2]).expect("a file");
    let said = shop.debug(&broken, "step\n");
    assert!(said.error().contains("is a truncated trace"), "{said:?}");
    let foreign = format!("diff \"{}\"\n", shop.trace("it_rests").display());
    let said = shop.debug(&trace, &foreign);
    assert!(
        said.error()
            .contains("is a trace of debugged::it_rests, and this one is of"),
        "{said:?}"
    );
    // A saved trace compared with the recorded one.
    let saved = shop.project.join("saved.json");
    let script = format!("save \"{0}\"\ndiff \"{0}\"\n", saved.display());
    let said = shop.session("no_book_is_sold_twice", &script);
    assert!(said.contains("the same steps as "), "{said}");
    assert_eq!(shop.debug(&saved, "jump end\n").code, Some(0));
    // A trace derived from another has no token, and names its origin.
    let field = |file: &Path, name: &str| {
        let text = fs::read_to_string(file).expect("the trace");
        let trace: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        trace[name].as_str().expect("a text").to_owned()
    };
    assert_eq!(field(&saved, "token"), field(&trace, "token"));
    let branch = shop.project.join("branch.json");
    let script = format!("jump 16\nbranch pct:3 7\nsave \"{}\"\n", branch.display());
    shop.session("no_book_is_sold_twice", &script);
    assert_eq!(field(&branch, "token"), "");
    let how = "random up to step 16, then under pct:3, seed 7";
    assert_eq!(field(&branch, "strategy"), how);
    let said = shop.debug(&branch, "jump end\nenabled\n").words(0);
    let at = format!("      {how}, iteration 2, seed 0, step 20\n");
    assert!(said.contains(&at), "{said}");
    let nothing =
        "nothing: the execution has ended, safety: always \"no book is sold twice\" is false";
    assert!(said.contains(nothing), "{said}");
}

/// A cycle that a search of all states found is replayed, shown and stepped through.
#[test]
fn a_cycle_of_a_search() {
    let shop = Shop::get();
    let run = tool().args("--test debugged the_second_has_the_token");
    let said = run
        .arg("--manifest-path")
        .arg(shop.project.join("Cargo.toml"))
        .env("ACTOR_TEST_TRACE_DIR", shop.project.join("traces"))
        .run();
    assert_eq!(said.code, Some(1), "{said:?}");
    let trace = shop.trace("the_second_has_the_token");
    let again = tool().args("replay --test debugged --manifest-path");
    let again = again.arg(shop.project.join("Cargo.toml")).arg(&trace).run();
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stdout.contains("reproduced: "), "{again:?}");
    let session = shop.session(
        "the_second_has_the_token",
        "jump end\nback\nprint\nmonitors\nlive\n",
    );
    assert!(session.contains("at the end: liveness: "), "{session}");
    assert!(
        session.contains("Member#2  Member { next: Some(Member#4), seen: false }"),
        "{session}"
    );
    assert!(
        session.contains("none of 100 fair continuations recovers from here"),
        "{session}"
    );
}
