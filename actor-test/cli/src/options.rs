//! What a user types.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use cargo_metadata::{Metadata, Package};
use clap::error::{ContextKind, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::part::Part;
use actor_test::Deny;
use actor_test::FaultBudgets;
use actor_test::Partition;
use actor_test::tool::overrides::{MaxSteps, Overrides, parse};
use actor_test::tool::protocol::Ignored;
use actor_test::{Clocks, Delivery};

/// As cargo calls it.
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

/// Reads the command line.
pub(crate) fn parse(arguments: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let parsed = Cargo::command().try_get_matches_from(arguments);
    let matches = parsed.map_err(without_false_tips)?;
    if let Some((_, run)) = matches.subcommand() {
        belongs_there(run)?;
    }
    let Cargo::ActorTest(arguments) = Cargo::from_arg_matches(&matches)?;
    Ok(arguments)
}

/// clap proposes `-- --flag` for a flag that there is not, which would be a filter.
fn without_false_tips(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
    error
}

/// Before `list` the options of a run may stand, since it lists what would run; before others not.
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
130 it was interrupted, and what was known by then was told.

--coverage counts how often each state of an actor was entered, each event was handled in each state, \
and each transition was taken, over all tests of the run. In the diagrams a green state was reached, an \
orange one has a handler that never ran, and a grey, dashed one was never entered. A test that ends at a \
bug is not counted, and the summary names it; with --no-fail-fast it is counted.

In GitHub Actions a failure is also shown beside the line that it is about.

A setting is taken from the first of these places that has it: a flag, a variable (ACTOR_TEST_ITERATIONS, _SEED, _STRATEGY, \
_MAX_STEPS, _TEMPERATURE, _WORKERS, _FOR, _UNTIL_SATURATED, _PARTITION, _KEEP_GOING, \
_HANG_TIMEOUT, _TRACE_DIR, _DENY, _MINIMIZE), an attribute \
of the test, [package.metadata.actor-test] in Cargo.toml, and the default.";

const SCRIPTS: &str = "\
Commands are typed, or read from standard input where that is no terminal: then each is echoed, blank lines \
and lines that begin with # are passed over, and the first bad one ends the session.

Exit codes: 0 the session was ended; 2 a bad command in a script, or the trace or the build can't be used; \
130 it was interrupted.";

/// All arguments.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) explore: Explore,
}

/// What to do instead of exploring.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Lists the actor tests, one a line.
    List(List),
    /// Runs a recorded execution again, and tells its story.
    Replay(Replay),
    /// Steps through a recorded execution, forth and back; `help` lists its commands.
    #[command(after_help = SCRIPTS)]
    Debug(Debug),
    /// Makes a recorded execution shorter: leaves out what its bug can do without.
    Minimize(Minimize),
    /// Tells the story of a recorded execution without running it.
    Show(Show),
    /// Adds up the results of all parts of a search.
    Merge(Merge),
    /// Serves editors and agents over standard input and output, by the Model Context Protocol.
    Mcp(Mcp),
}

/// Exploring tests.
#[derive(Args, Debug, Default)]
pub(crate) struct Explore {
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// How often each test is run [default: as often as about two seconds of one core allow, and at
    /// least 100 times; it is counted in steps, so it is the same on every machine]. A test with
    /// `expect_bug` is run at least as often as its attribute says.
    #[arg(short, long, value_name = "N", value_parser = parse::count, help_heading = SEARCH)]
    pub(crate) iterations: Option<u64>,
    /// Several strategies take turns, and those that show something new get more of them; this is the
    /// default. `=fair` takes fair ones only. To compare: `=round-robin` gives all the same number of
    /// turns, `=coyote` is put together as Coyote's.
    #[arg(
        long, value_name = "KIND", num_args = 0..=1, require_equals = true,
        default_missing_value = "all", conflicts_with = "strategy", help_heading = SEARCH
    )]
    pub(crate) portfolio: Option<Portfolio>,
    /// Search for a proof instead of taking samples, to the end unless -i or --for say when to stop: each
    /// behaviour once (`=dpor`, the default) or each state once (`=states`). What is left out is said.
    #[arg(
        long, value_name = "KIND", num_args = 0..=1, require_equals = true,
        default_missing_value = "dpor", conflicts_with_all = OTHERS, help_heading = SEARCH
    )]
    pub(crate) exhaustive: Option<Exhaustive>,
    /// One strategy, or several in turn; `-s list` explains them.
    #[arg(short, long, value_name = "NAME[:VALUE]", value_parser = strategy, help_heading = SEARCH)]
    pub(crate) strategy: Vec<String>,
    /// Steps of an execution: unfair ones stop after N, fair ones after M [default: 10000, and 10 N];
    /// `auto` finds what fits the program by 200 executions beforehand.
    #[arg(short, long, value_name = "N[:M]", value_parser = parse::max_steps, help_heading = SEARCH)]
    pub(crate) max_steps: Option<MaxSteps>,
    /// What must happen and has not happened for T steps is a liveness bug [default: M / 2].
    #[arg(long, value_name = "T", value_parser = parse::count, help_heading = SEARCH)]
    pub(crate) temperature: Option<u64>,
    /// The number that all random decisions are drawn from, or `random` [default: 0].
    #[arg(long, value_name = "S", value_parser = parse::seed, help_heading = SEARCH)]
    pub(crate) seed: Option<u64>,
    /// Run each test for so long, `30s` or `5m`, instead of so often.
    #[arg(long = "for", value_name = "DURATION", value_parser = parse::duration, help_heading = SEARCH)]
    pub(crate) time_limit: Option<Duration>,
    /// Run each test until the second half of its executions, of at least 1000, has shown nothing new.
    #[arg(long, help_heading = SEARCH)]
    pub(crate) until_saturated: bool,
    /// Run the K-th of N parts of the search only; see `merge`.
    #[arg(long, value_name = "K/N", value_parser = parse::partition, help_heading = SEARCH)]
    pub(crate) partition: Option<Partition>,
    /// Write what `merge` needs of this part into a file.
    #[arg(long, value_name = "FILE", requires = "partition", help_heading = SEARCH)]
    pub(crate) results: Option<PathBuf>,
    /// Go on with a test after its first bug, and collect those that differ.
    #[arg(long, help_heading = SEARCH)]
    pub(crate) no_fail_fast: bool,
    /// Threads that explore [default: one per core]; they change the time, never the result.
    #[arg(short = 'j', long, value_name = "WORKERS", value_parser = parse::workers, help_heading = SEARCH)]
    pub(crate) workers: Option<usize>,
    /// A handler that takes longer counts as hanging [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse::duration, help_heading = SEARCH)]
    pub(crate) hang_timeout: Option<Duration>,
    /// Run the one execution that a failure's token names.
    #[arg(
        long, value_name = "TOKEN", help_heading = SEARCH,
        conflicts_with_all = ["iterations", "portfolio", "strategy", "seed", "time_limit", "no_fail_fast"]
    )]
    pub(crate) reproduce: Option<String>,
    /// How many steps may be spent on making a failing execution shorter: a number, `0` for none, or a
    /// duration, which stands for four million steps a second on every machine [default: 5s].
    #[arg(long, value_name = "STEPS", value_parser = parse::budget, help_heading = SEARCH)]
    pub(crate) minimize: Option<u64>,
    /// How many steps may be spent on finding out why a test failed, as for --minimize [default: 1s;
    /// none with --minimize 0, or where a bug is expected].
    #[arg(long, value_name = "STEPS", value_parser = parse::budget, help_heading = SEARCH)]
    pub(crate) explain: Option<u64>,
    /// How many faults of each kind an execution may have: `drop=3,crash=1`, or `none`. The kinds: call,
    /// full, disk, drop, duplicate, delay, partition, crash, restart, wipe, break, stop, clock.
    #[arg(long, value_name = "KIND=COUNT,..", value_parser = parse::faults, help_heading = SEARCH)]
    pub(crate) faults: Option<FaultBudgets>,
    /// How far the clocks of nodes may be apart: `offset=20ms,drift=0.001`, or `exact`; by how much a
    /// fault has one jump, `jump=1s`; how far apart timestamps may be that compare either way,
    /// `resolution=1ms`.
    #[arg(long, value_name = "NAME=VALUE,..", value_parser = parse::clocks, help_heading = SEARCH)]
    pub(crate) clocks: Option<Clocks>,
    /// How messages from one node to another are delivered: `per_pair`, in their order; `bag`, in any
    /// order; `mailbox`, at once [default: per_pair].
    #[arg(long, value_name = "HOW", value_parser = parse::delivery, help_heading = SEARCH)]
    pub(crate) delivery: Option<Delivery>,
    /// Say everything, of tests that pass, too, and what each strategy has found.
    #[arg(short, long, help_heading = REPORTS)]
    verbose: bool,
    /// Say only what fails or warns, and how many tests passed.
    #[arg(short, long, help_heading = REPORTS, conflicts_with = "verbose")]
    quiet: bool,
    /// Fail a test, with exit code 1, for specifications that could not have failed (`vacuous`), or
    /// for states and handlers that no execution reached (`unreached`); `none` takes it back.
    #[arg(long, value_name = "WHAT", value_parser = parse::deny, help_heading = REPORTS)]
    pub(crate) deny: Vec<Deny>,
    /// For people, or one line of JSON per test.
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = REPORTS)]
    pub(crate) format: Format,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE", help_heading = REPORTS)]
    pub(crate) junit: Option<PathBuf>,
    /// Write what the tests reached together: a summary, coverage.txt, and diagrams of the state
    /// machines, for Graphviz (.dot) and Mermaid (.mmd).
    #[arg(long, value_name = "DIR", help_heading = REPORTS)]
    pub(crate) coverage: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) coyote: Coyote,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

const REPORTS: &str = "Reports";
const SEARCH: &str = "Exploration";

/// How much is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// What fails or warns.
    Trouble,
    /// A line for each test that passes, too.
    Lines,
    /// All that is known.
    All,
}

/// Which portfolio.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Portfolio {
    /// All its strategies.
    All,
    /// Fair strategies only.
    Fair,
    /// All its strategies in turn.
    RoundRobin,
    /// Coyote's strategies in turn.
    Coyote,
}

/// What is searched to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Exhaustive {
    /// Each behaviour.
    Dpor,
    /// Each state.
    States,
}

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Human,
    /// A line of JSON per test, and one at the end.
    Json,
}

/// The spellings of Coyote and P.
#[derive(Args, Debug, Default)]
pub(crate) struct Coyote {
    #[arg(long, hide = true, conflicts_with_all = ["strategy", "sch_random"])]
    sch_portfolio: bool,
    #[arg(long, hide = true, conflicts_with_all = ["strategy", "portfolio"])]
    sch_random: bool,
    #[arg(long, hide = true, num_args = 0..=1, value_name = "DEPTH", value_parser = coyotes("pct"), default_missing_value = "", conflicts_with_all = OTHERS)]
    sch_pct: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, value_name = "DEPTH", value_parser = coyotes("fair-pct"), default_missing_value = "", conflicts_with_all = OTHERS)]
    sch_fairpct: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, value_name = "B", value_parser = coyotes("prob"), default_missing_value = "", conflicts_with_all = OTHERS)]
    sch_probabilistic: Option<String>,
    #[arg(long, hide = true, conflicts_with_all = OTHERS)]
    sch_pos: bool,
}

/// What stands in place of Coyote's spellings.
const OTHERS: [&str; 2] = ["strategy", "portfolio"];

/// Takes the parameter of a strategy that Coyote has a flag for.
fn coyotes(name: &'static str) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync {
    move |parameter| match parameter {
        "" => strategy(name),
        _ => strategy(&format!("{name}:{parameter}")),
    }
}

fn strategy(text: &str) -> Result<String, String> {
    if text != "list" {
        parse::search(&[text.to_owned()])?;
    }
    Ok(text.to_owned())
}

impl Explore {
    /// How much is told.
    pub(crate) fn told(&self) -> Told {
        match (self.quiet, self.verbose) {
            (true, _) => Told::Trouble,
            (_, true) => Told::All,
            _ => Told::Lines,
        }
    }

    /// The settings that flags give.
    pub(crate) fn overrides(&self) -> Overrides {
        let portfolio = |kind| match kind {
            Portfolio::All => vec!["portfolio".to_owned()],
            Portfolio::Fair => vec!["portfolio=fair".to_owned()],
            Portfolio::RoundRobin => vec!["portfolio=round-robin".to_owned()],
            Portfolio::Coyote => vec!["portfolio=coyote".to_owned()],
        };
        let exhaustive = |kind| match kind {
            Exhaustive::Dpor => vec!["dpor".to_owned()],
            Exhaustive::States => vec!["states".to_owned()],
        };
        let search = match self.portfolio {
            Some(kind) => Some(portfolio(kind)),
            None if self.exhaustive.is_some() => self.exhaustive.map(exhaustive),
            None if self.coyote.sch_portfolio => Some(portfolio(Portfolio::All)),
            None => Some(self.strategies()).filter(|strategies| !strategies.is_empty()),
        };
        Overrides {
            // To the end, as long as that may be.
            iterations: self.iterations.or(self.exhaustive.map(|_| u64::MAX)),
            seed: self.seed,
            search,
            max_steps: self.max_steps,
            temperature: self.temperature,
            workers: self.workers,
            time_limit: self.time_limit,
            until_saturated: self.until_saturated.then_some(true),
            keep_going: self.no_fail_fast.then_some(true),
            hang_timeout: self.hang_timeout,
            trace_dir: None,
            partition: self.partition,
            deny: self.deny.iter().copied().reduce(Deny::and),
            minimize: self.minimize,
            explain: self.explain,
            faults: self.faults,
            delivery: self.delivery,
            clocks: self.clocks,
        }
    }

    /// The strategies that are named, in either spelling.
    fn strategies(&self) -> Vec<String> {
        let coyote = &self.coyote;
        let switch = |on: bool, name: &str| on.then(|| name.to_owned());
        let spelled = [
            switch(coyote.sch_random, "random"),
            coyote.sch_pct.clone(),
            coyote.sch_fairpct.clone(),
            coyote.sch_probabilistic.clone(),
            switch(coyote.sch_pos, "pos"),
        ];
        let named = self.strategy.iter().cloned();
        named.chain(spelled.into_iter().flatten()).collect()
    }
}

/// Which tests, in the test harness's own words.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Only tests whose path contains one of these.
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    /// Only tests whose whole path is one of the filters.
    #[arg(long)]
    exact: bool,
    /// No test whose path contains this; with `--exact`, whose path is this.
    #[arg(long, value_name = "FILTER")]
    skip: Vec<String>,
    /// Tests marked `#[ignore]` only.
    #[arg(long, conflicts_with = "include_ignored")]
    ignored: bool,
    /// Tests marked `#[ignore]` too.
    #[arg(long)]
    include_ignored: bool,
    /// What to do if no test is left to run; `fail` ends with exit code 2 [default: fail].
    #[arg(long, value_name = "ACTION", hide_possible_values = false)]
    no_tests: Option<NoTests>,
}

/// What to do if no test is left to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum NoTests {
    /// Nothing.
    Pass,
    /// A warning.
    Warn,
    /// An error.
    #[default]
    Fail,
}

impl Filter {
    /// The test of this name, or path, is asked for.
    pub(crate) fn takes(&self, name: &str, path: &str) -> bool {
        let is = |filter: &String| {
            if self.exact {
                name == filter || path == filter
            } else {
                name.contains(&**filter)
            }
        };
        (self.filters.is_empty() || self.filters.iter().any(is)) && !self.skip.iter().any(is)
    }

    /// What is done with tests marked `#[ignore]`, where none of the options says it.
    pub(crate) fn ignored(&self, otherwise: Ignored) -> Ignored {
        match (self.ignored, self.include_ignored) {
            (true, _) => Ignored::Only,
            (_, true) => Ignored::Include,
            _ => otherwise,
        }
    }

    pub(crate) fn no_tests(&self) -> NoTests {
        self.no_tests.unwrap_or_default()
    }

    /// What stands before `list`, and behind it.
    fn and(mut self, more: Self) -> Self {
        self.filters.extend(more.filters);
        self.skip.extend(more.skip);
        Self {
            exact: self.exact || more.exact,
            ignored: self.ignored || more.ignored,
            include_ignored: self.include_ignored || more.include_ignored,
            no_tests: more.no_tests.or(self.no_tests),
            ..self
        }
    }
}

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
    /// Prints what is left as an ordinary `#[test]` that pins the schedule step by step, to be pasted
    /// beside the actor test; all else goes to standard error.
    #[arg(long)]
    pub(crate) as_test: bool,
    /// Keep what is left in tests/schedules of the package, too, so that it runs first from now on.
    #[arg(long)]
    pub(crate) save: bool,
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
    /// A log with vector clocks, for ShiViz.
    Shiviz,
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

/// What cargo builds, in cargo's own words.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Selection, as for cargo test")]
pub(crate) struct Selection {
    /// Tests of this package.
    #[arg(short, long, value_name = "SPEC")]
    pub(crate) package: Vec<String>,
    /// Tests of all packages of the workspace.
    #[arg(long, alias = "all")]
    pub(crate) workspace: bool,
    /// Not of this package.
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    exclude: Vec<String>,
    /// Tests of the library.
    #[arg(long)]
    lib: bool,
    /// Tests of all binaries.
    #[arg(long)]
    bins: bool,
    /// Tests of this binary.
    #[arg(long, value_name = "NAME")]
    bin: Vec<String>,
    /// Tests of all examples.
    #[arg(long)]
    examples: bool,
    /// Tests of this example.
    #[arg(long, value_name = "NAME")]
    example: Vec<String>,
    /// Tests of all test targets.
    #[arg(long)]
    tests: bool,
    /// Tests of this test target.
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,
    /// Tests of all targets.
    #[arg(long)]
    all_targets: bool,
    /// Features to turn on.
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,
    /// Turns all features on.
    #[arg(long)]
    all_features: bool,
    /// Turns the default features off.
    #[arg(long)]
    no_default_features: bool,
    /// Build with this profile [default: optimised, with assertions and overflow checks].
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Build for this target.
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// Build here.
    #[arg(long, value_name = "DIRECTORY")]
    target_dir: Option<PathBuf>,
    /// Path to Cargo.toml.
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// Cargo.lock stays as it is.
    #[arg(long)]
    locked: bool,
    /// No network.
    #[arg(long)]
    offline: bool,
    /// As --locked and --offline.
    #[arg(long)]
    frozen: bool,
    /// A value of cargo's configuration.
    #[arg(long, value_name = "KEY=VALUE")]
    config: Vec<String>,
    /// Everything that a native debugger wants to know.
    #[arg(skip)]
    pub(crate) symbols: bool,
}

impl Selection {
    /// The same, for a native debugger or not: without optimisation, unless a profile is given.
    pub(crate) fn with_symbols(mut self, symbols: bool) -> Self {
        self.symbols = symbols;
        if symbols {
            self.profile.get_or_insert_with(|| "dev".into());
        }
        self
    }

    /// For `cargo test`, and for the commands that are printed.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = self.everywhere();
        let mut switch = |on: bool, name: &str| flags.extend(on.then(|| name.to_owned()));
        switch(self.workspace, "--workspace");
        switch(self.lib, "--lib");
        switch(self.bins, "--bins");
        switch(self.examples, "--examples");
        switch(self.tests, "--tests");
        switch(self.all_targets, "--all-targets");
        let mut each = |name: &str, values: &[String]| {
            flags.extend(
                values
                    .iter()
                    .flat_map(|value| [name.to_owned(), value.clone()]),
            );
        };
        each("-p", &self.package);
        each("--exclude", &self.exclude);
        each("--bin", &self.bin);
        each("--example", &self.example);
        each("--test", &self.test);
        each("--target", self.target.as_slice());
        each("--profile", self.profile.as_slice());
        flags
    }

    /// The same for a command that concerns one test, whose package is named, and its target where it
    /// takes that to tell the test from another.
    pub(crate) fn flags_for(&self, package: &str, target: Option<&[String]>) -> Vec<String> {
        let one = Self {
            package: vec![package.to_owned()],
            workspace: false,
            exclude: Vec::new(),
            ..self.clone()
        };
        let Some(target) = target else {
            return one.flags();
        };
        let one = Self {
            lib: false,
            bins: false,
            examples: false,
            tests: false,
            all_targets: false,
            bin: Vec::new(),
            example: Vec::new(),
            test: Vec::new(),
            ..one
        };
        [&one.flags(), target].concat()
    }

    /// For `cargo metadata`.
    pub(crate) fn everywhere(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut switch = |on: bool, name: &str| flags.extend(on.then(|| name.to_owned()));
        switch(self.all_features, "--all-features");
        switch(self.no_default_features, "--no-default-features");
        switch(self.locked, "--locked");
        switch(self.offline, "--offline");
        switch(self.frozen, "--frozen");
        let mut each = |name: &str, values: &[String]| {
            flags.extend(
                values
                    .iter()
                    .flat_map(|value| [name.to_owned(), value.clone()]),
            );
        };
        each("--features", &self.features);
        each("--config", &self.config);
        let path = self
            .manifest_path
            .as_ref()
            .map(|path| path.display().to_string());
        each("--manifest-path", path.as_slice());
        flags
    }

    /// What stands before `list`, and behind it.
    fn and(mut self, more: Self) -> Self {
        self.package.extend(more.package);
        self.exclude.extend(more.exclude);
        self.bin.extend(more.bin);
        self.example.extend(more.example);
        self.test.extend(more.test);
        self.features.extend(more.features);
        self.config.extend(more.config);
        Self {
            workspace: self.workspace || more.workspace,
            lib: self.lib || more.lib,
            bins: self.bins || more.bins,
            examples: self.examples || more.examples,
            tests: self.tests || more.tests,
            all_targets: self.all_targets || more.all_targets,
            all_features: self.all_features || more.all_features,
            no_default_features: self.no_default_features || more.no_default_features,
            locked: self.locked || more.locked,
            offline: self.offline || more.offline,
            frozen: self.frozen || more.frozen,
            profile: more.profile.or(self.profile),
            target: more.target.or(self.target),
            symbols: self.symbols || more.symbols,
            target_dir: more.target_dir.or(self.target_dir),
            manifest_path: more.manifest_path.or(self.manifest_path),
            ..self
        }
    }

    /// Where to build, which `cargo metadata` takes from a variable only.
    pub(crate) fn target_dir(&self) -> Option<&PathBuf> {
        self.target_dir.as_ref()
    }

    /// Says which targets, whatever they hold.
    pub(crate) fn names_targets(&self) -> bool {
        self.lib
            || self.bins
            || self.examples
            || self.tests
            || self.all_targets
            || ![&self.bin, &self.example, &self.test]
                .into_iter()
                .all(Vec::is_empty)
    }

    /// The members of the workspace that are selected; `None` where a name is not simply that of one.
    pub(crate) fn members<'a>(&self, metadata: &'a Metadata) -> Option<Vec<&'a Package>> {
        let all = metadata.workspace_packages();
        let named = |name: &String| all.iter().find(|package| package.name.as_str() == name);
        if !self.package.is_empty() {
            return self
                .package
                .iter()
                .map(|name| named(name).copied())
                .collect();
        }
        if self.workspace {
            let excluded: Option<Vec<_>> = self.exclude.iter().map(named).collect();
            let excluded = excluded?;
            let is_left = |package: &&Package| !excluded.iter().any(|out| out.id == package.id);
            return Some(all.iter().copied().filter(is_left).collect());
        }
        Some(metadata.workspace_default_packages())
    }

    /// No package is named.
    pub(crate) fn is_default(&self) -> bool {
        self.package.is_empty() && !self.workspace
    }
}
