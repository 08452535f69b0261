//! Tests of `replay --debugger` with gdb, if the machine has gdb and permits attaching.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use crate::debugging::Shop;
use crate::project::tool;

/// gdb attaches as the replay describes, and stops before the given step and in the handler of that step. The
/// actor's field has the value from the story before the line and after it. Nothing times out meanwhile, and
/// the replay ends with the recorded bug.
///
/// The test takes some seconds, since gdb reads all symbols of a test executable.
#[test]
fn a_native_debugger_steps_through_a_handler() {
    if Command::new("gdb").arg("--version").output().is_err() {
        eprintln!("not tested: there is no gdb on this machine");
        return;
    }
    let shop = Shop::get();
    let trace = shop.trace("no_book_is_sold_twice");
    let replay =
        tool().args("replay --debugger --profile actor-test --test debugged --manifest-path");
    let mut replay = replay.arg(shop.manifest()).arg(&trace).command();
    let mut replay = piped(&mut replay);
    let mut said = BufReader::new(replay.stdout.take().expect("it is piped"));
    let process = process_of(&until(&mut said, " waits before the first step"));
    let commands = [
        "set pagination off",
        "break actor_test::replay::decision_log::step_begins if number == 20",
        "continue",
        "print number",
        "break debugged::Stock::take",
        "continue",
        "print self.left",
        "next",
        "print self.left",
        "delete",
        "continue",
    ];
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-p", &process]);
    commands
        .iter()
        .for_each(|command| _ = gdb.args(["-ex", command]));
    // gdb would query servers for missing debug information.
    gdb.env_remove("DEBUGINFOD_URLS");
    // A gdb that crashes leaves its core file in its working directory.
    gdb.current_dir(env!("CARGO_TARGET_TMPDIR"));
    let mut gdb = piped(&mut gdb);
    let mut stdout = BufReader::new(gdb.stdout.take().expect("it is piped"));
    let has_attached = until(&mut stdout, "Breakpoint 1 at ");
    // The test continues when a line is entered.
    replay
        .stdin
        .take()
        .expect("it is piped")
        .write_all(b"\n")
        .expect("it reads");
    let mut shown = String::new();
    stdout.read_to_string(&mut shown).expect("it is UTF-8");
    let errors = gdb.stderr.take().map(std::io::read_to_string);
    let _ = gdb.wait();
    let mut story = String::new();
    said.read_to_string(&mut story).expect("it is UTF-8");
    let status = replay.wait().expect("it ends");
    if has_attached.is_empty() {
        let errors = errors.and_then(Result::ok).unwrap_or_default();
        assert!(
            errors.contains("ptrace") || errors.contains("not permitted"),
            "{errors}"
        );
        eprintln!("not tested: this machine lets nobody attach: {errors}");
        return;
    }
    let printed: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.strip_prefix('$')?.split_once(" = "))
        .map(|(_, value)| value)
        .collect();
    assert_eq!(printed, ["20", "0", "-1"], "{shown}");
    assert!(shown.contains("exited"), "it goes on to the end: {shown}");
    assert!(story.contains("reproduced: "), "{story}");
    assert_eq!(status.code(), Some(1), "{story}");
}

fn piped(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("it runs")
}

/// Returns the first line that contains the text, or an empty string.
fn until(read: &mut impl BufRead, text: &str) -> String {
    let lines = read.lines().map(|line| line.expect("it is UTF-8"));
    lines
        .into_iter()
        .find(|line| line.contains(text))
        .unwrap_or_default()
}

/// Returns the process id in `process 4711 waits ..`.
fn process_of(line: &str) -> String {
    let number = line.split_whitespace().nth(1);
    number.expect("the process is named").to_owned()
}
