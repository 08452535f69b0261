//! Partial settings from one source: flags, variables, an attribute or the manifest.
//!
//! [`resolve`] takes each setting from the first source that gives it. All sources share the syntax of
//! values, which [`parse`] defines.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::data::clocks::Clocks;
use crate::data::faults::FaultBudgets;
use crate::settings::Deny;
use crate::settings::attributes::Attributes;
use crate::settings::partition::Partition;
use crate::settings::strategy::PARTS_MAX;
use crate::settings::{Bounds, Delivery, Search, Semantics, Settings};

/// The default budget in steps for the causes of a test's bugs: 0.4 s of one core in an optimised build.
/// Traces contain the causes, so the budget is the same in every build.
const EXPLAIN: u64 = 4_000_000;

/// The divisor of the budget that gives the steps for searches that may prove a test.
const PROVE: u64 = 4;

/// The number of random executions run beside a proof.
const SAMPLES_BESIDE_PROOF: u64 = 100;

/// The bounds on the steps of executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MaxSteps {
    /// Bounds estimated from the program.
    Auto,
    /// The bound of unfair executions, and that of fair ones: ten times as many if `None`.
    Steps(u64, Option<u64>),
}

/// The settings that one source gives.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Overrides {
    pub iterations: Option<u64>,
    pub seed: Option<u64>,
    /// Strategies in the syntax of `-s`, including `portfolio`, `portfolio=fair`, `exhaustive` and
    /// `exhaustive=dpor`.
    pub search: Option<Vec<String>>,
    pub max_steps: Option<MaxSteps>,
    pub temperature: Option<u64>,
    pub workers: Option<usize>,
    pub time_limit: Option<Duration>,
    pub until_saturated: Option<bool>,
    pub keep_going: Option<bool>,
    pub hang_timeout: Option<Duration>,
    pub trace_dir: Option<PathBuf>,
    pub partition: Option<Partition>,
    /// The directory of the search.
    pub search_dir: Option<PathBuf>,
    /// The denied conditions, in the syntax of `--deny`.
    pub deny: Option<Deny>,
    /// The budget in steps for minimising failing executions.
    pub minimize: Option<u64>,
    /// The budget in steps for the search for the causes of bugs.
    pub explain: Option<u64>,
    /// The maximum number of faults of each kind in an execution.
    pub faults: Option<FaultBudgets>,
    /// The order in which messages between nodes are delivered.
    pub delivery: Option<Delivery>,
    /// The maximum difference of the nodes' clocks.
    pub clocks: Option<Clocks>,
}

impl Overrides {
    /// Returns these settings, completed by those of `other`.
    pub fn or(self, other: Self) -> Self {
        // A proof ignores the number of samples that a lower source sets.
        let goes_on = self.search.as_ref().is_some_and(|search| is_proof(search));
        let iterations = other.iterations.filter(|_| !goes_on);
        Self {
            iterations: self.iterations.or(iterations),
            seed: self.seed.or(other.seed),
            search: self.search.or(other.search),
            max_steps: self.max_steps.or(other.max_steps),
            temperature: self.temperature.or(other.temperature),
            workers: self.workers.or(other.workers),
            time_limit: self.time_limit.or(other.time_limit),
            until_saturated: self.until_saturated.or(other.until_saturated),
            keep_going: self.keep_going.or(other.keep_going),
            hang_timeout: self.hang_timeout.or(other.hang_timeout),
            trace_dir: self.trace_dir.or(other.trace_dir),
            partition: self.partition.or(other.partition),
            search_dir: self.search_dir.or(other.search_dir),
            deny: self.deny.or(other.deny),
            minimize: self.minimize.or(other.minimize),
            explain: self.explain.or(other.explain),
            faults: self.faults.or(other.faults),
            delivery: self.delivery.or(other.delivery),
            clocks: self.clocks.or(other.clocks),
        }
    }

    /// Returns the settings that the attribute of a test gives.
    pub fn of(attributes: &Attributes) -> Result<Self, String> {
        let strategies = attributes.strategies;
        Ok(Self {
            iterations: attributes.iterations,
            seed: attributes.seed,
            search: (!strategies.is_empty())
                .then(|| strategies.iter().map(|text| (*text).to_owned()).collect()),
            max_steps: attributes
                .max_steps
                .map(|(unfair, fair)| MaxSteps::Steps(unfair, fair)),
            temperature: attributes.temperature,
            deny: attributes.deny.map(parse::deny).transpose()?,
            minimize: attributes.minimize,
            faults: (!attributes.faults.is_empty())
                .then(|| attributes.faults.iter().copied().collect()),
            delivery: attributes.delivery.map(parse::delivery).transpose()?,
            clocks: attributes.clocks.map(parse::clocks).transpose()?,
            ..Self::default()
        })
    }
}

fn is_proof(search: &[String]) -> bool {
    matches!(search, [only] if only.starts_with(parse::EXHAUSTIVE))
}

/// The default budgets of a test in steps, so that the result is the same on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Budgets {
    /// The steps for exploring.
    pub exploring: u64,
    /// The steps for minimising failing executions.
    pub minimize: u64,
}

/// Resolves the settings of a test: `given` by flags and variables, then the attribute, then the manifest. If
/// none of them sets an end, exploring ends with the budget.
pub fn resolve(
    given: Overrides,
    attributes: &Attributes,
    manifest: Overrides,
    budgets: Budgets,
) -> Result<Settings, String> {
    let all = given.or(Overrides::of(attributes)?).or(manifest);
    let defaults = Settings::default();
    let search = match &all.search {
        None => defaults.search,
        Some(texts) => parse::search(texts)?,
    };
    let until_saturated = all.until_saturated.unwrap_or(defaults.until_saturated);
    // The budget applies only if no other end is given.
    let is_ended = all.iterations.is_some() || all.time_limit.is_some() || until_saturated;
    match (all.partition, &all.search_dir) {
        (None, None) => {}
        (None, Some(_)) => can_go_on(&search)?,
        (Some(part), Some(_)) => can_be_divided(part, &search)?,
        (Some(_), None) => {
            return Err(
                "--partition needs --search-dir DIR, the directory in which the parts leave their \
                 results"
                    .into(),
            );
        }
    }
    let is_plain = all.search.is_none() && all.max_steps != Some(MaxSteps::Auto);
    let is_tried = !is_ended && is_plain && all.partition.is_none();
    let iterations = all.iterations.unwrap_or(u64::MAX);
    // The attribute of a test that expects a bug sets the executions needed to find it.
    let least = attributes.expect_bug.and(attributes.iterations);
    let minimize = all.minimize.unwrap_or(budgets.minimize);
    Ok(Settings {
        iterations: iterations.max(least.unwrap_or(0)),
        seed: all.seed.unwrap_or(defaults.seed),
        bounds: bounds(&all),
        calibrate: all.max_steps == Some(MaxSteps::Auto),
        semantics: Semantics {
            faults: all.faults.unwrap_or_default(),
            delivery: all.delivery.unwrap_or_default(),
            clocks: all.clocks.unwrap_or_default(),
            ..semantics(attributes)
        },
        workers: all.workers.unwrap_or(defaults.workers),
        keep_going: all.keep_going.unwrap_or(defaults.keep_going),
        step_budget: match search {
            Search::ExhaustiveBy(_) => None,
            _ => (!is_ended).then_some(budgets.exploring),
        },
        prove: match search {
            Search::Exhaustive => budgets.exploring,
            _ if is_tried => budgets.exploring / PROVE,
            _ => 0,
        },
        search,
        samples_beside_proof: SAMPLES_BESIDE_PROOF,
        time_limit: all.time_limit,
        until_saturated,
        partition: all.partition,
        search_dir: all.search_dir,
        check_every: defaults.check_every,
        lasso: defaults.lasso,
        minimize,
        explain: match (all.explain, attributes.expect_bug) {
            (Some(steps), _) => steps,
            (None, None) if minimize > 0 => EXPLAIN,
            _ => defaults.explain,
        },
        expect_bug: attributes.expect_bug.map(str::to_owned),
        deny: all.deny.unwrap_or(defaults.deny),
        salt: defaults.salt,
        last_words: defaults.last_words,
    })
}

/// Checks that a search can be divided: into parts of a sample, or among processes that explore it together.
fn can_be_divided(part: Partition, search: &Search) -> Result<(), String> {
    let first = search.first();
    let Some(spec) = first.iter().find(|spec| spec.has_memory()) else {
        return Ok(());
    };
    match u64::from(PARTS_MAX) {
        _ if first.len() > 1 || !spec.is_divisible() => Err(format!(
            "`{spec}` can't be divided into parts: what it does depends on the executions before; alone, \
             `dpor` can, for instance by `--exhaustive`"
        )),
        parts if part.of() > parts => Err(format!(
            "`{spec}` has {parts} parts, too few for {} processes; --partition K/{parts} divides it \
             among as many as that",
            part.of()
        )),
        _ => Ok(()),
    }
}

/// Checks that a search goes on after an interruption.
fn can_go_on(search: &Search) -> Result<(), String> {
    let why = match &search.first()[..] {
        [only] if only.can_be_saved() => return Ok(()),
        [only] => format!("`{only}` can't go on where it was interrupted"),
        _ => "several strategies in turn can't go on where they were interrupted".into(),
    };
    Err(format!(
        "--search-dir: {why}; the searches that can are `dpor`, `states` and `dfs`, in all their forms: \
         `--exhaustive`, or `-s dpor`, for instance; a sample is divided by --partition K/N, and a part \
         that has ended is not repeated"
    ))
}

fn bounds(all: &Overrides) -> Bounds {
    let bounds = match all.max_steps {
        None | Some(MaxSteps::Auto) => Bounds::default(),
        Some(MaxSteps::Steps(unfair, None)) => Bounds::new(unfair),
        Some(MaxSteps::Steps(unfair, Some(fair))) => Bounds::new(unfair).with_fair(fair),
    };
    match all.temperature {
        None => bounds,
        Some(temperature) => bounds.with_temperature(temperature),
    }
}

fn semantics(attributes: &Attributes) -> Semantics {
    let defaults = Semantics::default();
    let clock_error = attributes.clock_error_ms.map(Duration::from_millis);
    Semantics {
        patient_timers: attributes.patient_timers,
        atomic_handlers: attributes.atomic_handlers,
        clock_error: clock_error.unwrap_or(defaults.clock_error),
        supervised: attributes.supervised,
        ..defaults
    }
}

/// Parsers of values; an error describes the accepted syntax.
pub mod parse {
    use std::hash::{BuildHasher, RandomState};

    use super::{Clocks, Delivery, Deny, Duration, FaultBudgets, MaxSteps, Partition, Search};
    use crate::settings::strategy::StrategySpec;

    /// The prefix that requests a proof; the search that makes it may follow.
    pub(super) const EXHAUSTIVE: &str = "exhaustive";

    /// The number of steps that a millisecond stands for.
    const STEPS_PER_MS: u64 = 4_000;

    /// Parses a number above zero.
    pub fn count(text: &str) -> Result<u64, String> {
        let count = number(text).filter(|count| *count > 0);
        count.ok_or_else(|| "expected a number above zero, `100` for instance".into())
    }

    /// Parses a number of workers.
    pub fn workers(text: &str) -> Result<usize, String> {
        let workers = count(text)
            .ok()
            .and_then(|count| usize::try_from(count).ok());
        let workers = workers.filter(|workers| *workers <= 1024);
        workers
            .ok_or_else(|| "expected a number of threads from 1 to 1024, `4` for instance".into())
    }

    /// Parses a number, or `random`.
    pub fn seed(text: &str) -> Result<u64, String> {
        match text {
            "random" => Ok(RandomState::new().hash_one(std::process::id()) >> 16),
            _ => number(text)
                .ok_or_else(|| "expected a number, `7` for instance, or `random`".into()),
        }
    }

    /// Parses `N`, `N:M` or `auto`.
    pub fn max_steps(text: &str) -> Result<MaxSteps, String> {
        let steps = match text.split_once(':') {
            _ if text == "auto" => return Ok(MaxSteps::Auto),
            None => count(text).map(|unfair| MaxSteps::Steps(unfair, None)),
            Some((unfair, fair)) => {
                count(unfair).and_then(|unfair| Ok(MaxSteps::Steps(unfair, Some(count(fair)?))))
            }
        };
        steps.map_err(|_| {
            "expected N or N:M, numbers above zero: `500` stops unfair executions after 500 steps \
             and fair ones after 5000, `500:2000` fair ones after 2000; or `auto`"
                .into()
        })
    }

    /// Parses `K/N`.
    pub fn partition(text: &str) -> Result<Partition, String> {
        text.parse()
            .map_err(|error: crate::settings::partition::PartitionError| error.to_string())
    }

    /// Parses a duration with its unit.
    pub fn duration(text: &str) -> Result<Duration, String> {
        let digits = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (amount, unit) = text.split_at(digits);
        let seconds = match unit.trim() {
            "" if amount.parse::<f64>().is_ok() => {
                return Err(format!(
                    "{amount} of what? Write `{amount}s`, or `{amount}m` for minutes"
                ));
            }
            "ms" => 0.001,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => f64::NAN,
        };
        let amount = amount.parse::<f64>().ok().filter(|amount| *amount > 0.0);
        amount
            .and_then(|amount| Duration::try_from_secs_f64(amount * seconds).ok())
            .filter(|duration| !duration.is_zero())
            .ok_or_else(|| "expected a duration above zero: `30s`, `500ms`, `5m` or `1h`".into())
    }

    /// Parses a number of steps, zero included, or a duration, which stands for a number of steps.
    pub fn budget(text: &str) -> Result<u64, String> {
        let steps = |duration: Duration| {
            u64::try_from(duration.as_millis())
                .unwrap_or(u64::MAX)
                .saturating_mul(STEPS_PER_MS)
        };
        let read = number(text).or_else(|| duration(text).ok().map(steps));
        read.ok_or_else(|| {
            "expected a number of steps, `20000000` for instance, `0` for none, or a duration, `5s`, \
             which stands for four million steps a second on every machine"
                .into()
        })
    }

    /// Parses `vacuous`, `unreached`, both separated by a comma, or `none`.
    pub fn deny(text: &str) -> Result<Deny, String> {
        let mut denied = Deny::default();
        if text.trim() == "none" {
            return Ok(denied);
        }
        for word in text.split(',') {
            match word.trim() {
                "vacuous" => denied.vacuous = true,
                "unreached" => denied.unreached = true,
                _ => {
                    return Err(
                        "expected `vacuous` (specifications that could not have failed), \
                                `unreached` (states and handlers), `vacuous,unreached`, or `none`"
                            .into(),
                    );
                }
            }
        }
        Ok(denied)
    }

    /// Parses `mailbox`, `per_pair` or `bag`.
    pub fn delivery(text: &str) -> Result<Delivery, String> {
        Delivery::of(text.trim()).ok_or_else(|| {
            "expected `per_pair` (messages between two nodes keep their order), `bag` (they come in any \
             order), or `mailbox` (they come at once, as within a node)"
                .into()
        })
    }

    /// Parses `KIND=COUNT` separated by commas, or `none`.
    pub fn faults(text: &str) -> Result<FaultBudgets, String> {
        text.parse()
            .map_err(|error: crate::data::faults::FaultBudgetsError| error.to_string())
    }

    /// Parses `NAME=VALUE` separated by commas, or `exact`.
    pub fn clocks(text: &str) -> Result<Clocks, String> {
        text.parse()
            .map_err(|error: crate::data::clocks::ClocksError| error.to_string())
    }

    /// Parses a portfolio, a proof, or strategies that take turns.
    pub fn search(texts: &[String]) -> Result<Search, String> {
        match texts {
            [one] if one.starts_with("portfolio") => portfolio(one),
            [one] if one.starts_with(EXHAUSTIVE) => exhaustive(one),
            _ => texts
                .iter()
                .map(|text| strategy(text))
                .collect::<Result<_, _>>()
                .map(Search::Strategies),
        }
    }

    fn portfolio(text: &str) -> Result<Search, String> {
        match text {
            "portfolio" => Ok(Search::Portfolio),
            "portfolio=fair" => Ok(Search::FairPortfolio),
            "portfolio=round-robin" => Ok(Search::RoundRobin),
            "portfolio=coyote" => Ok(Search::Coyote),
            _ => Err(format!(
                "there is no `{text}`; there are `portfolio`, `portfolio=fair`, \
                 `portfolio=round-robin` and `portfolio=coyote`"
            )),
        }
    }

    fn exhaustive(text: &str) -> Result<Search, String> {
        let by = match text.split_once('=') {
            None if text == EXHAUSTIVE => return Ok(Search::Exhaustive),
            Some((EXHAUSTIVE, by)) => by,
            _ => "",
        };
        match by.split(':').next() {
            Some("dpor" | "states" | "ses") => strategy(by).map(Search::ExhaustiveBy),
            _ => Err(format!(
                "there is no `{text}`; there are `{EXHAUSTIVE}`, `{EXHAUSTIVE}=dpor`, \
                 `{EXHAUSTIVE}=states` and `{EXHAUSTIVE}=ses:DELAYS`"
            )),
        }
    }

    /// Parses one strategy.
    pub fn strategy(text: &str) -> Result<StrategySpec, String> {
        if text.starts_with("portfolio") {
            return Err("a portfolio stands alone".into());
        }
        if text.starts_with(EXHAUSTIVE) {
            return Err(format!("`{text}` stands alone"));
        }
        text.parse()
            .map_err(|error: crate::settings::strategy::SpecError| error.to_string())
    }

    fn number(text: &str) -> Option<u64> {
        text.replace('_', "").parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGETS: Budgets = Budgets {
        exploring: 7,
        minimize: 9,
    };

    fn nothing() -> Attributes {
        Attributes {
            iterations: None,
            max_steps: None,
            temperature: None,
            seed: None,
            strategies: &[],
            minimize: None,
            expect_bug: None,
            deny: None,
            patient_timers: false,
            atomic_handlers: false,
            supervised: false,
            faults: &[],
            delivery: None,
            clocks: None,
            clock_error_ms: None,
        }
    }

    fn iterations(iterations: u64) -> Overrides {
        Overrides {
            iterations: Some(iterations),
            ..Overrides::default()
        }
    }

    #[test]
    fn the_first_place_that_gives_a_setting_wins() {
        let attributes = Attributes {
            iterations: Some(3),
            ..nothing()
        };
        let of = |given, attributes: &_, manifest| {
            resolve(given, attributes, manifest, BUDGETS).map(|settings| settings.iterations)
        };
        let none = Overrides::default;
        assert_eq!(
            of(iterations(1).or(iterations(2)), &attributes, iterations(4)),
            Ok(1)
        );
        assert_eq!(
            of(none().or(iterations(2)), &attributes, iterations(4)),
            Ok(2)
        );
        assert_eq!(of(none(), &attributes, iterations(4)), Ok(3));
        assert_eq!(of(none(), &nothing(), iterations(4)), Ok(4));
        assert_eq!(of(none(), &nothing(), none()), Ok(u64::MAX));
        let expecting = Attributes {
            expect_bug: Some("a rare one"),
            ..attributes
        };
        assert_eq!(of(iterations(1), &expecting, none()), Ok(3));
        assert_eq!(of(iterations(5), &expecting, none()), Ok(5));
    }

    #[test]
    fn a_budget_is_the_end_where_nobody_says_when_to_stop() {
        let budget = |given: Overrides| {
            resolve(given, &nothing(), Overrides::default(), BUDGETS)
                .map(|settings| settings.step_budget)
        };
        assert_eq!(budget(Overrides::default()), Ok(Some(7)));
        assert_eq!(budget(iterations(3)), Ok(None));
        let time_limit = Some(Duration::from_secs(1));
        let timed = Overrides {
            time_limit,
            ..Overrides::default()
        };
        assert_eq!(budget(timed), Ok(None));
        let until_saturated = Some(true);
        let saturated = Overrides {
            until_saturated,
            ..Overrides::default()
        };
        assert_eq!(budget(saturated), Ok(None));
    }

    #[test]
    fn a_proof_is_tried_where_nobody_says_how_to_search_or_when_to_stop() {
        let budgets = Budgets {
            exploring: 400,
            ..BUDGETS
        };
        let share = |given: Overrides| {
            resolve(given, &nothing(), Overrides::default(), budgets)
                .map(|settings| (settings.prove, settings.step_budget))
        };
        assert_eq!(share(Overrides::default()), Ok((100, Some(400))));
        assert_eq!(share(iterations(3)), Ok((0, None)));
        let with = |change: fn(&mut Overrides)| {
            let mut given = Overrides::default();
            change(&mut given);
            share(given).map(|(prove, _)| prove)
        };
        assert_eq!(with(|given| given.workers = Some(4)), Ok(100));
        let portfolio = |given: &mut Overrides| given.search = Some(vec!["portfolio".into()]);
        assert_eq!(with(portfolio), Ok(0));
        assert_eq!(with(|given| given.max_steps = Some(MaxSteps::Auto)), Ok(0));
        assert_eq!(
            with(|given| {
                given.partition = parse::partition("1/2").ok();
                given.search_dir = Some("search".into());
            }),
            Ok(0)
        );
    }

    #[test]
    fn forms_are_accepted_and_refused() {
        assert_eq!(
            parse::max_steps("500:2000"),
            Ok(MaxSteps::Steps(500, Some(2000)))
        );
        assert_eq!(parse::max_steps("auto"), Ok(MaxSteps::Auto));
        assert_eq!(
            parse::max_steps("10_000"),
            Ok(MaxSteps::Steps(10_000, None))
        );
        assert_eq!(parse::duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse::duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(
            parse::duration("2"),
            Err("2 of what? Write `2s`, or `2m` for minutes".into())
        );
        for wrong in ["", "0", "-1", "5:", "5:0", "x"] {
            assert!(parse::max_steps(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "0s", "-1s", "5 parsecs", "s", "1e400s", "."] {
            assert!(parse::duration(wrong).is_err(), "{wrong}");
        }
        assert!(parse::search(&["random".into(), "portfolio".into()]).is_err());
        let vacuous = Deny::default().with_vacuous();
        assert_eq!(parse::deny("vacuous"), Ok(vacuous));
        assert_eq!(
            parse::deny("unreached, vacuous"),
            Ok(vacuous.with_unreached())
        );
        assert_eq!(parse::deny("none"), Ok(Deny::default()));
        for wrong in ["", "all", "vacuous,", "vacuous none", "none,vacuous"] {
            assert!(parse::deny(wrong).is_err(), "{wrong}");
        }
    }
}
