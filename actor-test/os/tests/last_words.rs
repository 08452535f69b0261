//! Tests of the messages of a dying process: this executable runs itself as a child.
#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use actor_test_os::{enable_exit_messages, on_own_thread, with_exit_message};

const END: &str = "ACTOR_TEST_OS_END";

fn overflow(depth: u64) -> u64 {
    std::hint::black_box([depth; 64]);
    match std::hint::black_box(depth) {
        u64::MAX => 0,
        depth => overflow(depth + 1) + 1,
    }
}

/// A value that panics when dropped, during another panic.
struct Panics;
impl Drop for Panics {
    fn drop(&mut self) {
        panic!("once more");
    }
}

fn end(how: &str) {
    match how {
        "abort" => std::process::abort(),
        "exit" => std::process::exit(0),
        "overflow" => drop(overflow(0)),
        "panic" => {
            let _panics = Panics;
            panic!("once");
        }
        _ => {}
    }
}

/// Runs in the child: ends the process as the environment variable says.
#[test]
fn ends() {
    let Ok(how) = std::env::var(END) else { return };
    assert!(enable_exit_messages());
    let (how, where_) = how.split_once(' ').expect("how, and where");
    with_exit_message("said before: ", "; said after\n", || match where_ {
        "here" => end(how),
        _ => on_own_thread(std::thread::Builder::new(), || end(how)),
    });
    // The call with a message has returned.
    if how == "late" {
        std::process::exit(3);
    }
    if how == "other" {
        let thread = std::thread::spawn(|| std::process::exit(7));
        with_exit_message("of who waits", "", || thread.join()).expect("it never ends");
    }
}

fn child(how: &str) -> (Output, String) {
    let own = std::env::current_exe().expect("it has a path");
    let output = Command::new(own)
        .args(["--exact", "ends", "--nocapture"])
        .env(END, how)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said)
}

#[test]
fn who_aborts_is_named() {
    for place in ["here", "there"] {
        for how in ["abort", "panic"] {
            let (output, said) = child(&format!("{how} {place}"));
            let words = "said before: the process was aborted (SIGABRT); said after\n";
            assert_eq!(said.matches(words).count(), 1, "{how} {place}: {said}");
            assert_eq!(output.status.signal(), Some(6), "{how} {place}");
        }
    }
}

#[test]
fn who_overflows_the_stack_is_named_and_so_is_the_thread() {
    for place in ["here", "there"] {
        let (output, said) = child(&format!("overflow {place}"));
        assert_eq!(said.matches("said before: ").count(), 1, "{said}");
        assert!(
            said.contains("or the stack overflowed; said after\n"),
            "{said}"
        );
        assert!(said.contains("has overflowed its stack"), "{said}");
        assert_eq!(output.status.signal(), Some(6));
    }
}

/// The exit code becomes a failure, since the call was not completed.
#[test]
fn who_exits_is_named_and_fails() {
    for place in ["here", "there"] {
        let (output, said) = child(&format!("exit {place}"));
        let words = "said before: the process was asked to exit; said after\n";
        assert!(said.contains(words), "{said}");
        assert_eq!(output.status.code(), Some(101));
    }
}

#[test]
fn who_has_nothing_to_say_is_silent() {
    let (output, said) = child("late here");
    assert!(!said.contains("said before"), "{said}");
    assert_eq!(output.status.code(), Some(3));
    let (output, said) = child("other here");
    assert!(!said.contains("of who waits"), "{said}");
    assert_eq!(output.status.code(), Some(7));
}
