//! The command-line tool `cargo actor-test`; the binary calls [`main`].
//!
//! `options` parses the command line, `build` builds the tests with cargo, `discover` finds them in the
//! executables, and `combinations` queries the values of their parameters. `process` runs a test as a child,
//! and each subcommand has a file of its own. `documents` writes the output files of a run.

mod annotations;
mod as_test;
mod build;
mod combinations;
mod coverage;
mod debug;
mod diagram;
mod discover;
mod documents;
mod ended;
mod expectation;
mod explore;
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
mod screen;
mod show;
mod test_targets;
mod top;
mod verdict;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

#[cfg(any(test, fuzzing))]
pub use show::hostile;

use options::Command;
use screen::Screen;

/// The exit codes of the tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Exit {
    /// Every test passed: no bug, and each expected bug found. Code 0.
    Clean,
    /// A bug was found, or an expected one wasn't. Code 1.
    Bug,
    /// The request failed: a wrong option, a failed build, no such test, a trace that can't be read or no
    /// longer fits its test. Code 2.
    Trouble,
    /// A proof was requested, no bug was found, and something is not proved. Code 3.
    Unproved,
    /// The run was interrupted by ctrl-C or SIGTERM. Code 130.
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

/// The reason why a request fails, in a sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
struct Trouble(String);

impl Trouble {
    fn new(problem: impl ToString) -> Self {
        Self(problem.to_string())
    }
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let arguments = match options::parse(as_subcommand(std::env::args_os())) {
        Ok(arguments) => arguments,
        // Help and version are not errors; clap selects the stream. A broken pipe is ignored.
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
        // Errors after an interruption are consequences of it.
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

/// Inserts the second word of `cargo-actor-test actor-test …`, which cargo passes and users may omit.
fn as_subcommand(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.get(1).is_none_or(|first| first != "actor-test") {
        arguments.insert(1.min(arguments.len()), "actor-test".into());
    }
    arguments
}
