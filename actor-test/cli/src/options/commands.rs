//! What the commands beside a run may be told.

use std::path::PathBuf;
use std::time::Duration;

use actor_test::tool::overrides::parse;
use clap::{Args, ValueEnum};

use super::{Explore, Filter, Format, Selection};
use crate::part::Part;

/// Listing tests.
#[derive(Args, Clone, Debug)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) filter: Filter,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

impl List {
    /// What is listed of what `explore` would run.
    pub(crate) fn behind(self, explore: &Explore) -> Self {
        Self {
            filter: explore.filter.clone().and(self.filter),
            selection: explore.selection.clone().and(self.selection),
        }
    }
}

/// Replaying a trace.
#[derive(Args, Debug)]
pub(crate) struct Replay {
    /// The trace that a failing test wrote.
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) part: Part,
    /// Where the bug does not come any more, executions near the recorded one are tried, for about so
    /// many steps; 0 tries none.
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000)]
    pub(crate) near: u64,
    /// How the result is told.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
    /// A handler that takes longer counts as hanging [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse::duration)]
    pub(crate) hang_timeout: Option<Duration>,
    /// Waits before the first step for gdb, lldb or an editor to attach, and goes on at Enter: built with
    /// all symbols, without optimisation unless --profile is given, and without time-outs.
    #[arg(long, conflicts_with = "hang_timeout")]
    pub(crate) debugger: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// Debugging a trace.
#[derive(Args, Debug)]
#[command(after_help = SCRIPTS)]
pub(crate) struct Debug {
    /// The trace that a failing test wrote.
    pub(crate) trace: PathBuf,
    /// How wide a line may be [default: the terminal's width, or 120].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(60..))]
    pub(crate) width: Option<u16>,
    /// A handler that takes longer counts as hanging [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse::duration)]
    pub(crate) hang_timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// Minimising a trace.
#[derive(Args, Debug)]
pub(crate) struct Minimize {
    /// The trace that a failing test wrote; what is left of it takes its place.
    pub(crate) trace: PathBuf,
    /// What it may cost: a number of steps, or a duration, which stands for four million steps a second
    /// on every machine [default: 5s].
    #[arg(long, value_name = "STEPS", value_parser = parse::budget)]
    pub(crate) budget: Option<u64>,
    /// Threads that try what can be left out [default: one per core]; they change the time, never the result.
    #[arg(short = 'j', long, value_name = "WORKERS", value_parser = parse::workers)]
    pub(crate) workers: Option<usize>,
    /// Prints what is left as an ordinary `#[test]` that pins the schedule step by step, to be pasted
    /// beside the actor test; all else goes to standard error.
    #[arg(long)]
    pub(crate) as_test: bool,
    /// Keep what is left in tests/schedules of the package, too, so that it runs first from now on.
    #[arg(long)]
    pub(crate) save: bool,
    /// How what is left is told; `json` is one document, with the story and the causes as `show` writes them.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "human",
        conflicts_with = "as_test"
    )]
    pub(crate) format: Format,
    /// How wide a line of the story may be [default: the terminal's width, or 120].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(60..))]
    pub(crate) width: Option<u16>,
    /// A handler that takes longer counts as hanging [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse::duration)]
    pub(crate) hang_timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

/// Showing a trace.
#[derive(Args, Debug)]
pub(crate) struct Show {
    /// The trace that a failing test wrote.
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) part: Part,
    /// How it is told.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: ShowFormat,
    /// Writes a page for a browser instead: one file, which needs nothing else.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub(crate) html: Option<PathBuf>,
}

/// How a story is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ShowFormat {
    /// For people.
    #[default]
    Human,
    /// One document of JSON.
    Json,
    /// A sequence diagram for Mermaid; of a long story, its end.
    Mermaid,
}

/// Merging the parts of a search.
#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// What `--partition K/N --results FILE` wrote, one file a part.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Where the traces of failing tests are written.
    #[arg(long, value_name = "DIRECTORY", default_value = "target/actor-traces")]
    pub(crate) traces: PathBuf,
    /// For people, or one line of JSON per test.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
}

/// Looking at a running program.
#[derive(Args, Debug)]
#[command(after_help = TOP)]
pub(crate) struct Top {
    /// The socket at which the program shows its actors.
    #[arg(value_name = "PATH")]
    pub(crate) socket: PathBuf,
    /// Prints them once; so it does where standard output is no terminal.
    #[arg(long)]
    pub(crate) once: bool,
    /// How often it looks, `500ms` for instance.
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = parse::duration)]
    pub(crate) every: Duration,
}

const TOP: &str = "\
The program has the feature `top` of actor-core, and calls `sys.as_live().unwrap().show_at(path)`; it shows \
its actors as long as what that returns lives. Only the user who runs the program may open the socket. Those \
with most unread events come first. Ctrl-C ends it.";

/// Serving editors and agents.
#[derive(Args, Debug)]
#[command(after_help = MCP)]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) selection: Selection,
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
