//! `cargo actor-test`: the program, which is all that this crate is for; its `main` calls [`main`].
//!
//! `options` is what a user types, `build` has cargo build the tests, `discover` finds them in
//! the executables, `combinations` asks them for the values of their parameters, `process` runs one of
//! them as a child, and each command has a file of its own; `documents` is what a run leaves beside its
//! words.

mod annotations;
mod as_test;
mod build;
mod combinations;
mod coverage;
mod debug;
mod diagram;
mod discover;
mod documents;
mod expectation;
mod explore;
mod holders;
mod interruption;
mod junit;
mod list;
#[cfg(feature = "mcp")]
mod mcp;
mod merge;
mod minimize;
mod options;
mod part;
mod process;
mod progress;
mod replay;
mod results;
mod screen;
mod show;
mod top;
mod verdict;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

#[cfg(any(test, fuzzing))]
pub use show::hostile;

use options::Command;
use screen::Screen;

/// What the exit code says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exit {
    /// Every test passed: no bug, and each expected bug found. Code 0.
    Clean,
    /// A bug was found, or an expected one wasn't. Code 1.
    Bug,
    /// The request could not be met: a wrong option, a failed build, no such test, a trace that can't
    /// be read or that no longer fits its test. Code 2.
    Trouble,
    /// A proof was asked for, no bug was found, and something is not proved. Code 3.
    Unproved,
    /// It was interrupted, by ctrl-C or by being asked to end. Code 130.
    Interrupted,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Bug => 1,
            Self::Trouble => 2,
            Self::Unproved => 3,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a request can't be met, in a sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
struct Trouble(String);

impl Trouble {
    fn new(problem: impl ToString) -> Self {
        Self(problem.to_string())
    }
}

/// Does what the command line asks for.
pub fn main() -> ExitCode {
    let arguments = match options::parse(as_subcommand(std::env::args_os())) {
        Ok(arguments) => arguments,
        // Help and version are no errors; clap knows which stream is whose. A broken pipe is none.
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Trouble
            } else {
                Exit::Clean
            }
            .into();
        }
    };
    actor_test::tool::wall_clock::run_began();
    interruption::expect();
    let mut screen = Screen::new();
    let done = match &arguments.command {
        None => explore::run(&arguments.explore, &mut screen),
        Some(Command::List(options)) => {
            list::run(&options.clone().behind(&arguments.explore), &mut screen)
        }
        Some(Command::Replay(options)) => replay::run(options, &mut screen),
        Some(Command::Minimize(options)) => minimize::run(options, &mut screen),
        Some(Command::Show(options)) => show::run(options, &mut screen),
        Some(Command::Debug(options)) => debug::run(options, &mut screen),
        Some(Command::Merge(options)) => merge::run(options, &mut screen),
        Some(Command::Top(options)) => top::run(options, &mut screen),
        #[cfg(feature = "mcp")]
        Some(Command::Mcp(options)) => mcp::run(options),
        #[cfg(not(feature = "mcp"))]
        Some(Command::Mcp(_)) => Err(Trouble(words::without_mcp().to_owned())),
    };
    let done = match done {
        Ok(Exit::Interrupted) => Exit::Interrupted,
        // What went wrong after that went wrong because of it.
        _ if interruption::is_seen() => {
            screen.aside("interrupted");
            Exit::Interrupted
        }
        Ok(exit) => exit,
        Err(trouble) => {
            screen.error(&trouble.0);
            Exit::Trouble
        }
    };
    done.into()
}

/// Cargo calls `cargo-actor-test actor-test …`; people may leave the second word out.
fn as_subcommand(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.get(1).is_none_or(|first| first != "actor-test") {
        arguments.insert(1.min(arguments.len()), "actor-test".into());
    }
    arguments
}
