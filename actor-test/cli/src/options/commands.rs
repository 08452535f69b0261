//! Command-line options of the subcommands: list, replay, debug, minimize, show, merge, top, mcp.

use std::path::PathBuf;
use std::time::Duration;

use actor_test::tool::overrides::parse;
use clap::{Args, ValueEnum};

use super::{ExploreOptions, Filter, Format, PackageSelection};
use crate::part::StoryPart;

/// The options of `list`.
#[derive(Args, Clone, Debug)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) filter: Filter,
    #[command(flatten)]
    pub(crate) selection: PackageSelection,
}

impl List {
    /// Returns the options of `list`, completed by those before the word `list`.
    pub(crate) fn behind(self, explore: &ExploreOptions) -> Self {
        Self {
            filter: explore.filter.clone().and(self.filter),
            selection: explore.selection.clone().and(self.selection),
        }
    }
}

/// The options of `replay`.
#[derive(Args, Debug)]
pub(crate) struct ReplayOptions {
    /// The trace file that a failing test wrote.
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) part: StoryPart,
    /// The steps for executions near the recorded one, if the bug does not occur any more; 0 runs none.
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000)]
    pub(crate) near: u64,
    /// The format of the result.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
    /// The time after which a handler counts as hanging [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse::duration)]
    pub(crate) hang_timeout: Option<Duration>,
    /// Waits before the first step until you have attached gdb, lldb or an editor and press Enter. The build
    /// has all symbols, no optimisation unless you give --profile, and no time-outs.
    #[arg(long, conflicts_with = "hang_timeout")]
    pub(crate) debugger: bool,
    #[command(flatten)]
    pub(crate) selection: PackageSelection,
}

/// The options of `debug`.
#[derive(Args, Debug)]
#[command(after_help = SCRIPTS)]
pub(crate) struct Debug {
    /// The trace file that a failing test wrote.
    pub(crate) trace: PathBuf,
    /// The maximum width of a line [default: the terminal's width, or 120].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(60..))]
    pub(crate) width: Option<u16>,
    /// The time after which a handler counts as hanging [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse::duration)]
    pub(crate) hang_timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) selection: PackageSelection,
}

/// The options of `minimize`.
#[derive(Args, Debug)]
pub(crate) struct MinimizeOptions {
    /// The trace file that a failing test wrote; the minimised trace replaces it.
    pub(crate) trace: PathBuf,
    /// The budget: a number of steps, or a duration, worth four million steps a second [default: 5s].
    #[arg(long, value_name = "STEPS", value_parser = parse::budget)]
    pub(crate) budget: Option<u64>,
    /// The number of threads [default: one per core]; it changes the time, never the result.
    #[arg(short = 'j', long, value_name = "WORKERS", value_parser = parse::workers)]
    pub(crate) workers: Option<usize>,
    /// Prints the minimised execution as an ordinary `#[test]` that pins the schedule step by step, for you
    /// to paste beside the actor test; everything else goes to standard error.
    #[arg(long)]
    pub(crate) as_test: bool,
    /// Saves the minimised trace in tests/schedules of the package as well, so that it always runs first.
    #[arg(long)]
    pub(crate) save: bool,
    /// The format of the result; `json` is one document with the story and the causes, as `show` prints them.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "human",
        conflicts_with = "as_test"
    )]
    pub(crate) format: Format,
    /// The maximum width of a line of the story [default: the terminal's width, or 120].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(60..))]
    pub(crate) width: Option<u16>,
    /// The time after which a handler counts as hanging [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse::duration)]
    pub(crate) hang_timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) selection: PackageSelection,
}

/// The options of `show`.
#[derive(Args, Debug)]
pub(crate) struct Show {
    /// The trace file that a failing test wrote.
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) part: StoryPart,
    /// The format of the story.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: ShowFormat,
    /// Writes a page for a browser instead: one self-contained file.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub(crate) html: Option<PathBuf>,
}

/// The formats of a story.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ShowFormat {
    /// Text for people.
    #[default]
    Human,
    /// One JSON document.
    Json,
    /// A sequence diagram for Mermaid; only the end of a long story.
    Mermaid,
}

/// The options of `merge`.
#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// The directory that all parts had as --search-dir, or into which you have copied those of all parts. A
    /// part that is missing, or has not ended, is an error.
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    /// The directory for the traces of failing tests.
    #[arg(long, value_name = "DIRECTORY", default_value = "target/actor-traces")]
    pub(crate) traces: PathBuf,
    /// The format: text for people, or one line of JSON per test.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
}

/// The options of `top`.
#[derive(Args, Debug)]
#[command(after_help = TOP)]
pub(crate) struct Top {
    /// The socket at which the program serves its actors.
    #[arg(value_name = "PATH")]
    pub(crate) socket: PathBuf,
    /// Prints the actors once; this is the default if standard output is not a terminal.
    #[arg(long)]
    pub(crate) once: bool,
    /// The interval between two updates, for instance `500ms`.
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = parse::duration)]
    pub(crate) every: Duration,
}

const TOP: &str = "\
The program has the feature `top` of actor-core, and calls `sys.as_live().unwrap().show_at(path)`; it shows \
its actors as long as what that returns lives. Only the user who runs the program may open the socket. Those \
with most unread events come first. Ctrl-C ends it.";

/// The options of `mcp`.
#[derive(Args, Debug)]
#[command(after_help = MCP)]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) selection: PackageSelection,
}

const MCP: &str = "\
Tools: list_tests, explore_test, list_traces, read_story, causes_of_step, explain_failure, minimize_trace \
and replay_trace. Start it in the directory of the workspace; what is selected here is selected for each \
of them. Traces are read below the workspace and its target directory, and nowhere else.";

const SCRIPTS: &str = "\
Commands are typed, or read from standard input where that is no terminal: then each is echoed, blank lines \
and lines that begin with # are passed over, and the first bad one ends the session.

Exit codes: 0 the session was ended; 2 a bad command in a script, or the trace or the build can't be used; \
130 it was interrupted.";
