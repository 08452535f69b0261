//! Command-line parsing with clap: subcommands, or a run of tests.

mod commands;
mod explore;
mod filter;
mod selection;

use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub(crate) use commands::{
    Debug, List, Mcp, Merge, MinimizeOptions, ReplayOptions, Show, ShowFormat, Top,
};
pub(crate) use explore::{ExploreOptions, Verbosity};
pub(crate) use filter::{Filter, NoTests};
pub(crate) use selection::PackageSelection;

/// The command line as cargo passes it.
#[derive(Parser, Debug)]
#[command(name = "cargo", bin_name = "cargo")]
pub(crate) enum Cargo {
    /// Explores the schedules of actor tests.
    #[command(
        name = "actor-test",
        version,
        after_help = AFTER
    )]
    ActorTest(Arguments),
}

/// Parses the command line.
pub(crate) fn parse(arguments: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let parsed = Cargo::command().try_get_matches_from(arguments);
    let matches = parsed.map_err(without_false_tips)?;
    if let Some((_, run)) = matches.subcommand() {
        belongs_there(run)?;
    }
    let Cargo::ActorTest(arguments) = Cargo::from_arg_matches(&matches)?;
    match arguments.explore.coyote_syntax_error() {
        Some(problem) => Err(Cargo::command().error(ErrorKind::InvalidValue, problem)),
        None => Ok(arguments),
    }
}

/// Removes a suggestion of clap: it proposes `-- --flag` for an unknown flag, which would be a filter here.
fn without_false_tips(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
    error
}

/// Checks that options of a run precede only `list`, which lists the tests that would run.
fn belongs_there(run: &ArgMatches) -> Result<(), clap::Error> {
    let Some((command, _)) = run.subcommand() else {
        return Ok(());
    };
    let mut tool = Cargo::command();
    tool.build();
    let known = tool.find_subcommand_mut("actor-test");
    let known = known.map(|tool| tool.get_arguments().cloned().collect::<Vec<_>>());
    let misplaced = known.unwrap_or_default().into_iter().find(|argument| {
        run.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    match misplaced {
        Some(argument) if command != "list" => Err(Cargo::command().error(
            ErrorKind::ArgumentConflict,
            format!("{argument} is of a run: write the options of `{command}` behind it, cargo actor-test {command} .."),
        )),
        _ => Ok(()),
    }
}

const AFTER: &str = "\
Exit codes: 0 no bug; 1 a bug was found, or an expected one wasn't; 2 the request or the build failed; \
3 --exhaustive was asked for, no bug was found, and something was not proved; \
130 it was interrupted, and what was known by then was told.

--coverage counts how often each state of an actor was entered, each event was handled in each state, \
and each transition was taken, over all tests of the run. In the diagrams a green state was reached, an \
orange one has a handler that never ran, and a grey, dashed one was never entered. A test that ends at a \
bug is not counted, and the summary names it; with --no-fail-fast it is counted.

In GitHub Actions a failure is also shown beside the line that it is about.

A setting is taken from the first of these places that has it: a flag, a variable (ACTOR_TEST_ITERATIONS, _SEED, _STRATEGY, \
_MAX_STEPS, _TEMPERATURE, _WORKERS, _FOR, _UNTIL_SATURATED, _SEARCH_DIR, _PARTITION, _KEEP_GOING, \
_HANG_TIMEOUT, _TRACE_DIR, _DENY, _MINIMIZE, _EXPLAIN, _FAULTS, _DELIVERY, _CLOCKS), an attribute \
of the test, [package.metadata.actor-test] in Cargo.toml, and the default.";
/// The parsed command line.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) explore: ExploreOptions,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Lists the actor tests, one per line.
    List(List),
    /// Replays a recorded execution and prints its story.
    Replay(ReplayOptions),
    /// Steps through a recorded execution, forwards and backwards; `help` lists the commands.
    Debug(Debug),
    /// Makes a recorded execution shorter, by removing everything that its bug does not need.
    Minimize(MinimizeOptions),
    /// Prints the story of a recorded execution without running it.
    Show(Show),
    /// Merges the results of all parts of a search, from its directory.
    Merge(Merge),
    /// Shows the actors of a running program, while the program serves them at a local socket.
    Top(Top),
    /// Serves editors and agents over standard input and output, by the Model Context Protocol.
    Mcp(Mcp),
}

/// The formats of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    #[default]
    Human,
    /// A line of JSON per test, and one at the end.
    Json,
}
