//! What a run of tests may be told.

use std::path::PathBuf;
use std::time::Duration;

use actor_test::tool::overrides::{MaxSteps, Overrides, parse};
use actor_test::{Clocks, Delivery, Deny, FaultBudgets, Partition};
use clap::{Args, ValueEnum};

use super::{Filter, Format, Selection};

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
    /// Search for a proof, to the end unless -i or --for say when to stop: each behaviour once, by dpor;
    /// where that can't follow the program, each state once; where that can't either, samples are taken. A
    /// test without a bug that is not proved is UNPROVED, and the exit code is 3. `=dpor` and `=states` are
    /// these alone, and go on for as long as it takes; `=ses:D` and `=ses:EXPLORER/D` run all schedules that
    /// differ from a default one by at most D delays, which is no proof but fits where those don't.
    #[arg(
        long, value_name = "KIND", num_args = 0..=1, require_equals = true, value_parser = exhaustive,
        default_missing_value = EXHAUSTIVE, conflicts_with_all = OTHERS, help_heading = SEARCH
    )]
    pub(crate) exhaustive: Option<String>,
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
    /// Run the K-th of N parts of the search only; see `merge`. With --exhaustive and a directory that all
    /// parts share, --checkpoint=DIR, each explores its share and ends with the result of the whole.
    #[arg(long, value_name = "K/N", value_parser = parse::partition, help_heading = SEARCH)]
    pub(crate) partition: Option<Partition>,
    /// Write what `merge` needs of this part into a file.
    #[arg(long, value_name = "FILE", requires = "partition", help_heading = SEARCH)]
    pub(crate) results: Option<PathBuf>,
    /// Write now and then from where the search can go on if it is interrupted, whatever interrupts it:
    /// into DIR, or beside the traces. It is for `dpor`, once that has become long, and for `dfs`; a
    /// fiftieth of the time may go into it.
    #[arg(
        long, value_name = "DIR", num_args = 0..=1, require_equals = true, value_parser = directory,
        default_missing_value = "", help_heading = SEARCH
    )]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint of a search that was interrupted, with the same settings and the same
    /// build, and keep writing checkpoints; -j, -i and --for may be others.
    #[arg(long, help_heading = SEARCH)]
    pub(crate) resume: bool,
    /// Go on with a test after its first bug, and collect those that differ.
    #[arg(long, help_heading = SEARCH)]
    pub(crate) no_fail_fast: bool,
    /// Threads that explore and minimise [default: one per core]; they change the time, never the result.
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
    /// full, disk, drop, duplicate, delay, partition, crash, restart, wipe, break, stop, clock, wake.
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
    /// Show what the program printed, the last 64 KiB of it, below the result of each test, on standard
    /// error. With -j 1 it is in the order of the executions.
    #[arg(long, visible_alias = "no-capture", help_heading = REPORTS)]
    pub(crate) nocapture: bool,
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

/// What asks for a proof.
const EXHAUSTIVE: &str = "exhaustive";

/// A proof, by one search after the other or by one alone.
fn exhaustive(text: &str) -> Result<String, String> {
    match text.split(':').next() {
        _ if text == EXHAUSTIVE => Ok(text.to_owned()),
        Some("dpor" | "states" | "ses") => strategy(&format!("{EXHAUSTIVE}={text}")),
        _ => Err("there are `dpor`, `states` and `ses:DELAYS`".into()),
    }
}

/// A directory; an empty one is that of traces.
fn directory(text: &str) -> Result<PathBuf, std::convert::Infallible> {
    Ok(text.into())
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

    /// What is written as for `coyote test`, and would mean something else here, in a sentence.
    pub(super) fn in_coyotes_words(&self) -> Option<String> {
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

    /// The settings that flags give.
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
            checkpoint: self.checkpoint.clone(),
            resume: self.resume.then_some(true),
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
