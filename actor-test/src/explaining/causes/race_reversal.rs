//! A strategy that replays a schedule with a race reversed: [`RaceReversal`].

use std::collections::BTreeMap;
use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::data::faults::Fault;
use crate::data::schedule::Schedule;
use crate::data::step::StepKind;
use crate::hash::mix;
use crate::strategy::{
    Choice, Enabled, Execution, ExecutionRecorder, Fairness, Needs, Pruned, ScheduleRecorder,
    StepAnswers, Strategy, StrategyEvent, below, generator,
};

/// The interval of random steps in an execution that wanders.
const WANDERS: u64 = 6;

/// A schedule with an index of its steps by name.
#[derive(Debug, Default)]
pub(crate) struct ReplayPlan {
    pub(crate) steps: Schedule,
    places: BTreeMap<u64, usize>,
}

impl ReplayPlan {
    pub(crate) fn new(steps: Schedule) -> Self {
        let keys = steps.iter().map(|step| step.name.key());
        Self {
            places: keys.zip(0..).collect(),
            steps,
        }
    }

    fn place(&self, key: u64) -> Option<usize> {
        self.places.get(&key).copied()
    }
}

/// Steps that are held back, and the step that releases them, by their positions in a plan.
pub(crate) type HeldSteps = (Vec<usize>, usize);

/// Follows a plan as far as possible, but holds some steps back until another one was taken. Then it
/// continues as planned, or with occasional random steps. Unplanned steps come last, at random.
#[derive(Debug)]
pub(crate) struct RaceReversal {
    name: String,
    plan: Arc<ReplayPlan>,
    /// The steps that are held back in each execution; later ones hold none, and have random steps.
    turns: Vec<HeldSteps>,
    /// The steps that are held back, by their keys.
    held: Vec<u64>,
    /// The key of the step that releases them.
    until: u64,
    /// The step from which on the schedule counts as fair.
    fair_from: u64,
    /// The number of an execution with random steps; `None` follows the plan exactly.
    wanders: Option<u32>,
    /// The largest number of steps before the releasing one.
    patience: u64,
    is_released: bool,
    namer: ScheduleRecorder,
    rng: Xoshiro256PlusPlus,
    /// The unused answers of the step in progress.
    answers: StepAnswers,
}

impl RaceReversal {
    /// Holds the steps at the positions `held` back until the step at position `until` was taken.
    pub(crate) fn new(
        plan: &Arc<ReplayPlan>,
        held: &[usize],
        until: usize,
        wanders: Option<u32>,
    ) -> Self {
        Self {
            fair_from: held.iter().copied().fold(until, usize::min) as u64,
            wanders,
            ..Self::in_turn("turned".into(), plan.clone(), vec![(held.to_vec(), until)])
        }
    }

    /// Holds other steps back in each execution, and none after the last turn. Fair behind the plan.
    pub(crate) fn in_turn(name: String, plan: Arc<ReplayPlan>, turns: Vec<HeldSteps>) -> Self {
        let steps = plan.steps.len() as u64;
        Self {
            name,
            plan,
            turns,
            held: Vec::new(),
            until: 0,
            fair_from: steps,
            wanders: None,
            patience: steps * 2 + 100,
            is_released: false,
            namer: ScheduleRecorder::default(),
            rng: generator(0),
            answers: StepAnswers::default(),
        }
    }

    fn is_held(&self, key: u64) -> bool {
        !self.is_released && self.held.contains(&key)
    }

    /// Returns the first step in the plan; without any, a random one.
    fn planned(&mut self, free: &[(usize, u64)]) -> usize {
        let known = free
            .iter()
            .filter_map(|(at, key)| Some((self.plan.place(*key)?, *at)))
            .min();
        match known {
            Some((_, at)) => at,
            None => self.any(free),
        }
    }

    fn any(&mut self, free: &[(usize, u64)]) -> usize {
        free[below(&mut self.rng, free.len() as u64) as usize].0
    }

    /// Returns the planned fault, which strikes at its position in the plan, and no sooner.
    fn fault_between(&self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        let planned = self.plan.steps.get(enabled.step() as usize)?.name;
        let is_it = |fault: &Fault| planned.kind == StepKind::Fault && fault.key == planned.who;
        faults.iter().position(is_it)
    }
}

impl Strategy for RaceReversal {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn needs(&self) -> Needs {
        Needs::all_choices()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        let key = |position: &usize| self.plan.steps[*position].name.key();
        let number = execution.iteration as usize;
        match self.turns.get(number) {
            Some((held, until)) => {
                self.held = held.iter().map(key).collect();
                self.until = key(until);
            }
            None => {
                self.held = Vec::new();
                self.until = key(&0);
                self.wanders = Some((number - self.turns.len() + 1) as u32);
            }
        }
        self.is_released = false;
        self.answers = StepAnswers::default();
        self.namer.begin();
        let wanders = self.wanders.unwrap_or_default();
        self.rng = generator(mix(execution.seed, u64::from(wanders)));
        Some(Fairness::FairFrom(self.fair_from))
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let key = |pending| self.namer.name(pending, enabled).key();
        let all = enabled.iter().map(key).enumerate();
        let free: Vec<(usize, u64)> = all.filter(|(_, key)| !self.is_held(*key)).collect();
        // The releasing step can't come first.
        if free.is_empty() || !self.is_released && enabled.step() > self.patience {
            return Err(Pruned::new());
        }
        let strays =
            self.is_released && self.wanders.is_some() && below(&mut self.rng, WANDERS) == 0;
        let picked = match strays {
            true => self.any(&free),
            false => self.planned(&free),
        };
        let key = self.namer.takes(&enabled[picked], enabled).key();
        self.is_released |= key == self.until;
        let planned = self.plan.place(key).map(|at| &self.plan.steps[at]);
        self.answers = StepAnswers::of_step(planned);
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::FaultBetween(enabled, faults) => match self.fault_between(enabled, faults) {
                Some(position) => Some(1 + position as u32),
                // Faults end with the plan.
                None => {
                    (enabled.step() >= self.plan.steps.len() as u64).then_some(Choice::END_FAULTS)
                }
            },
            Choice::Passing(_) | Choice::FaultWithin(_) => self.answers.answer(choice),
            Choice::Below(..) | Choice::Seed => {
                let planned = self.answers.answer(choice);
                planned.or_else(|| Some(below(&mut self.rng, choice.bound()) as u32))
            }
        }
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Struck(_) = event {
            self.answers = StepAnswers::default();
        }
    }
}
