//! Strategies by name and parameters, as `-s` and the attributes take them: [`StrategySpec`].

mod limit;
mod placement;
pub(crate) mod portfolio;

use std::fmt;
use std::str::FromStr;

pub use limit::StateLimit;
pub use placement::Placement;

/// The default number of halvings of `prob`: a switch before one step in eight.
pub(crate) const HALVINGS: u32 = 3;
/// The largest number of halvings of `prob`.
pub(crate) const HALVINGS_MAX: u32 = 30;
/// The greatest depth of `pct`.
pub(crate) const DEPTH_MAX: u32 = 100;
/// The default number of delays.
pub(crate) const DELAYS: u32 = 5;
/// The largest number of delays.
pub(crate) const DELAYS_MAX: u32 = 100;
/// The default limit of `dpor` on known histories and ends, which take about half a gigabyte.
pub(crate) const HISTORIES: u64 = 4_000_000;
/// The number of parts into which a search can be divided.
pub(crate) const PARTS_MAX: u32 = 16;
/// The default number of behaviours after which `dpor:order=random` continues at a random backtrack point.
pub(crate) const RANDOM_JUMP_INTERVAL: u64 = 100;

/// A strategy by name and parameters, from which each worker builds its own instance.
///
/// ```
/// use actor_test::strategy::StrategySpec;
///
/// let spec: StrategySpec = "weighted:8/1".parse()?;
/// assert_eq!(spec.to_string(), "weighted");
/// let spec: StrategySpec = "fair-pct:3".parse()?;
/// assert_eq!(spec, StrategySpec::Fair(Box::new(StrategySpec::Pct(Some(3)))));
/// assert!("rnadom".parse::<StrategySpec>().unwrap_err().to_string().contains("`random`"));
/// # Ok::<(), actor_test::strategy::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StrategySpec {
    /// [`Random`](crate::strategy::Random).
    Random,
    /// [`Weighted`](crate::strategy::Weighted).
    Weighted(Weights),
    /// [`Weighted`](crate::strategy::Weighted), with a separate [weight](crate::strategy::Weighted::event) for each of these types of events.
    WeightedEvents(Weights, Vec<(String, u32)>),
    /// [`Probabilistic`](crate::strategy::Probabilistic), with its number of halvings.
    Probabilistic(u32),
    /// [`Pct`](crate::strategy::Pct), with its depth if it is fixed.
    Pct(Option<u32>),
    /// [`Pos`](crate::strategy::Pos).
    Pos,
    /// [`Pos::local_first`](crate::strategy::Pos::local_first).
    PosLocal,
    /// [`Urw`](crate::strategy::Urw).
    Urw,
    /// [`Surw`](crate::strategy::Surw).
    Surw,
    /// [`Delayed::new`](crate::strategy::Delayed::new), with its explorer and its bound on delays.
    Delay(ExplorerKind, u32),
    /// [`Delayed::stratified`](crate::strategy::Delayed::stratified), with its explorer and its number of delays if it is fixed.
    Stratified(ExplorerKind, Option<u32>),
    /// [`Bounded::delays`](crate::strategy::Bounded::delays), with its equivalence of states, its explorer and its bound on delays.
    BoundedDelays(StateEquivalence, ExplorerKind, Option<u32>),
    /// [`Bounded::then_sample`](crate::strategy::Bounded::then_sample) behind a search by states, with its explorer and its bound on delays.
    SampledDelays(ExplorerKind, u32),
    /// [`Bounded::preemptions`](crate::strategy::Bounded::preemptions), with its equivalence of states and its bound.
    BoundedPreemptions(StateEquivalence, Option<u32>),
    /// [`Bounded::fair_preemptions`](crate::strategy::Bounded::fair_preemptions), with its bound.
    FairPreemptions(Option<u32>),
    /// [`Bdfs`](crate::strategy::Bdfs), with its depth.
    Bdfs(Option<u64>),
    /// [`Dfs`](crate::strategy::Dfs), with its bound on executions.
    Dfs(Option<u64>),
    /// [`Dfs::local_first`](crate::strategy::Dfs::local_first), with its bound on executions.
    DfsLocal(Option<u64>),
    /// [`States::breadth_first`](crate::strategy::States::breadth_first), with its limit.
    Breadth(Option<StateLimit>),
    /// [`States::depth_first`](crate::strategy::States::depth_first), with its limit.
    States(Option<StateLimit>),
    /// [`States::local_first`](crate::strategy::States::local_first), with its limit.
    StatesLocal(Option<StateLimit>),
    /// Inbox-DPOR: each behaviour once, with a limit on the histories that it stores.
    Dpor(Option<u64>),
    /// Inbox-DPOR in another order: after so many behaviours it continues at a random place.
    HoppingDpor(u64),
    /// [`FairSuffix::at_max_steps`](crate::strategy::FairSuffix::at_max_steps) of an unfair strategy.
    Fair(Box<StrategySpec>),
    /// [`FairSuffix::anywhere`](crate::strategy::FairSuffix::anywhere) of an unfair strategy without memory (`dfs` needs whole executions).
    EarlyFair(Box<StrategySpec>),
    /// [`LivePrefix`](crate::strategy::LivePrefix) of a search with memory.
    Live(Box<StrategySpec>),
    /// Any strategy, with the faults that a test asks for placed by a rule.
    Placed(Placement, Box<StrategySpec>),
}

/// The equivalence of states by which the search continues from one of them only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateEquivalence {
    /// No states are compared.
    Never,
    /// States in which each operation has handled the same events in the same order.
    Histories,
    /// States with the same fingerprint.
    States,
}

impl StateEquivalence {
    /// Returns the parameter, unless it is the default one.
    pub(crate) fn unless(self, default: Self) -> Option<String> {
        (self != default).then(|| format!("by={}", self.word()))
    }

    /// Returns the word of `by=` in the name of a strategy.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::States => "states",
            Self::Histories => "hb",
            Self::Never => "schedules",
        }
    }
}

/// The weight of each kind of step: at least one, and best within a factor of 100, since the rarer kind is
/// drawn and rejected that often if nothing else is enabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights {
    /// The weight of starting, handling, flushing and resuming. Default 8.
    pub work: u32,
    /// The weight of a timer that fires. Default 1.
    pub timer: u32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { work: 8, timer: 1 }
    }
}

/// A delaying explorer by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ExplorerKind {
    /// `rr`: [`RoundRobin::new`](crate::strategy::RoundRobin::new).
    RoundRobin,
    /// `prr`: [`RoundRobin::random`](crate::strategy::RoundRobin::random).
    RandomRoundRobin,
    /// `rtc`: [`RunToCompletion`](crate::strategy::RunToCompletion).
    RunToCompletion,
}

impl ExplorerKind {
    fn parse(text: &str) -> Option<Self> {
        let all = [
            Self::RoundRobin,
            Self::RandomRoundRobin,
            Self::RunToCompletion,
        ];
        all.into_iter().find(|kind| kind.word() == text)
    }

    /// Returns the name, unless it is the default one of a bounded search.
    fn unless_default(self) -> Option<String> {
        (self != Self::RunToCompletion).then(|| self.word().into())
    }

    fn word(self) -> &'static str {
        match self {
            Self::RoundRobin => "rr",
            Self::RandomRoundRobin => "prr",
            Self::RunToCompletion => "rtc",
        }
    }
}

/// The entry of a strategy in the table of names.
struct StrategyEntry {
    name: &'static str,
    /// The parameters, as they follow the name.
    form: &'static str,
    /// The accepted values of the parameters.
    range: &'static str,
    /// An explanation in two lines.
    explanation: &'static str,
    /// The parser of the parameters; `None` if one is malformed, out of range or unknown.
    parse: fn(Parameters<'_>) -> Option<StrategySpec>,
}

const TABLE: &[StrategyEntry] = &[
    StrategyEntry {
        name: "random",
        form: "",
        range: NONE,
        explanation: "fair; picks uniformly among the enabled operations.\nThe baseline: good on short tests and for liveness.",
        parse: |parameters| parameters.end(StrategySpec::Random),
    },
    StrategyEntry {
        name: "weighted",
        form: "[:WORK/TIMER[/EVENT=WEIGHT]...]",
        range: "weights from 1, and each EVENT the name of a type",
        explanation: "fair; picks by weights, 8 for work and 1 for a timer unless given.\nGood where timers would otherwise fire too often; what sends, handles or fires an EVENT has its WEIGHT instead: weighted:8/1/Heartbeat=1/Vote=20.",
        parse: |parameters| match parameters.0.is_empty() {
            true => Some(StrategySpec::Weighted(Weights::default())),
            false => weighted(&parameters.0),
        },
    },
    StrategyEntry {
        name: "prob",
        form: "[:B]",
        range: "B from 1 to 30",
        explanation: "fair; stays with one operation, and switches with probability 2^-B, one in eight unless given.\nGood where one actor must get far ahead of the others.",
        parse: |mut parameters| {
            let halvings = parameters.number(HALVINGS_MAX)?;
            let halvings = halvings.unwrap_or(HALVINGS);
            parameters.end(StrategySpec::Probabilistic(halvings))
        },
    },
    StrategyEntry {
        name: "pct",
        form: "[:DEPTH]",
        range: "DEPTH from 1 to 100",
        explanation: "unfair; random priorities, lowered at DEPTH - 1 random steps, 1 to 9 of them unless given.\nGood for bugs that need a few steps in one order, with a bound on the odds.",
        parse: |mut parameters| {
            let depth = parameters.number(DEPTH_MAX)?;
            parameters.end(StrategySpec::Pct(depth))
        },
    },
    StrategyEntry {
        name: "pos",
        form: "[:local]",
        range: "local or nothing",
        explanation: "unfair; random priorities of steps, drawn anew for steps that race.\nGood at reaching many different behaviours. With local, steps that may be local run first, in seven executions of eight: good at orders of messages, less so if a monitor sees the order of handlers.",
        parse: |mut parameters| {
            let local = parameters.flag("local");
            parameters.end(if local {
                StrategySpec::PosLocal
            } else {
                StrategySpec::Pos
            })
        },
    },
    StrategyEntry {
        name: "urw",
        form: "",
        range: NONE,
        explanation: "unfair; picks in proportion to the steps that an operation has left, which pilot executions estimate.\nGood where one actor has much more to do than another.",
        parse: |parameters| parameters.end(StrategySpec::Urw),
    },
    StrategyEntry {
        name: "surw",
        form: "",
        range: NONE,
        explanation: "unfair; makes each order of sends to inboxes that several actors send to equally likely.\nGood at orders of many messages into one inbox, and where actors have unequal work.",
        parse: |parameters| parameters.end(StrategySpec::Surw),
    },
    StrategyEntry {
        name: "delay",
        form: "[:EXPLORER[/DELAYS]]",
        range: EXPLORERS,
        explanation: "unfair; a default schedule with DELAYS random deviations at most: rr goes round the operations, prr in a random order, rtc follows the last event sent; prr/5 unless given.\nGood for bugs that a few deviations show: rtc reaches the deepest, prr is best at locks.",
        parse: |mut parameters| {
            let (explorer, delays) = parameters.explorer()?;
            parameters.end(StrategySpec::Delay(explorer, delays.unwrap_or(DELAYS)))
        },
    },
    StrategyEntry {
        name: "ss",
        form: "[:EXPLORER[/DELAYS]]",
        range: EXPLORERS,
        explanation: "unfair; as delay, with exactly DELAYS deviations, or 1 to 5 in turn.\nStratified sampling, with a bound on the odds of each schedule.",
        parse: |mut parameters| {
            let (explorer, delays) = parameters.explorer()?;
            parameters.end(StrategySpec::Stratified(explorer, delays))
        },
    },
    StrategyEntry {
        name: "ses",
        form: "[:EXPLORER[/DELAYS]][/by=states|hb|schedules][/then=ss]",
        range: BOUNDED,
        explanation: "unfair; every schedule of at most DELAYS deviations from a default one, the fewer the sooner, from each state once.\nStratified exhaustive search, and a proof if it ends without DELAYS; EXPLORER is rtc unless given. by=hb takes two states for the same if every operation has handled the same events in the same order, by=schedules runs every schedule; then=ss samples beyond DELAYS, 2 unless given.",
        parse: |mut parameters| {
            let same = parameters.equivalence(StateEquivalence::States)?;
            let samples = parameters.value("then").map(|then| then == "ss");
            let (explorer, bound) = parameters.bounded()?;
            parameters.end(match samples {
                None => StrategySpec::BoundedDelays(same, explorer, bound),
                Some(true) if same == StateEquivalence::States => {
                    StrategySpec::SampledDelays(explorer, bound.unwrap_or(2))
                }
                Some(_) => return None,
            })
        },
    },
    StrategyEntry {
        name: "pb",
        form: "[:PREEMPTIONS][/by=states|hb|schedules][/fair]",
        range: PREEMPTIONS,
        explanation: "unfair; every schedule of at most PREEMPTIONS, the fewer the sooner: an operation that could continue is passed over.\nPreemption-bounded search (CHESS), good for threads that share memory; for messages take ses. by=hb and by=states run from each state once, as ses does; with fair, an operation that handles its own event or a timer comes after those that have waited for it, for programs that poll: never a proof.",
        parse: |mut parameters| {
            let is_fair = parameters.flag("fair");
            let same = parameters.equivalence(StateEquivalence::Never)?;
            let bound = parameters.deviations()?;
            parameters.end(match (is_fair, same) {
                (false, same) => StrategySpec::BoundedPreemptions(same, bound),
                (true, StateEquivalence::Never) => StrategySpec::FairPreemptions(bound),
                (true, _) => return None,
            })
        },
    },
    StrategyEntry {
        name: "bdfs",
        form: "[:DEPTH]",
        range: "DEPTH of at least 1",
        explanation: "fair from step DEPTH on; all that can be done in DEPTH steps, and a random walk from each state there.\nGood for liveness bugs that begin early (MaceMC); 5 steps, then 10, and so on, unless given.",
        parse: |mut parameters| {
            let depth = parameters.number(u64::MAX)?;
            parameters.end(StrategySpec::Bdfs(depth))
        },
    },
    StrategyEntry {
        name: "dfs",
        form: "[:EXECUTIONS][/local]",
        range: "EXECUTIONS of at least 1",
        explanation: "unfair; every schedule up to the step bound, depth first.\nFor small tests: a proof of the absence of safety bugs if it ends by itself. With local, local steps, whose order nothing can distinguish, run first in one order: far fewer schedules, the same ends and bugs.",
        parse: |mut parameters| {
            let local = parameters.flag("local");
            let bound = parameters.number(u64::MAX)?;
            parameters.end(if local {
                StrategySpec::DfsLocal(bound)
            } else {
                StrategySpec::Dfs(bound)
            })
        },
    },
    StrategyEntry {
        name: "states",
        form: "[:STATES|:MEMORY][/local][/order=breadth]",
        range: STATES,
        explanation: "unfair; every state once, depth first: an execution ends where it comes to a visited one.\nProves the absence of safety bugs, also of programs with cycles, if types offer fingerprints. With local, local steps run first in one order: fewer states. With order=breadth the nearest states come first: slower, and the first bug that it finds has as few steps as any.",
        parse: |mut parameters| {
            let local = parameters.flag("local");
            let order = parameters.value("order");
            let limit = parameters.limit()?;
            parameters.end(match (order, local) {
                (None, false) => StrategySpec::States(limit),
                (None, true) => StrategySpec::StatesLocal(limit),
                (Some("breadth"), false) => StrategySpec::Breadth(limit),
                (Some(_), _) => return None,
            })
        },
    },
    StrategyEntry {
        name: "dpor",
        form: "[:HISTORIES][/order=random]",
        range: "HISTORIES that it may store, from 1 to 4000000000; with order=random, BEHAVIOURS of at least 1",
        explanation: "unfair; every behaviour once: each order in which inboxes can be emptied, and each answer to choices.\nProves the absence of safety bugs if it ends by itself, and names what it can't follow. dpor:BEHAVIOURS/order=random continues at a random place after so many behaviours, 100 unless given (MODIST's random and bounded DPOR): what it shows early is more varied.",
        parse: |mut parameters| match parameters.value("order") {
            None => {
                let histories = parameters.number(HISTORIES_MAX)?;
                parameters.end(StrategySpec::Dpor(histories))
            }
            Some("random") => {
                let behaviours = parameters.number(u64::MAX)?;
                parameters.end(StrategySpec::HoppingDpor(
                    behaviours.unwrap_or(RANDOM_JUMP_INTERVAL),
                ))
            }
            Some(_) => None,
        },
    },
];

const NONE: &str = "without parameters";
const HISTORIES_MAX: u64 = 4_000_000_000;
const STATES: &str = "STATES, how many it may know, from 1 to 4000000000; MEMORY, in which it keeps them, as 500MB or 4GB, and in a file what takes more";
const BOUND_MAX: u32 = 1_000_000;
const BOUNDED: &str = "EXPLORER one of rr, prr and rtc, DELAYS up to 1000000; DELAYS may stand alone, then=ss only without by";
const PREEMPTIONS: &str = "PREEMPTIONS up to 1000000, and fair only without by";
const EXPLORERS: &str = "EXPLORER one of rr, prr and rtc, DELAYS from 1 to 100";

/// A prefix of a strategy's name.
struct Prefix {
    name: &'static str,
    /// An explanation in two lines.
    explanation: &'static str,
    wrap: fn(Box<StrategySpec>) -> StrategySpec,
    takes: fn(&StrategySpec) -> bool,
}

const PREFIXES: &[Prefix] = &[
    Prefix {
        name: "fair-",
        explanation: "fair from step N (--max-steps) on: as NAME, any of the unfair ones, and then a weighted random walk.\nGood for liveness bugs behind an unlikely order of steps: fair-pct, fair-pos.",
        wrap: StrategySpec::Fair,
        // `dpor` would take the steps of the walk for its own, and a search of states needs whole executions.
        takes: |spec| !spec.is_fair() && !spec.is_dpor() && !spec.is_of_states(),
    },
    Prefix {
        name: "early-fair-",
        explanation: "fair from a step on that each execution draws up to N: as NAME, and then a weighted random walk.\nAs fair-NAME, for tests that are longer than N; not for dfs, which must come as far each time.",
        wrap: StrategySpec::EarlyFair,
        takes: |spec| !spec.is_fair() && !spec.has_memory(),
    },
    Prefix {
        name: "live-",
        explanation: "as NAME, a search as dfs, ses, pb and bdfs, behind a walk of N/4 steps (--max-steps) and on to where no obligation is pending.\nGood where bugs come after a long set-up (MaceMC's prefix-based search).",
        wrap: StrategySpec::Live,
        takes: |spec| spec.has_memory() && !spec.is_dpor() && !spec.is_of_states(),
    },
];

/// Returns a strategy's name with its parameters, as it is parsed.
pub(crate) fn named(name: &str, parameters: &[String]) -> String {
    match parameters {
        [] => name.into(),
        parameters => format!("{name}:{}", parameters.join("/")),
    }
}

/// The parameters of a strategy that are not parsed yet: what stands behind the colon, divided by `/`.
struct Parameters<'a>(Vec<&'a str>);

impl<'a> Parameters<'a> {
    fn of(text: Option<&'a str>) -> Self {
        Self(text.map_or_else(Vec::new, |text| text.split('/').collect()))
    }

    /// Takes a flag; returns true if it is there.
    fn flag(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|part| *part == name);
        at.map(|at| self.0.remove(at)).is_some()
    }

    /// Takes the value of `name=VALUE`.
    fn value(&mut self, name: &str) -> Option<&'a str> {
        let value = |part: &'a str| part.strip_prefix(name)?.strip_prefix('=');
        let at = self.0.iter().position(|part| value(part).is_some())?;
        value(self.0.remove(at))
    }

    /// Takes the next parameter without a name.
    fn next(&mut self) -> Option<&'a str> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }

    /// Takes a number from one to `last`, if there is a parameter.
    fn number<N: FromStr + PartialOrd + From<u8>>(&mut self, last: N) -> Option<Option<N>> {
        match self.next() {
            None => Some(None),
            Some(text) => number(text, last).map(Some),
        }
    }

    /// Takes the limit of a search of states, if there is one.
    fn limit(&mut self) -> Option<Option<StateLimit>> {
        match self.next() {
            None => Some(None),
            Some(text) => text.parse().ok().map(Some),
        }
    }

    /// Takes an explorer and its number of delays.
    fn explorer(&mut self) -> Option<(ExplorerKind, Option<u32>)> {
        let Some(kind) = self.next() else {
            return Some((ExplorerKind::RandomRoundRobin, None));
        };
        Some((ExplorerKind::parse(kind)?, self.number(DELAYS_MAX)?))
    }

    /// Takes an explorer and its bound on delays; either may stand alone.
    fn bounded(&mut self) -> Option<(ExplorerKind, Option<u32>)> {
        let kind = self.0.first().and_then(|text| ExplorerKind::parse(text));
        if kind.is_some() {
            self.0.remove(0);
        }
        Some((
            kind.unwrap_or(ExplorerKind::RunToCompletion),
            self.deviations()?,
        ))
    }

    /// Takes a bound on deviations, if there is one.
    fn deviations(&mut self) -> Option<Option<u32>> {
        match self.next() {
            None => Some(None),
            Some(text) => text
                .parse()
                .ok()
                .filter(|bound| *bound <= BOUND_MAX)
                .map(Some),
        }
    }

    /// Takes the equivalence of states; `None` if it is unknown.
    fn equivalence(&mut self, default: StateEquivalence) -> Option<StateEquivalence> {
        let Some(by) = self.value("by") else {
            return Some(default);
        };
        let known = [
            StateEquivalence::States,
            StateEquivalence::Histories,
            StateEquivalence::Never,
        ];
        known.into_iter().find(|same| same.word() == by)
    }

    /// Returns `spec` if every parameter was taken.
    fn end(self, spec: StrategySpec) -> Option<StrategySpec> {
        self.0.is_empty().then_some(spec)
    }
}

/// Parses a number from one to `last`.
fn number<N: FromStr + PartialOrd + From<u8>>(text: &str, last: N) -> Option<N> {
    let number = text.parse().ok()?;
    (number >= N::from(1) && number <= last).then_some(number)
}

/// Parses the weights of kinds, and then those of events, none twice.
fn weighted(parameters: &[&str]) -> Option<StrategySpec> {
    let mut parts = parameters.iter();
    let work = number(parts.next()?, u32::MAX)?;
    let timer = number(parts.next()?, u32::MAX)?;
    let weights = Weights { work, timer };
    let mut events: Vec<(String, u32)> = Vec::new();
    for part in parts {
        let (name, weight) = part.split_once('=')?;
        if name.is_empty() || events.iter().any(|(known, _)| known == name) {
            return None;
        }
        events.push((name.into(), number(weight, u32::MAX)?));
    }
    Some(match events.is_empty() {
        true => StrategySpec::Weighted(weights),
        false => StrategySpec::WeightedEvents(weights, events),
    })
}

impl StrategySpec {
    /// The strategies of the portfolio, fair and unfair, in the order of their first turns.
    ///
    /// ```
    /// use actor_test::strategy::StrategySpec;
    ///
    /// let all = StrategySpec::portfolio();
    /// assert_eq!(all[0], StrategySpec::Random);
    /// assert!(all.contains(&"early-fair-pct".parse()?));
    /// # Ok::<(), actor_test::strategy::SpecError>(())
    /// ```
    pub fn portfolio() -> Vec<Self> {
        portfolio::strategies(false)
    }

    /// The form and an explanation of every strategy, for `-s list`.
    pub fn explain() -> impl Iterator<Item = (String, &'static str)> {
        let named = TABLE.iter().map(|entry| {
            let StrategyEntry { name, form, .. } = entry;
            (format!("{name}{form}"), entry.explanation)
        });
        let prefixed = PREFIXES
            .iter()
            .map(|prefix| (format!("{}NAME", prefix.name), prefix.explanation));
        let placed = Placement::ALL.map(|placement| {
            (
                format!("{}-NAME", placement.word()),
                placement.explanation(),
            )
        });
        named.chain(prefixed).chain(placed)
    }
}

impl StrategySpec {
    /// True if the search can be divided into [`PARTS_MAX`] parts.
    pub(crate) fn is_divisible(&self) -> bool {
        self.is_dpor()
    }

    /// True if the state of the search can be saved now and then.
    pub(crate) fn can_be_saved(&self) -> bool {
        self.is_dpor() || self.is_of_states() || matches!(self, Self::Dfs(_) | Self::DfsLocal(_))
    }

    /// True if every execution of the strategy is fair, or becomes so.
    fn is_fair(&self) -> bool {
        match self {
            Self::Random
            | Self::Weighted(_)
            | Self::WeightedEvents(..)
            | Self::Probabilistic(_)
            | Self::Bdfs(_)
            | Self::Fair(_)
            | Self::EarlyFair(_) => true,
            Self::Placed(_, spec) => spec.is_fair(),
            _ => false,
        }
    }

    fn is_dpor(&self) -> bool {
        matches!(self, Self::Dpor(_) | Self::HoppingDpor(_))
    }

    /// True for a search that visits every state once.
    fn is_of_states(&self) -> bool {
        matches!(
            self,
            Self::Breadth(_) | Self::States(_) | Self::StatesLocal(_)
        )
    }

    /// True for a search, of which an execution depends on those before it.
    pub(crate) fn has_memory(&self) -> bool {
        match self {
            Self::BoundedDelays(..)
            | Self::SampledDelays(..)
            | Self::BoundedPreemptions(..)
            | Self::FairPreemptions(_)
            | Self::Bdfs(_)
            | Self::Dfs(_)
            | Self::DfsLocal(_)
            | Self::Live(_) => true,
            Self::Fair(spec) | Self::EarlyFair(spec) | Self::Placed(_, spec) => spec.has_memory(),
            _ => self.is_dpor() || self.is_of_states(),
        }
    }

    /// True if the strategy places faults itself.
    pub(crate) fn places_faults(&self) -> bool {
        match self {
            Self::Placed(..) => true,
            Self::Fair(spec) | Self::EarlyFair(spec) | Self::Live(spec) => spec.places_faults(),
            _ => self.has_memory(),
        }
    }
}

impl fmt::Display for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parameters: Vec<String> = Vec::new();
        let name = match self {
            Self::Random => "random",
            Self::Weighted(weights) if *weights == Weights::default() => "weighted",
            Self::Weighted(Weights { work, timer }) => {
                parameters.extend([work.to_string(), timer.to_string()]);
                "weighted"
            }
            Self::WeightedEvents(Weights { work, timer }, events) => {
                parameters.extend([work.to_string(), timer.to_string()]);
                let events = events.iter();
                parameters.extend(events.map(|(event, weight)| format!("{event}={weight}")));
                "weighted"
            }
            Self::Probabilistic(HALVINGS) => "prob",
            Self::Probabilistic(halvings) => {
                parameters.push(halvings.to_string());
                "prob"
            }
            Self::Pct(depth) => {
                parameters.extend(depth.map(|depth| depth.to_string()));
                "pct"
            }
            Self::Pos => "pos",
            Self::PosLocal => {
                parameters.push("local".into());
                "pos"
            }
            Self::Urw => "urw",
            Self::Surw => "surw",
            Self::Delay(ExplorerKind::RandomRoundRobin, DELAYS) => "delay",
            Self::Delay(explorer, delays) => {
                parameters.extend([explorer.word().into(), delays.to_string()]);
                "delay"
            }
            Self::Stratified(ExplorerKind::RandomRoundRobin, None) => "ss",
            Self::Stratified(explorer, delays) => {
                parameters.push(explorer.word().into());
                parameters.extend(delays.map(|delays| delays.to_string()));
                "ss"
            }
            Self::BoundedDelays(same, explorer, bound) => {
                parameters.extend(explorer.unless_default());
                parameters.extend(bound.map(|bound| bound.to_string()));
                parameters.extend(same.unless(StateEquivalence::States));
                "ses"
            }
            Self::SampledDelays(explorer, bound) => {
                parameters.extend(explorer.unless_default());
                parameters.extend([bound.to_string(), "then=ss".into()]);
                "ses"
            }
            Self::BoundedPreemptions(same, bound) => {
                parameters.extend(bound.map(|bound| bound.to_string()));
                parameters.extend(same.unless(StateEquivalence::Never));
                "pb"
            }
            Self::FairPreemptions(bound) => {
                parameters.extend(bound.map(|bound| bound.to_string()));
                parameters.push("fair".into());
                "pb"
            }
            Self::Bdfs(depth) => {
                parameters.extend(depth.map(|depth| depth.to_string()));
                "bdfs"
            }
            Self::Dfs(bound) => {
                parameters.extend(bound.map(|bound| bound.to_string()));
                "dfs"
            }
            Self::DfsLocal(bound) => {
                parameters.extend(bound.map(|bound| bound.to_string()));
                parameters.push("local".into());
                "dfs"
            }
            Self::Breadth(limit) => {
                parameters.extend(limit.map(|limit| limit.to_string()));
                parameters.push("order=breadth".into());
                "states"
            }
            Self::States(limit) => {
                parameters.extend(limit.map(|limit| limit.to_string()));
                "states"
            }
            Self::StatesLocal(limit) => {
                parameters.extend(limit.map(|limit| limit.to_string()));
                parameters.push("local".into());
                "states"
            }
            Self::Dpor(None | Some(HISTORIES)) => "dpor",
            Self::Dpor(Some(histories)) => {
                parameters.push(histories.to_string());
                "dpor"
            }
            Self::HoppingDpor(behaviours) => {
                let is_default = *behaviours == RANDOM_JUMP_INTERVAL;
                parameters.extend((!is_default).then(|| behaviours.to_string()));
                parameters.push("order=random".into());
                "dpor"
            }
            Self::Fair(spec) => return write!(f, "fair-{spec}"),
            Self::EarlyFair(spec) => return write!(f, "early-fair-{spec}"),
            Self::Live(spec) => return write!(f, "live-{spec}"),
            Self::Placed(placement, spec) => return write!(f, "{}-{spec}", placement.word()),
        };
        f.write_str(&named(name, &parameters))
    }
}

/// An error in the name or the parameter of a strategy.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// No strategy has this name.
    #[error("no strategy `{name}`; did you mean `{nearest}`? (there are: {known})")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The most similar name.
        nearest: String,
        /// All names.
        known: String,
    },
    /// The parameter is malformed or out of range.
    #[error("malformed parameter in `{text}`; the form is `{form}`, {range}")]
    Parameter {
        /// The text that was parsed.
        text: String,
        /// The accepted form.
        form: String,
        /// The accepted values of the parameter.
        range: &'static str,
    },
}

impl FromStr for StrategySpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if let Some((placement, strategy)) = split_placement(text) {
            let spec: Self = strategy.parse()?;
            return match spec.places_faults() {
                true => Err(unknown(text)),
                false => Ok(Self::Placed(placement, Box::new(spec))),
            };
        }
        let (full_name, parameter) = match text.split_once(':') {
            None => (text, None),
            Some((name, parameter)) => (name, Some(parameter)),
        };
        let (prefix, name) = split_prefix(full_name);
        let Some(entry) = TABLE.iter().find(|entry| entry.name == name) else {
            return Err(unknown(full_name));
        };
        let prefix_name = prefix.map_or("", |prefix| prefix.name);
        let spec =
            (entry.parse)(Parameters::of(parameter)).ok_or_else(|| SpecError::Parameter {
                text: text.into(),
                form: format!("{prefix_name}{name}{}", entry.form),
                range: entry.range,
            })?;
        match prefix {
            None => Ok(spec),
            Some(prefix) if (prefix.takes)(&spec) => Ok((prefix.wrap)(Box::new(spec))),
            Some(_) => Err(unknown(full_name)),
        }
    }
}

/// Splits a strategy's name into the placement of faults and the rest.
pub(crate) fn split_placement(text: &str) -> Option<(Placement, &str)> {
    Placement::ALL.into_iter().find_map(|placement| {
        let rest = text.strip_prefix(placement.word())?;
        Some((placement, rest.strip_prefix('-')?))
    })
}

fn split_prefix(name: &str) -> (Option<&'static Prefix>, &str) {
    let found = PREFIXES.iter().find_map(|prefix| {
        let rest = name.strip_prefix(prefix.name)?;
        Some((Some(prefix), rest))
    });
    found.unwrap_or((None, name))
}

/// All names without parameters.
fn names() -> impl Iterator<Item = String> {
    let plain = TABLE.iter().map(|entry| entry.name.to_owned());
    let prefixed = PREFIXES.iter().flat_map(|prefix| {
        let taken = TABLE.iter().filter(|entry| {
            (entry.parse)(Parameters::of(None)).is_some_and(|spec| (prefix.takes)(&spec))
        });
        taken.map(|entry| format!("{}{}", prefix.name, entry.name))
    });
    plain.chain(prefixed)
}

fn unknown(name: &str) -> SpecError {
    // A name with a prefix that it can't have means the name without it.
    let (_, bare) = split_prefix(name);
    let meant = names().find(|known| known == bare);
    let nearest = || names().min_by_key(|known| strsim::levenshtein(name, known));
    let plain = TABLE.iter().map(|entry| entry.name.to_owned());
    let prefixed = PREFIXES.iter().map(|prefix| format!("{}NAME", prefix.name));
    let placed = Placement::ALL.map(|placement| format!("{}-NAME", placement.word()));
    let prefixed = prefixed.chain(placed);
    SpecError::Unknown {
        name: name.into(),
        nearest: meant.or_else(nearest).unwrap_or_default(),
        known: plain.chain(prefixed).collect::<Vec<_>>().join(", "),
    }
}
