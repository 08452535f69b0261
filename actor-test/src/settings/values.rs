//! Settings of a test, with their defaults.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::exploring::bandit;
use crate::exploring::partition::Partition;
use crate::hash::mix;
use crate::report::deny::Deny;
use crate::strategy::{ExplorerKind, StrategySpec};

/// How a test is explored. Every field has a default; see each.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// How many executions. Default 100.
    pub iterations: u64,
    /// From which every execution's seed is derived. Default 0, so that a run without settings
    /// does the same today and tomorrow; another seed explores other schedules.
    pub seed: u64,
    /// Which strategies take turns. Default [`Search::Portfolio`].
    pub search: Search,
    /// How far an execution goes, and what is too hot.
    pub bounds: Bounds,
    /// Find bounds that fit the program instead: 200 uniform walks come first, and what they show
    /// takes the place of `bounds`. Default no.
    pub calibrate: bool,
    /// How actors behave where the framework leaves a choice.
    pub semantics: Semantics,
    /// How many threads explore; the result is the same for any number. Default 1.
    pub workers: usize,
    /// Go on after the first bug, and collect those that differ. Default no.
    pub keep_going: bool,
    /// Start no execution after so long. Default: no limit.
    pub time_limit: Option<Duration>,
    /// Stop when the search seems saturated: after at least 1000 executions, the later half of which
    /// has shown no new behaviour. Default no.
    pub until_saturated: bool,
    /// Which part of the search this process does. Default: all of it. The report of a part can be
    /// [merged](crate::Report::merge) with those of the others.
    pub partition: Option<Partition>,
    /// Run one execution in so many twice, to find out whether it is deterministic; the first is
    /// always. Zero: never. Default 100.
    pub check_every: u64,
    /// Look for lassos: a state that repeats while something is owed is a liveness bug long before it
    /// would be too hot, where no schedule leads out of it. Default yes.
    pub lasso: bool,
    /// The bug that the test is expected to have: a part of its message or kind.
    pub expect_bug: Option<String>,
    /// What fails the test though no execution failed. Default: nothing.
    pub deny: Deny,
    /// Mixed into the seed: combinations of parameters differ in their schedules too.
    pub(crate) salt: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            iterations: 100,
            seed: 0,
            search: Search::Portfolio,
            bounds: Bounds::default(),
            calibrate: false,
            semantics: Semantics::default(),
            workers: 1,
            keep_going: false,
            time_limit: None,
            until_saturated: false,
            partition: None,
            check_every: 100,
            lasso: true,
            expect_bug: None,
            deny: Deny::default(),
            salt: 0,
        }
    }
}

impl Settings {
    /// What the executions of this test derive from.
    pub(crate) fn session(&self) -> u64 {
        match self.salt {
            0 => self.seed,
            salt => mix(self.seed, salt),
        }
    }
}

/// Which strategies a test is explored with.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Search {
    /// The default: several strategies, of which those that show what is new have more turns.
    Portfolio,
    /// As [`Portfolio`](Search::Portfolio), fair strategies only.
    FairPortfolio,
    /// The strategies of the portfolio in turn, whatever they show: to compare with.
    RoundRobin,
    /// What Coyote's portfolio is made of, in turn: to compare with. A uniform walk, a probabilistic
    /// one, priorities with ten change points, and round robin with ten delays, each of the latter
    /// two with a fair suffix.
    Coyote,
    /// These, in turn.
    Strategies(Vec<StrategySpec>),
}

impl Search {
    /// The strategies that may have a turn.
    pub fn strategies(&self) -> Vec<StrategySpec> {
        match self {
            Self::Portfolio => bandit::strategies(false),
            Self::FairPortfolio => bandit::strategies(true),
            Self::RoundRobin => bandit::strategies(false),
            Self::Coyote => coyote(),
            Self::Strategies(specs) => specs.clone(),
        }
    }
}

/// Coyote's portfolio.
fn coyote() -> Vec<StrategySpec> {
    let fair = |spec| StrategySpec::Fair(Box::new(spec));
    vec![
        StrategySpec::Random,
        StrategySpec::Probabilistic(3),
        fair(StrategySpec::Pct(Some(11))),
        fair(StrategySpec::Delay(ExplorerKind::RoundRobin, 10)),
    ]
}

/// How far an execution goes, and how hot is too hot (Coyote's liveness rules).
///
/// ```
/// use actor_test::Bounds;
///
/// let bounds = Bounds::default();
/// assert_eq!((bounds.unfair(), bounds.fair(), bounds.temperature()), (10_000, 100_000, 50_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bounds {
    unfair: u64,
    fair: Option<u64>,
    temperature: Option<u64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self::new(10_000)
    }
}

impl Bounds {
    /// An unfair execution stops after `steps`, a fair one after ten times as many. A message is
    /// two steps, so 10 000 are about 5 000 messages.
    pub const fn new(steps: u64) -> Self {
        Self {
            unfair: steps,
            fair: None,
            temperature: None,
        }
    }

    /// A fair execution stops after `steps`.
    #[must_use]
    pub const fn with_fair(mut self, steps: u64) -> Self {
        self.fair = Some(steps);
        self
    }

    /// Something that is owed for more than so many fair steps is a liveness bug.
    #[must_use]
    pub const fn with_temperature(mut self, steps: u64) -> Self {
        self.temperature = Some(steps);
        self
    }

    /// The bound of an unfair execution, N.
    pub const fn unfair(&self) -> u64 {
        self.unfair
    }

    /// The bound of a fair execution, M: 10 N unless given.
    pub const fn fair(&self) -> u64 {
        match self.fair {
            Some(steps) => steps,
            None => self.unfair.saturating_mul(10),
        }
    }

    /// The temperature above which it is a liveness bug: half of the fair bound unless given.
    pub const fn temperature(&self) -> u64 {
        match self.temperature {
            Some(steps) => steps,
            None => self.fair() / 2,
        }
    }
}

/// How actors behave where the framework leaves a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Semantics {
    /// Timers fire only when no message can be handled: for protocols that rely on time-outs being
    /// long. Default no: an armed timer races with messages.
    pub patient_timers: bool,
    /// An actor's effects of one step are carried out in one step, as in MaceMC. Default no: each
    /// send is a step of its own.
    pub atomic_handlers: bool,
    /// Timers due within this of the earliest deadline may fire in any order. Default 1 ms.
    pub clock_error: Duration,
    /// Failures of supervised actors are part of the story: their supervisors act. Default no: they
    /// are bugs, at once. A failure of an actor without a supervisor always is, and so is one more
    /// than is brought back where nobody is left to act.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supervised: bool,
}

impl Default for Semantics {
    fn default() -> Self {
        Self {
            patient_timers: false,
            atomic_handlers: false,
            clock_error: Duration::from_millis(1),
            supervised: false,
        }
    }
}

impl Semantics {
    /// With [`patient_timers`](Semantics::patient_timers).
    #[must_use]
    pub const fn with_patient_timers(mut self) -> Self {
        self.patient_timers = true;
        self
    }

    /// With [`atomic_handlers`](Semantics::atomic_handlers).
    #[must_use]
    pub const fn with_atomic_handlers(mut self) -> Self {
        self.atomic_handlers = true;
        self
    }

    /// With failures of [`supervised`](Semantics::supervised) actors.
    #[must_use]
    pub const fn with_supervised(mut self) -> Self {
        self.supervised = true;
        self
    }

    /// With a [`clock_error`](Semantics::clock_error).
    #[must_use]
    pub const fn with_clock_error(mut self, error: Duration) -> Self {
        self.clock_error = error;
        self
    }
}
