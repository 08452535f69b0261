//! Random search bounded by delays, and stratified sampling.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::changes::{FEW, Follower};
use super::super::per_operation::PerOperation;
use super::super::{Choice, Enabled, Execution, Fairness, OperationId, Strategy, below, generator};
use super::DelayingExplorer;

/// Follows a [`DelayingExplorer`], and delays it at a few steps drawn beforehand.
///
/// The steps are drawn uniformly and independently among the first L that have an alternative,
/// where L is [how many to expect](super::super::Execution::contended_steps), another in each
/// execution. There are two forms.
///
/// [`new`](Self::new) is random search with a bound on delays (Emmi, Qadeer and Rakamaric,
/// Delay-Bounded Scheduling, POPL 2011): each execution draws how many delays it has, from none, which
/// is the explorer's own schedule, to as many as are allowed. A step that is drawn twice is delayed
/// once.
///
/// [`stratified`](Self::stratified) samples among the executions with exactly so many delays (Desai,
/// Qadeer and Seshia, ESEC/FSE 2015, section 4.2): a step that is drawn twice is delayed twice.
/// Guarantee: each execution whose d delays all lie within the first L steps with an alternative has
/// a probability of at least 1 / L^d, given the answers to its choices. (It is d! / L^d where they
/// lie at different steps.) The paper's sampler runs the program again for each delay, and so knows
/// each L; this one needs one run.
///
/// Unfair: what the explorer does not run may wait for ever. Choices are answered at random.
#[derive(Debug)]
pub struct Delayed<E> {
    explorer: E,
    delays: Delays,
    /// The steps to be delayed that are still ahead, the next one last, counted among those with an
    /// alternative.
    due: Vec<u64>,
    contended_steps: u64,
    met: PerOperation<bool>,
    follower: Follower,
    /// Who took the last step, and its position then.
    last: Option<(OperationId, usize)>,
    rng: Xoshiro256PlusPlus,
}

/// How many delays there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Delays {
    UpTo(u32),
    Exactly(u32),
    Drawn,
}

/// How many delays there may be.
pub(in crate::strategy) const DELAYS_MAX: u32 = 100;
/// How many there are where none are given.
pub(in crate::strategy) const DELAYS: u32 = 5;

impl<E: DelayingExplorer> Delayed<E> {
    /// With at most so many delays; more than 100 count as 100.
    pub fn new(explorer: E, delays: u32) -> Self {
        Self::with(explorer, Delays::UpTo(delays.min(DELAYS_MAX)))
    }

    /// With exactly so many delays; more than 100 count as 100. Where `None` are given, each
    /// execution draws from 1 to 5, so that each stratum gets a fifth.
    pub fn stratified(explorer: E, delays: Option<u32>) -> Self {
        let delays = delays.map_or(Delays::Drawn, |delays| {
            Delays::Exactly(delays.min(DELAYS_MAX))
        });
        Self::with(explorer, delays)
    }

    fn with(explorer: E, delays: Delays) -> Self {
        Self {
            explorer,
            delays,
            due: Vec::new(),
            contended_steps: 0,
            met: PerOperation::default(),
            follower: Follower::default(),
            last: None,
            rng: generator(0),
        }
    }

    fn draw_delays(&mut self, steps: u64) {
        self.due.clear();
        let count = match self.delays {
            Delays::UpTo(delays) => below(&mut self.rng, u64::from(delays) + 1) as u32,
            Delays::Exactly(delays) => delays,
            Delays::Drawn => 1 + below(&mut self.rng, u64::from(DELAYS)) as u32,
        };
        if steps > 0 {
            let rng = &mut self.rng;
            self.due.extend((0..count).map(|_| below(rng, steps)));
        }
        self.due.sort_unstable_by(|a, b| b.cmp(a));
        if matches!(self.delays, Delays::UpTo(_)) {
            self.due.dedup();
        }
    }

    /// Tells the explorer who is new, and whether the last one has finished.
    #[inline]
    fn tell_changes(&mut self, enabled: &Enabled<'_>) {
        let mut last_is_met = false;
        if enabled.len() > FEW {
            for position in self.follower.look(enabled) {
                last_is_met |= self.meet(enabled[position].operation);
            }
        } else {
            self.follower.begin();
            for pending in enabled.iter() {
                last_is_met |= self.meet(pending.operation);
            }
        }
        if let Some((last, position)) = self.last.filter(|_| !last_is_met) {
            // Else it has kept its place, since nothing has changed there.
            let stays = position < enabled.len() && enabled[position].operation == last;
            if !stays {
                self.explorer.finished(last);
            }
        }
        self.explorer.look(enabled);
    }

    /// Tells the explorer of an enabled operation, if it is new, and whether it took the last step.
    #[inline]
    fn meet(&mut self, operation: OperationId) -> bool {
        if !std::mem::replace(self.met.of(operation), true) {
            self.explorer.started(operation);
        }
        self.last.is_some_and(|(last, _)| last == operation)
    }

    fn delay(&mut self, enabled: &Enabled<'_>) {
        // One more delay than there are others would come back to where it began.
        let mut others = enabled.len() - 1;
        while self.due.last() == Some(&self.contended_steps) {
            self.due.pop();
            if others > 0 {
                others -= 1;
                self.explorer.delay(enabled);
            }
        }
        self.contended_steps += 1;
    }
}

impl<E: DelayingExplorer> Strategy for Delayed<E> {
    fn name(&self) -> String {
        let explorer = self.explorer.name();
        match (explorer.as_str(), self.delays) {
            ("prr", Delays::UpTo(DELAYS)) => "delay".into(),
            (_, Delays::UpTo(delays)) => format!("delay:{explorer}/{delays}"),
            ("prr", Delays::Drawn) => "ss".into(),
            (_, Delays::Drawn) => format!("ss:{explorer}"),
            (_, Delays::Exactly(delays)) => format!("ss:{explorer}/{delays}"),
        }
    }

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.rng = generator(execution.seed);
        self.draw_delays(execution.contended_steps().min(u64::from(u32::MAX)));
        self.contended_steps = 0;
        self.met.clear();
        self.follower.begin();
        self.last = None;
        self.explorer.begin(execution);
        true
    }

    #[inline]
    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.tell_changes(enabled);
        if enabled.len() > 1 {
            self.delay(enabled);
        }
        let picked = self.explorer.next(enabled);
        if let Some(pending) = enabled.get(picked) {
            self.last = Some((pending.operation, picked));
            self.explorer.stepped(pending);
        }
        Some(picked)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        below(&mut self.rng, choice.bound()) as u32
    }

    fn needs_length(&self) -> bool {
        true
    }
}
