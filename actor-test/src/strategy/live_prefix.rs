//! Prefix-based search, behind a fair walk to a state without pending obligations: [`LivePrefix`].

use super::{
    Choice, CoverageClaim, Enabled, Ended, Execution, Fairness, Gap, Needs, Pruned, Replay,
    Strategy, StrategyEvent, Weighted, Weights,
};

/// Finds a prefix after which no obligation is pending, and starts every execution of a search behind it
/// (MaceMC, NSDI 2007, section 4.2, prefix-based search).
///
/// The first executions of a search vary only the set-up of a program, which may be long. So a fair
/// [weighted](Weighted) walk goes first, for a quarter of the step bound of an unfair execution, and on to
/// the first step after which no monitor and no predicate has a pending obligation. If one walk finds no
/// such step, another one is tried. From then on every execution begins with the steps of that walk.
///
/// The search sees only the steps behind the prefix, and counts them from zero. Schedules with another
/// beginning are a [gap](Gap::Prefixes).
#[derive(Debug)]
pub struct LivePrefix {
    search: Box<dyn Strategy>,
    walk: Weighted,
    /// The decisions of the walk, as a recording has them.
    decided: Vec<u32>,
    /// The prefix and its number of steps, once it was found.
    found: Option<(Replay, u64)>,
    /// The number of steps after which the prefix may end.
    from: u64,
    is_past_prefix: bool,
    /// The number of walks that found no prefix.
    vain: u64,
}

/// The most walks that are tried.
const WALKS: u64 = 100;

impl LivePrefix {
    /// Starts a search behind a prefix.
    pub fn new(search: Box<dyn Strategy>) -> Self {
        Self {
            search,
            walk: Weighted::new(Weights::default()),
            decided: Vec::new(),
            found: None,
            from: 0,
            is_past_prefix: false,
            vain: 0,
        }
    }

    fn steps(&self) -> u64 {
        self.found.as_ref().map_or(0, |(_, steps)| *steps)
    }
}

impl Strategy for LivePrefix {
    fn name(&self) -> String {
        format!("live-{}", self.search.name())
    }

    fn needs(&self) -> Needs {
        let search = self.search.needs();
        let is_found = self.found.is_some();
        Needs {
            steps: is_found && search.steps,
            states: !is_found || search.states,
            histories: is_found && search.histories,
            faults: search.faults,
            memory: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.is_past_prefix = false;
        self.from = execution.max_steps / 4;
        if let Some((prefix, steps)) = &mut self.found {
            prefix.begin(execution)?;
            return Some(match self.search.begin(execution)? {
                Fairness::Unfair => Fairness::Unfair,
                Fairness::Fair => Fairness::FairFrom(*steps),
                Fairness::FairFrom(step) => Fairness::FairFrom(*steps + step),
            });
        }
        self.decided.clear();
        (self.vain < WALKS).then(|| self.walk.begin(execution))?
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let Some((prefix, steps)) = &mut self.found else {
            let is_live = enabled.state().is_some_and(|seen| seen.obligations == 0);
            if is_live && enabled.step() >= self.from {
                // The next execution continues from here.
                let decided = std::mem::take(&mut self.decided);
                let prefix = Replay::new(decided, Fairness::Unfair);
                self.found = Some((prefix, enabled.step()));
                return Err(Pruned::new());
            }
            let picked = self.walk.pick(enabled)?;
            if enabled.len() > 1 {
                self.decided.push(picked as u32);
            }
            return Ok(picked);
        };
        self.is_past_prefix = enabled.step() >= *steps;
        match self.is_past_prefix {
            true => self.search.pick(&enabled.since(*steps)),
            false => prefix.pick(enabled),
        }
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match (choice, &mut self.found) {
            (Choice::FaultBetween(enabled, faults), Some((_, steps))) => {
                let is_behind = enabled.step() >= *steps;
                let since = &enabled.since(*steps);
                is_behind.then(|| self.search.choose(Choice::FaultBetween(since, faults)))?
            }
            _ if self.is_past_prefix => self.search.choose(choice),
            (Choice::FaultWithin(_) | Choice::FaultBetween(..), _) => None,
            (_, Some((prefix, _))) => prefix.choose(choice),
            (_, None) => {
                let answer = self.walk.choose(choice)?;
                self.decided.push(answer);
                Some(answer)
            }
        }
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        match event {
            StrategyEvent::Ended(ended) => {
                if self.is_past_prefix {
                    let since = Ended {
                        steps: ended.steps.saturating_sub(self.steps()),
                        ..*ended
                    };
                    self.search.observe(StrategyEvent::Ended(&since));
                }
                self.vain += u64::from(self.found.is_none());
            }
            StrategyEvent::Stepped(_) if !self.is_past_prefix => {}
            StrategyEvent::Stepped(_) | StrategyEvent::Struck(_) => self.search.observe(event),
        }
    }

    fn covered(&self) -> CoverageClaim {
        let mut covered = self.search.covered();
        if let CoverageClaim::Systematic { gaps, .. } = &mut covered {
            let steps = self.steps();
            gaps.push(Gap::Prefixes { steps });
        }
        covered
    }
}
