//! Pinned schedules: a readable record of a schedule, which a test can follow later.
//!
//! A step is a pair of its actor and its action: `("Client#2", "sends Acquire to Lock")`. The first actor
//! of a type has no number, as in reports about a single one. The next step of an operation is always
//! determined, so the actor is enough; the action shows readers where a changed program diverges.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::naming::{ExecutionRecorder, RecordedStrategy};
use super::progress::{ScheduleProgress, StepAnswers};
use super::{
    Choice, Enabled, Ended, Execution, Fairness, FaultSite, Needs, Pending, Pruned, Steady,
    StepKind, Strategy, StrategyEvent,
};
use crate::data::faults::{Fault, FaultKind, KINDS};
use crate::data::schedule::{NamedChoice, NamedStrike};
use crate::data::story::ChoicePurpose;

/// Precedes the answers to choices of a step.
const CHOOSING: &str = ", choosing ";

/// Precedes each fault that strikes within a step.
const FAULT: &str = ", fault ";

/// A readable step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ScriptStep {
    who: String,
    /// The action, without its choices.
    what: String,
    choices: Vec<NamedChoice>,
    strikes: Vec<NamedStrike>,
}

impl ScriptStep {
    fn of(pending: &Pending, enabled: &Enabled<'_>) -> Self {
        let names = enabled.details();
        let name = |operation| {
            let name = names.map(|names| names.operation(operation));
            first_without_number(&name.unwrap_or_default()).to_owned()
        };
        let event = names.and_then(|names| names.event(pending));
        let what = match (pending.kind, event) {
            (StepKind::Start, _) => "starts".into(),
            (StepKind::Handle, event) => format!("handles {}", event.unwrap_or("what is next")),
            (StepKind::Flush, Some(event)) => {
                let to = pending.inbox.map(name).unwrap_or_default();
                format!("sends {event} to {to}")
            }
            (StepKind::Flush, None) => "flushes".into(),
            (StepKind::Resume, _) => "resumes".into(),
            (StepKind::Timer, Some(event)) => format!("fires {event}"),
            (StepKind::Timer, None) => "fires".into(),
            (StepKind::Fault, _) => "fails".into(),
            (StepKind::Stop, _) => "stops".into(),
            (StepKind::Deliver, Some(event)) => {
                let to = pending.inbox.map(name).unwrap_or_default();
                format!("delivers {event} to {to}")
            }
            (StepKind::Deliver, None) => "delivers".into(),
            (StepKind::Access, _) => match pending.inbox.map(name) {
                Some(object) if !object.is_empty() => format!("accesses {object}"),
                _ => "accesses".into(),
            },
        };
        Self {
            who: pending.owner().map(name).unwrap_or_default(),
            what,
            choices: Vec::new(),
            strikes: Vec::new(),
        }
    }

    /// A fault between two steps, or the end of one.
    fn fault(fault: &Fault, enabled: &Enabled<'_>) -> Self {
        let names = enabled.details();
        let of = (0..u64::BITS).filter(|node| fault.nodes >> node & 1 == 1);
        let of: Vec<String> = of
            .map(|node| names.map(|names| names.node(node)).unwrap_or_default())
            .collect();
        let (kind, of) = (fault.kind, of.join(", "));
        let way = match fault.way {
            0 => String::new(),
            way => format!("/{}", way + 1),
        };
        Self::of_world(match fault.is_undone {
            false => format!("has {kind} of {of}{way}"),
            true => format!("ends {kind} of {of}{way}"),
        })
    }

    /// The step that ends all remaining faults.
    fn last_fault() -> Self {
        Self::of_world("ends all faults".into())
    }

    fn of_world(what: String) -> Self {
        Self {
            who: "world".into(),
            what,
            choices: Vec::new(),
            strikes: Vec::new(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.who == other.who && self.what == other.what
    }

    /// The actor and the action, in the form of a pinned schedule.
    pub(crate) fn written(&self) -> (String, String) {
        let choices = self.choices.iter();
        let choices: Vec<String> = choices
            .map(|NamedChoice { of, answer, .. }| format!("{answer} of {of}"))
            .collect();
        let choosing = match choices[..] {
            [] => String::new(),
            _ => format!("{CHOOSING}{}", choices.join(", ")),
        };
        let strikes: String = self.strikes.iter().map(struck).collect();
        (
            self.who.clone(),
            format!("{}{choosing}{strikes}", self.what),
        )
    }
}

/// Formats a fault within a step: `, fault call 1/2` is the second way of the first call.
fn struck(strike: &NamedStrike) -> String {
    let NamedStrike { kind, place, way } = strike;
    let way = match way {
        1 => String::new(),
        way => format!("/{way}"),
    };
    format!("{FAULT}{kind} {}{way}", place + 1)
}

/// Parses such a fault.
fn strike(text: &str) -> Option<NamedStrike> {
    let (kind, place) = text.split_once(' ')?;
    let kind = FaultKind::ALL
        .into_iter()
        .find(|known| known.word() == kind)?;
    let (place, way) = place.split_once('/').unwrap_or((place, "1"));
    let place: u32 = place.parse().ok()?;
    let way = way.parse().ok().filter(|way| *way > 0)?;
    let place = place.checked_sub(1)?;
    Some(NamedStrike { kind, place, way })
}

impl fmt::Display for ScriptStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.who, self.what)
    }
}

/// True if the text names a fault between two steps: `crash of n1`.
fn is_fault(text: &str) -> bool {
    let kinds = FaultKind::ALL;
    text.split_once(" of ")
        .is_some_and(|(kind, nodes)| kinds.iter().any(|it| it.word() == kind) && !nodes.is_empty())
}

/// Removes `#1` from the end of a name: `Client` for `Client#1`.
fn first_without_number(name: &str) -> &str {
    name.strip_suffix("#1").unwrap_or(name)
}

/// Parses the steps of a pinned schedule; the error names the malformed step and the correct form.
pub(crate) fn parse(steps: &[(&str, &str)]) -> Result<Vec<ScriptStep>, String> {
    let read = steps.iter().enumerate().map(|(at, (who, what))| {
        worded(who, what).map_err(|why| format!("step {} of the schedule, {what:?}: {why}", at + 1))
    });
    read.collect()
}

fn worded(who: &str, what: &str) -> Result<ScriptStep, String> {
    let mut parts = what.split(FAULT);
    let what = parts.next().unwrap_or_default();
    let strikes: Option<Vec<NamedStrike>> = parts.map(strike).collect();
    let strikes = strikes.ok_or("after `fault` comes its kind and which place, as in `call 1`")?;
    let (what, choices) = what.split_once(CHOOSING).unwrap_or((what, ""));
    let choices = choices.split(", ").filter(|choice| !choice.is_empty());
    let choices: Option<Vec<NamedChoice>> = choices
        .map(|choice| {
            let (answer, of) = choice.split_once(" of ")?;
            let (answer, of) = (answer.parse().ok()?, of.parse().ok()?);
            let asked = ChoicePurpose::Unknown;
            (u64::from(answer) < of).then_some(NamedChoice { asked, of, answer })
        })
        .collect();
    let choices = choices.ok_or("after `choosing` come answers as `0 of 2, 3 of 5`")?;
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    let what = match (verb, rest) {
        ("starts" | "flushes" | "resumes" | "fires" | "stops" | "delivers" | "accesses", "") => {
            what.to_owned()
        }
        ("handles" | "fires", event) if !event.is_empty() => what.to_owned(),
        ("has" | "ends", fault) if is_fault(fault) => what.to_owned(),
        ("ends", "all faults") => what.to_owned(),
        ("accesses", object) if !object.is_empty() => {
            format!("accesses {}", first_without_number(object))
        }
        ("sends" | "delivers", rest) if rest.contains(" to ") => {
            let (event, to) = rest.rsplit_once(" to ").unwrap_or_default();
            format!("{verb} {event} to {}", first_without_number(to))
        }
        _ => {
            return Err(
                "a step is `starts`, `handles EVENT`, `sends EVENT to ACTOR`, `flushes`, `resumes`, \
                 `fires`, `fires EVENT`, `stops`, `delivers EVENT to ACTOR`, `delivers`, \
                 `accesses OBJECT`, `has KIND of NODES` (a fault: `has crash of n1`), `ends KIND of NODES` \
                 or `ends all faults`"
                    .into(),
            );
        }
    };
    Ok(ScriptStep {
        who: first_without_number(who).to_owned(),
        what,
        choices,
        strikes,
    })
}

/// The first divergence of an execution from a pinned schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ScriptDivergence {
    /// The number of the step, from one.
    pub(crate) step: u64,
    /// The pinned step, and the one that was taken.
    pub(crate) message: String,
}

/// Follows a pinned schedule, and continues fairly behind it. An unpinned step of the operation whose step
/// is due is taken as an addition to the program; a pinned step that never becomes enabled is skipped.
#[derive(Debug)]
pub(crate) struct ScriptReplay {
    steps: Vec<ScriptStep>,
    progress: ScheduleProgress,
    completion: Steady,
    /// The unused answers of the pinned step in progress.
    answers: StepAnswers,
    /// The key of the pinned fault that is the next step.
    due_fault: Option<u64>,
    parted: Option<ScriptDivergence>,
    divergence: Arc<Mutex<Option<ScriptDivergence>>>,
}

impl ScriptReplay {
    /// Creates the strategy; the second value receives the divergence after each execution.
    pub(crate) fn new(steps: Vec<ScriptStep>) -> (Self, Arc<Mutex<Option<ScriptDivergence>>>) {
        let divergence = Arc::default();
        let pinned = Self {
            progress: ScheduleProgress::default(),
            completion: Steady::default(),
            answers: StepAnswers::default(),
            due_fault: None,
            parted: None,
            divergence: Arc::clone(&divergence),
            steps,
        };
        (pinned, divergence)
    }

    /// The first enabled step of the schedule that is left: its place in the schedule, and its position.
    fn listed(&self, able: &[ScriptStep]) -> Option<(usize, usize)> {
        let mut found = self.progress.left().filter_map(|place| {
            let is_it = |worded: &ScriptStep| worded.is_same(&self.steps[place]);
            Some((place, able.iter().position(is_it)?))
        });
        found.next()
    }

    /// An unpinned step of the operation whose step is due.
    fn added(&self, able: &[ScriptStep]) -> Option<usize> {
        let due = &self.steps[self.progress.first_left];
        let is_left = |worded: &ScriptStep| {
            let mut left = self.progress.left().map(|place| &self.steps[place]);
            left.any(|step| step.is_same(worded))
        };
        let is_added = |worded: &ScriptStep| worded.who == due.who && !is_left(worded);
        able.iter().position(is_added)
    }

    fn part(&mut self, step: u64, now: &ScriptStep) {
        if self.parted.is_none() {
            let due = &self.steps[self.progress.first_left];
            self.parted = Some(ScriptDivergence {
                step,
                message: format!("pinned is {due}; now, {now}"),
            });
        }
    }

    /// The position of the pinned fault that is the next step.
    fn fault_between(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        let next = self.steps.get(self.progress.first_left)?;
        let is_next = |fault: &Fault| ScriptStep::fault(fault, enabled).is_same(next);
        let number = faults.iter().position(is_next)?;
        self.due_fault = Some(faults[number].key);
        Some(number)
    }

    /// True if the end of all faults is due, or no pinned step is left.
    fn ends_faults(&self) -> bool {
        let next = self.steps.get(self.progress.first_left);
        next.is_none_or(|next| ScriptStep::last_fault().is_same(next))
    }

    /// Records that a fault was the step.
    fn struck(&mut self, key: u64) {
        let next = self.steps.get(self.progress.first_left);
        let is_last =
            |next: &ScriptStep| key == Fault::LAST && ScriptStep::last_fault().is_same(next);
        let is_due = self.due_fault.take() == Some(key);
        if next.is_some_and(|next| is_due || is_last(next)) {
            self.progress.take(self.progress.first_left);
        }
    }

    /// Writes the divergence.
    fn finish(&mut self, ended: &Ended) {
        if !self.progress.is_over() && self.parted.is_none() {
            let due = &self.steps[self.progress.first_left];
            self.parted = Some(ScriptDivergence {
                step: ended.steps + 1,
                message: format!("pinned is {due}; now, the execution is over"),
            });
        }
        let mut divergence = self
            .divergence
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *divergence = self.parted.take();
    }
}

impl Strategy for ScriptReplay {
    fn name(&self) -> String {
        "pinned schedule".into()
    }

    fn needs(&self) -> Needs {
        Needs::all_choices()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.progress.begin(self.steps.len());
        self.answers = StepAnswers::default();
        (self.due_fault, self.parted) = (None, None);
        self.completion.begin(execution)?;
        Some(Fairness::FairFrom(self.steps.len() as u64))
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.answers = StepAnswers::default();
        if self.progress.is_over() {
            return self.completion.pick(enabled);
        }
        let worded = |pending| ScriptStep::of(pending, enabled);
        let able: Vec<ScriptStep> = enabled.iter().map(worded).collect();
        let listed = self.listed(&able);
        let (place, position) = match listed {
            Some((place, position)) if place == self.progress.first_left => (Some(place), position),
            _ => match (self.added(&able), listed) {
                (Some(position), _) => (None, position),
                (None, Some((place, position))) => (Some(place), position),
                (None, None) => (None, self.completion.pick(enabled)?),
            },
        };
        let now = able[position].clone();
        if place != Some(self.progress.first_left) {
            self.part(enabled.step() + 1, &now);
        }
        if let Some(place) = place {
            let ScriptStep {
                choices, strikes, ..
            } = &self.steps[place];
            self.answers = StepAnswers::of(choices, strikes);
            self.progress.take(place);
        }
        Ok(position)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::FaultBetween(enabled, faults) => match self.fault_between(enabled, faults) {
                Some(position) => Some(1 + position as u32),
                None => self.ends_faults().then_some(Choice::END_FAULTS),
            },
            _ => self.answers.answer(choice),
        }
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        match event {
            StrategyEvent::Struck(key) => self.struck(key),
            StrategyEvent::Ended(ended) => self.finish(ended),
            StrategyEvent::Stepped(_) => {}
        }
    }
}

/// Records the execution of another strategy as a pinned schedule.
pub(crate) type Wording = RecordedStrategy<ScriptStepRecorder>;

/// The readable steps of one execution.
#[derive(Debug, Default)]
pub(crate) struct ScriptStepRecorder {
    steps: Vec<ScriptStep>,
    places: [u32; KINDS],
    /// The fault that is the next step, with its key.
    due_fault: Option<(u64, ScriptStep)>,
}

impl ExecutionRecorder for ScriptStepRecorder {
    type Written = Vec<ScriptStep>;

    fn begin(&mut self) {
        self.steps.clear();
    }

    fn takes(&mut self, pending: &Pending, enabled: &Enabled<'_>) {
        self.steps.push(ScriptStep::of(pending, enabled));
        self.places = [0; KINDS];
    }

    fn chose(&mut self, choice: NamedChoice) {
        if let Some(last) = self.steps.last_mut() {
            // The readable form leaves out the purpose of a choice.
            let asked = ChoicePurpose::Unknown;
            last.choices.push(NamedChoice { asked, ..choice });
        }
    }

    fn struck(&mut self, offer: &FaultSite, way: u32) {
        let kind = offer.kind;
        let place = self.places[kind as usize];
        self.places[kind as usize] += 1;
        if let Some(last) = self.steps.last_mut().filter(|_| way > 0) {
            last.strikes.push(NamedStrike { kind, place, way });
        }
    }

    fn meets(&mut self, fault: &Fault, enabled: &Enabled<'_>) {
        self.due_fault = Some((fault.key, ScriptStep::fault(fault, enabled)));
    }

    fn struck_between(&mut self, key: u64) {
        let due = self.due_fault.take().filter(|(due, _)| *due == key);
        let worded = due.map_or_else(ScriptStep::last_fault, |(_, worded)| worded);
        self.steps.push(worded);
        self.places = [0; KINDS];
    }

    fn end(&mut self) -> Vec<ScriptStep> {
        std::mem::take(&mut self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let steps = [
            ("test", "starts"),
            ("test", "sends Go to Client#2"),
            ("Client#2", "handles Go, choosing 1 of 2, 7 of 4294967296"),
            ("Client's future", "resumes"),
            ("Clock", "fires Tick"),
            (
                "n1->n2",
                "delivers Go to n2/client, fault drop 1, fault call 2/3",
            ),
            ("n2->n1", "delivers"),
            ("thread", "accesses the Mutex of src/lib.rs:14:14"),
            ("thread", "accesses"),
            ("world", "has partition of n1, n2/2"),
            ("world", "ends crash of n1"),
            ("world", "ends all faults"),
        ];
        let read = parse(&steps).expect("each is a step");
        let written: Vec<(String, String)> = read.iter().map(ScriptStep::written).collect();
        let written: Vec<(&str, &str)> = written
            .iter()
            .map(|(who, what)| (&**who, &**what))
            .collect();
        assert_eq!(written, steps);
        // The first actor of a type may have its number.
        let with_number = parse(&[("Client#1", "sends Go to Lock#1")]);
        assert_eq!(with_number, parse(&[("Client", "sends Go to Lock")]));
    }

    #[test]
    fn what_is_no_step_is_an_error() {
        for what in [
            "",
            "handles",
            "sends Go",
            "jumps",
            "starts now",
            "delivers Go",
            "accesses, now",
            "handles Go, fault drop",
            "handles Go, fault drip 1",
            "handles Go, choosing 2 of 2",
        ] {
            let error = parse(&[("test", "starts"), ("test", what)]).expect_err(what);
            assert!(error.starts_with("step 2 of the schedule, "), "{error}");
        }
    }
}
