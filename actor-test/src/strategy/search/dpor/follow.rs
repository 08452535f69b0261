//! The strategy of a work item: it takes the steps of a graph, and then any others.

use crate::data::bug::BugKind;
use crate::strategy::{
    Beyond, Carried, Choice, Deferred, Enabled, Execution, Fairness, Onlookers, OperationId, Step,
    StepKind, Strategy,
};

/// A step that is to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Due {
    /// Who takes it, by its path.
    pub(super) who: u64,
    /// The event that is handled, or zero.
    pub(super) message: u64,
    /// How many of the answers are for choices in this step.
    pub(super) answers: u32,
}

/// What was seen of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    /// The test body, which is there from the start.
    Body { path: u64 },
    /// A step.
    Step {
        who: u64,
        kind: StepKind,
        message: u64,
        inbox: u64,
        carried: Carried,
        onlookers: Onlookers,
        defers: Deferred,
    },
    /// A step that might be taken, and is not.
    Waiting { who: u64, kind: StepKind },
    /// A choice in the step before.
    Choice { who: u64, of: u32, answer: u32 },
}

/// What a search can't follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outside {
    pub(super) what: Beyond,
    /// Whose step it was, where names were asked for.
    pub(super) who: Option<String>,
}

/// Takes the steps of a graph, and then goes on with whoever comes first.
#[derive(Debug)]
pub(in crate::strategy) struct Follow {
    schedule: Vec<Due>,
    answers: Vec<u32>,
    /// Beyond the graph they only carry out what they have done: they have failed before.
    held: Vec<u64>,
    next: usize,
    next_answer: usize,
    /// How many of the answers are still for the step in progress.
    answers_left: u32,
    current: (u64, u64),
    /// What whoever takes the step in progress is called, is to be known.
    names: bool,
    name: Option<String>,
    pub(super) seen: Vec<Seen>,
    /// The choices of the step in progress.
    chosen: Vec<Seen>,
    pub(super) outside: Option<Outside>,
    /// The program did not do what it did before.
    pub(super) is_lost: bool,
    /// A seed was asked for.
    pub(super) is_seeded: bool,
    /// It ended since only those who would fail had anything to do.
    pub(super) is_at_rest: bool,
    /// The last step has failed by itself, whatever others did.
    pub(super) has_failed: bool,
    /// The last step has found a bug that may need what others did.
    pub(super) has_bug: bool,
}

impl Follow {
    pub(super) fn new(schedule: Vec<Due>, answers: Vec<u32>, held: Vec<u64>) -> Self {
        Self {
            schedule,
            answers,
            held,
            next: 0,
            next_answer: 0,
            answers_left: 0,
            current: (0, 0),
            names: false,
            name: None,
            seen: Vec::new(),
            chosen: Vec::new(),
            outside: None,
            is_lost: false,
            is_seeded: false,
            is_at_rest: false,
            has_failed: false,
            has_bug: false,
        }
    }
}

impl Follow {
    /// The same once more, to learn what is called what.
    pub(super) fn with_names(self) -> Self {
        Self {
            names: true,
            ..Self::new(self.schedule, self.answers, self.held)
        }
    }

    /// Who has taken the last step.
    pub(super) fn last(&self) -> Option<u64> {
        self.seen.iter().rev().find_map(|seen| match seen {
            Seen::Step { who, .. } => Some(*who),
            _ => None,
        })
    }
}

fn find(enabled: &Enabled<'_>, who: u64) -> Option<usize> {
    let mut all = enabled.iter();
    all.position(|pending| enabled.path(pending.operation) == who)
}

impl Strategy for Follow {
    fn name(&self) -> String {
        "dpor".into()
    }

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, _: &Execution) -> bool {
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        if self.seen.is_empty() {
            let path = enabled.path(OperationId::actor(0));
            self.seen.push(Seen::Body { path });
        }
        if self.outside.is_some() || self.is_lost {
            return None;
        }
        let position = match self.schedule.get(self.next) {
            Some(due) => {
                self.next += 1;
                self.answers_left = due.answers;
                let found = find(enabled, due.who).filter(|position| {
                    let pending = &enabled[*position];
                    let message = pending.message.map_or(0, |message| message.number());
                    pending.kind != StepKind::Handle || message == due.message
                });
                self.is_lost = found.is_none();
                found?
            }
            None => {
                self.answers_left = 0;
                let is_free = |position: &usize| {
                    let pending = &enabled[*position];
                    let runs = pending.kind != StepKind::Flush;
                    !(runs && self.held.contains(&enabled.path(pending.operation)))
                };
                match (0..enabled.len()).find(is_free) {
                    Some(position) => position,
                    // Nobody else has anything to do.
                    None => {
                        self.is_at_rest = true;
                        self.seen
                            .extend(enabled.iter().map(|pending| Seen::Waiting {
                                who: enabled.path(pending.operation),
                                kind: pending.kind,
                            }));
                        return None;
                    }
                }
            }
        };
        let pending = &enabled[position];
        let inbox = pending.inbox.map_or(0, |inbox| enabled.path(inbox));
        self.current = (enabled.path(pending.operation), inbox);
        if self.names {
            let names = enabled.details();
            self.name = names.map(|names| names.operation(pending.operation));
        }
        Some(position)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        let Choice::Below(of) = choice else {
            self.is_seeded = true;
            return 0;
        };
        let answer = match self.answers_left.checked_sub(1) {
            Some(left) => {
                self.answers_left = left;
                self.next_answer += 1;
                let answer = self.answers.get(self.next_answer - 1);
                answer.copied().unwrap_or(0).min(of - 1)
            }
            None => 0,
        };
        let who = self.current.0;
        self.chosen.push(Seen::Choice { who, of, answer });
        answer
    }

    fn hears_steps(&self) -> bool {
        true
    }

    fn stepped(&mut self, step: &Step<'_>) {
        if let Some(bug) = step.bug {
            let runs = step.pending.kind != StepKind::Flush;
            self.has_failed = runs && matches!(bug, BugKind::Panic | BugKind::Unhandled);
            self.has_bug = !self.has_failed;
        }
        let (who, inbox) = self.current;
        let pending = &step.pending;
        self.seen.push(Seen::Step {
            who,
            kind: pending.kind,
            message: pending.message.map_or(0, |message| message.number()),
            inbox,
            carried: step.carried,
            onlookers: step.onlookers,
            defers: step.defers,
        });
        self.seen.append(&mut self.chosen);
        let strange = match pending.kind {
            StepKind::Start | StepKind::Handle | StepKind::Resume => None,
            StepKind::Flush if step.carried != Carried::Nothing => None,
            StepKind::Flush => Some(Beyond::Finish),
            StepKind::Timer => Some(Beyond::Timer),
            StepKind::Fault => Some(Beyond::Fault),
            StepKind::Stop => Some(Beyond::Stop),
            StepKind::Deliver => Some(Beyond::Node),
            StepKind::Access => Some(Beyond::Sharing),
        };
        let what = step.reached.first().or(strange);
        if let Some(what) = what
            && step.bug.is_none()
            && self.outside.is_none()
        {
            let who = self.name.take();
            self.outside = Some(Outside { what, who });
        }
    }
}
