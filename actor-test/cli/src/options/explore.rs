//! Command-line options of a run of tests: search, bounds, budgets, faults, reports.

use std::path::PathBuf;
use std::time::Duration;

use actor_test::clocks::Clocks;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::settings::{Delivery, Deny, Partition};
use actor_test::tool::overrides::{MaxSteps, Overrides, parse};
use clap::{Args, ValueEnum};

use super::{Filter, Format, PackageSelection};

/// The options of a run.
#[derive(Args, Debug, Default)]
pub(crate) struct ExploreOptions {
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// The number of executions per test
    /// [default: about two seconds of one core, counted in steps, at least 100]. A test with `expect_bug`
    /// runs at least as many as its attribute says.
    #[arg(short, long, value_name = "N", value_parser = parse::count, help_heading = SEARCH)]
    pub(crate) iterations: Option<u64>,
    /// Several strategies take turns, and those that show new behaviour get more of them; this is the
    /// default. `=fair` takes fair ones only. For comparisons, `=round-robin` gives all the same number of
    /// turns, and `=coyote` combines the strategies of Coyote.
    #[arg(
        long, value_name = "KIND", num_args = 0..=1, require_equals = true,
        default_missing_value = "all", conflicts_with = "strategy", help_heading = SEARCH
    )]
    pub(crate) portfolio: Option<Portfolio>,
    /// Searches for a proof, to the end unless you set one by -i or --for. First dpor runs each behaviour
    /// once. If dpor can't follow the program, each state is visited once; if that fails too, samples are
    /// taken. A test without a bug that is not proved is UNPROVED, and the exit code is 3. `=dpor` and
    /// `=states` run only this search, for as long as it takes. `=ses:D` and `=ses:EXPLORER/D` run all
    /// schedules that differ from a default one by at most D delays; this is no proof, but finishes where the
    /// others don't.
    #[arg(
        long, value_name = "KIND", num_args = 0..=1, require_equals = true, value_parser = exhaustive,
        default_missing_value = EXHAUSTIVE, conflicts_with_all = OTHERS, help_heading = SEARCH
    )]
    pub(crate) exhaustive: Option<String>,
    /// One strategy, or several that take turns; `-s list` describes them.
    #[arg(short, long, value_name = "NAME[:VALUE]", value_parser = strategy, help_heading = SEARCH)]
    pub(crate) strategy: Vec<String>,
    /// The maximum number of steps of an execution: N for unfair ones, M for fair ones
    /// [default: 10000, and 10 N]; `auto` estimates both from 200 executions beforehand.
    #[arg(short, long, value_name = "N[:M]", value_parser = parse::max_steps, help_heading = SEARCH)]
    pub(crate) max_steps: Option<MaxSteps>,
    /// The number of steps after which a pending obligation is a liveness bug [default: M / 2].
    #[arg(long, value_name = "T", value_parser = parse::count, help_heading = SEARCH)]
    pub(crate) temperature: Option<u64>,
    /// The seed of all random decisions: a number, or `random` [default: 0].
    #[arg(long, value_name = "S", value_parser = parse::seed, help_heading = SEARCH)]
    pub(crate) seed: Option<u64>,
    /// The time for which each test runs, `30s` or `5m`, instead of a number of executions.
    #[arg(long = "for", value_name = "DURATION", value_parser = parse::duration, help_heading = SEARCH)]
    pub(crate) time_limit: Option<Duration>,
    /// Runs each test until the second half of its executions, of at least 1000, has shown nothing new.
    #[arg(long, help_heading = SEARCH)]
    pub(crate) until_saturated: bool,
    /// The directory of the search: the same command goes on after any interruption. A search by `dpor`, once
    /// it has become long, or by `states` or `dfs` goes on from its last checkpoint; -j, -i and --for may
    /// differ. A test that has ended is reported from the directory. Another build, or other settings, are
    /// refused. Writing takes at most a fiftieth of the time.
    #[arg(long, value_name = "DIR", help_heading = SEARCH)]
    pub(crate) search_dir: Option<PathBuf>,
    /// Runs only the K-th of N parts of the search in --search-dir. A part of a sample leaves its results
    /// there; `merge` adds them up. With --exhaustive, all parts run at the same time and share the
    /// directory, and each ends with the result of the whole.
    #[arg(long, value_name = "K/N", value_parser = parse::partition, help_heading = SEARCH)]
    pub(crate) partition: Option<Partition>,
    /// Continues with a test after its first bug, and collects different bugs.
    #[arg(long, help_heading = SEARCH)]
    pub(crate) no_fail_fast: bool,
    /// The number of threads [default: one per core]; it changes the time, never the result.
    #[arg(short = 'j', long, value_name = "WORKERS", value_parser = parse::workers, help_heading = SEARCH)]
    pub(crate) workers: Option<usize>,
    /// The time after which a handler counts as hanging [default: 10s].
    #[arg(long, value_name = "DURATION", value_parser = parse::duration, help_heading = SEARCH)]
    pub(crate) hang_timeout: Option<Duration>,
    /// Runs the one execution that a failure's token identifies.
    #[arg(
        long, value_name = "TOKEN", help_heading = SEARCH,
        conflicts_with_all = ["iterations", "portfolio", "strategy", "seed", "time_limit", "no_fail_fast"]
    )]
    pub(crate) reproduce: Option<String>,
    /// The budget for making a failing execution shorter: a number of steps, `0` for none, or a duration,
    /// worth four million steps a second on every machine [default: 5s].
    #[arg(long, value_name = "STEPS", value_parser = parse::budget, help_heading = SEARCH)]
    pub(crate) minimize: Option<u64>,
    /// The budget for finding the causes of a failure, as for --minimize
    /// [default: 1s; none with --minimize 0, or if a bug is expected].
    #[arg(long, value_name = "STEPS", value_parser = parse::budget, help_heading = SEARCH)]
    pub(crate) explain: Option<u64>,
    #[arg(
        long, value_name = "KIND=COUNT,..", value_parser = parse::faults, help = faults_help(),
        help_heading = SEARCH
    )]
    pub(crate) faults: Option<FaultBudgets>,
    /// The maximum difference of the nodes' clocks: `offset=20ms,drift=0.001`, or `exact`; the size of a
    /// clock fault's jump, `jump=1s`; the difference within which timestamps may compare either way,
    /// `resolution=1ms`.
    #[arg(long, value_name = "NAME=VALUE,..", value_parser = parse::clocks, help_heading = SEARCH)]
    pub(crate) clocks: Option<Clocks>,
    /// The delivery of messages from one node to another: `per_pair`, in order; `bag`, in any order;
    /// `mailbox`, at once [default: per_pair].
    #[arg(long, value_name = "HOW", value_parser = parse::delivery, help_heading = SEARCH)]
    pub(crate) delivery: Option<Delivery>,
    /// Prints everything, for passing tests too, with the executions and the bugs of each strategy.
    #[arg(short, long, help_heading = REPORTS)]
    verbose: bool,
    /// Prints only failures, warnings and the number of passed tests.
    #[arg(short, long, help_heading = REPORTS, conflicts_with = "verbose")]
    quiet: bool,
    /// Prints the program's output, the last 64 KiB of it, below the result of each test, on standard error.
    /// With -j 1 the output is in the order of the executions.
    #[arg(long, visible_alias = "no-capture", help_heading = REPORTS)]
    pub(crate) nocapture: bool,
    /// Fails a test, with exit code 1, for specifications that could not have failed (`vacuous`), or for
    /// states and handlers that no execution reached (`unreached`); `none` disables both.
    #[arg(long, value_name = "WHAT", value_parser = parse::deny, help_heading = REPORTS)]
    pub(crate) deny: Vec<Deny>,
    /// The format: text for people, or one line of JSON per test.
    #[arg(long, value_name = "FORMAT", default_value = "human", help_heading = REPORTS)]
    pub(crate) format: Format,
    /// The file for the results as JUnit XML.
    #[arg(long, value_name = "FILE", help_heading = REPORTS)]
    pub(crate) junit: Option<PathBuf>,
    /// The directory for the coverage of all tests together: a summary, coverage.txt, and diagrams of the
    /// state machines, for Graphviz (.dot) and Mermaid (.mmd).
    #[arg(long, value_name = "DIR", help_heading = REPORTS)]
    pub(crate) coverage: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) coyote: Coyote,
    #[command(flatten)]
    pub(crate) selection: PackageSelection,
}

const REPORTS: &str = "Reports";
const SEARCH: &str = "Exploration";

/// The amount of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verbosity {
    /// Only failures and warnings.
    Trouble,
    /// A line for each passing test as well.
    Lines,
    /// Everything.
    All,
}

/// The kinds of portfolio.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Portfolio {
    /// All strategies; the more successful ones get more turns.
    All,
    /// Fair strategies only.
    Fair,
    /// All strategies in fixed turns.
    RoundRobin,
    /// The strategies of Coyote in fixed turns.
    Coyote,
}

/// Hidden flags with the spellings of Coyote and P.
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

/// The flags that exclude a strategy in Coyote's spelling.
const OTHERS: [&str; 2] = ["strategy", "portfolio"];

/// Parses the parameter of a strategy that has a flag in Coyote.
fn coyotes(name: &'static str) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync {
    move |parameter| match parameter {
        "" => strategy(name),
        _ => strategy(&format!("{name}:{parameter}")),
    }
}

/// The value that requests a proof.
/// Returns the help of `--faults`.
fn faults_help() -> String {
    let kinds = FaultKind::ALL.map(FaultKind::word).join(", ");
    format!(
        "The maximum number of faults of each kind in an execution: `drop=3,crash=1`, or `none`. The \
         kinds: {kinds}"
    )
}

const EXHAUSTIVE: &str = "exhaustive";

/// Parses the value of `--exhaustive`: all searches for a proof, or a single one.
fn exhaustive(text: &str) -> Result<String, String> {
    match text.split(':').next() {
        _ if text == EXHAUSTIVE => Ok(text.to_owned()),
        Some("dpor" | "states" | "ses") => strategy(&format!("{EXHAUSTIVE}={text}")),
        _ => Err("there are `dpor`, `states` and `ses:DELAYS`".into()),
    }
}

fn strategy(text: &str) -> Result<String, String> {
    if text != "list" {
        parse::search(&[text.to_owned()])?;
    }
    Ok(text.to_owned())
}

impl ExploreOptions {
    /// Returns the amount of output.
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Trouble,
            (_, true) => Verbosity::All,
            _ => Verbosity::Lines,
        }
    }

    /// Returns an error for arguments in the style of `coyote test` that have another meaning here.
    pub(super) fn coyote_syntax_error(&self) -> Option<String> {
        let is_number = |text: &&String| text.parse::<u64>().is_ok();
        let package = self.selection.package.iter().find(is_number);
        if let Some(workers) = package {
            return Some(format!(
                "-p {workers} names a package, as for cargo: Coyote's -p {workers} is -j {workers} here"
            ));
        }
        let Some(MaxSteps::Steps(unfair, None)) = self.max_steps else {
            return None;
        };
        let fair = self.filter.filters.iter().find(is_number)?;
        Some(format!(
            "{fair} is a filter, of tests whose path contains it: Coyote's --max-steps {unfair} {fair} is \
             --max-steps {unfair}:{fair} here"
        ))
    }

    /// Returns the settings given by flags.
    pub(crate) fn overrides(&self) -> Overrides {
        let portfolio = |kind| match kind {
            Portfolio::All => vec!["portfolio".to_owned()],
            Portfolio::Fair => vec!["portfolio=fair".to_owned()],
            Portfolio::RoundRobin => vec!["portfolio=round-robin".to_owned()],
            Portfolio::Coyote => vec!["portfolio=coyote".to_owned()],
        };
        let search = match self.portfolio {
            Some(kind) => Some(portfolio(kind)),
            None if self.exhaustive.is_some() => self.exhaustive.clone().map(|kind| vec![kind]),
            None if self.coyote.sch_portfolio => Some(portfolio(Portfolio::All)),
            None => Some(self.strategies()).filter(|strategies| !strategies.is_empty()),
        };
        Overrides {
            iterations: self.iterations,
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
            search_dir: self.search_dir.clone(),
            deny: self.deny.iter().copied().reduce(Deny::and),
            minimize: self.minimize,
            explain: self.explain,
            faults: self.faults,
            delivery: self.delivery,
            clocks: self.clocks,
        }
    }

    /// Returns the strategies given by flags, in both spellings.
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
