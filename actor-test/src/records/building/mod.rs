//! Builds a story from records.
//!
//! This file makes steps, operations, messages and timers. [`effects`] converts effects, [`watching`]
//! converts changes of specifications, [`names`] names operations, and [`texts`] interns texts.

mod effects;
mod names;
mod texts;
mod watching;

use std::collections::BTreeMap;

use crate::data::fields;
use crate::data::step::MessageId;
use crate::records::{Created, MessageSource, Record};

use crate::data::story::{
    Change, Effect, Field, Message, OmittedSteps, Operation, OperationKind, Purpose, Step, Story,
    Text, Timer,
};
use names::{names, object_names};
use texts::Texts;

/// The largest number of steps in a story: the first tenth, and then the last ones.
const STEPS_MAX: usize = 200_000;

impl Story {
    /// Builds the story of records.
    pub(crate) fn of(records: &[Record]) -> Self {
        let mut builder = StoryBuilder::new(records);
        for record in records {
            builder.add(record);
        }
        builder.story
    }

    /// Removes all steps after the first `steps`.
    pub(crate) fn truncate(&mut self, steps: u64) {
        self.steps.retain(|step| step.number <= steps);
    }
}

/// Returns the range of steps that are left out, if there are too many.
fn left_out(records: &[Record]) -> Option<OmittedSteps> {
    let is_step = |record: &&Record| matches!(record, Record::Step { .. });
    let steps = records.iter().filter(is_step).count();
    let (first, last) = (STEPS_MAX / 10, STEPS_MAX - STEPS_MAX / 10);
    (steps > STEPS_MAX).then(|| OmittedSteps {
        from: first as u64 + 1,
        to: (steps - last) as u64,
    })
}

struct StoryBuilder {
    story: Story,
    texts: Texts,
    messages: BTreeMap<MessageId, u32>,
    timers: BTreeMap<u64, u32>,
    /// The numbers of the monitors, and below of the predicates, in the story.
    monitors: Vec<u32>,
    predicates: Vec<u32>,
    /// The step in progress, and below the operation that takes it.
    number: u64,
    who: Option<u32>,
    /// True if the step in progress is left out.
    is_silent: bool,
}

impl StoryBuilder {
    fn new(records: &[Record]) -> Self {
        let names = names(records);
        let objects = object_names(records, &names);
        let mut texts = Texts::new(names, objects);
        let test = Operation {
            name: texts.of("test"),
            kind: OperationKind::Test,
            path: texts.of(&hex(0)),
            of_type: None,
            creator: None,
            prints: false,
            fields: Vec::new(),
        };
        Self {
            story: Story {
                operations: vec![test],
                left_out: left_out(records),
                ..Story::default()
            },
            texts,
            messages: BTreeMap::new(),
            timers: BTreeMap::new(),
            monitors: Vec::new(),
            predicates: Vec::new(),
            number: 0,
            who: None,
            is_silent: false,
        }
    }

    fn text(&mut self, text: &str) -> Text {
        self.texts.of(text)
    }

    fn state(&mut self, state: Option<&'static str>) -> Option<Text> {
        state.map(|state| self.text(state))
    }

    fn add(&mut self, record: &Record) {
        match record {
            Record::Step { .. } => self.begin(record),
            Record::Created { who, path, what } => self.create(*who, *path, what),
            Record::Handled {
                who,
                message,
                from,
                event,
                ignored,
            } => {
                let number = self.handled(*message, *from, *who, event);
                if let Some(step) = self.step() {
                    step.message = Some(number);
                    step.ignored = *ignored;
                }
            }
            Record::Ran {
                awaits,
                before,
                after,
                ..
            } => {
                let (before, after) = (self.state(*before), self.state(*after));
                if let Some(step) = self.step() {
                    step.state_before = step.state_before.take().or(before);
                    step.state_after = after;
                }
                if *awaits {
                    self.effect(Effect::Awaits);
                }
            }
            Record::InitialFields { who, fields } => self.initial_fields(*who, fields),
            Record::Changed { changes, .. } => self.changed(changes),
            Record::Watches { .. }
            | Record::Judged { .. }
            | Record::MonitorMoved { .. }
            | Record::Inspected { .. }
            | Record::Remembered { .. } => self.watched(record),
            Record::PowerFailed { lost } => {
                self.effect(Effect::PowerFailed);
                for (what, parts) in lost {
                    let (action, parts) = (self.action(what), *parts);
                    self.effect(Effect::Lost { action, parts });
                }
            }
            _ => {
                if let Some(effect) = self.effect_of(record) {
                    self.effect(effect);
                }
            }
        }
    }

    fn begin(&mut self, record: &Record) {
        let Record::Step {
            number,
            time_ns,
            who,
            timer,
            kind,
            state,
        } = record
        else {
            return;
        };
        self.number = *number;
        self.who = Some(*who);
        let left_out = self.story.left_out;
        self.is_silent = left_out.is_some_and(|out| (out.from..=out.to).contains(number));
        let timer = timer.map(|timer| self.timer(timer, *who));
        if let Some(timer) = timer {
            self.story.timers[timer as usize].ended = Some(*number);
        }
        let state_before = self.state(*state);
        if !self.is_silent {
            self.story.steps.push(Step {
                number: *number,
                time_ns: *time_ns,
                who: *who,
                kind: *kind,
                state_before,
                state_after: None,
                message: None,
                ignored: false,
                timer,
                effects: Vec::new(),
                changes: Vec::new(),
                monitors: Vec::new(),
            });
        }
    }

    /// Returns the step in progress, unless it is left out.
    fn step(&mut self) -> Option<&mut Step> {
        match self.is_silent {
            false => self.story.steps.last_mut(),
            true => None,
        }
    }

    fn effect(&mut self, effect: Effect) {
        if let Some(step) = self.step() {
            step.effects.push(effect);
        }
    }

    fn create(&mut self, who: u32, path: u64, what: &Created) {
        let unknown = Operation {
            name: self.text("?"),
            kind: OperationKind::Actor,
            path: self.text(&hex(path)),
            of_type: None,
            creator: None,
            prints: false,
            fields: Vec::new(),
        };
        let operations = &mut self.story.operations;
        if operations.len() <= who as usize {
            operations.resize(who as usize + 1, unknown);
        }
        let creator = self.who;
        let path = self.text(&hex(path));
        let of_type = match what {
            Created::Actor { of_type, .. } => Some(self.text(of_type)),
            Created::Future { .. }
            | Created::Boot { .. }
            | Created::Link { .. }
            | Created::Name { .. }
            | Created::Task { .. } => None,
        };
        let name = self.texts.name(who);
        let operation = &mut self.story.operations[who as usize];
        operation.path = path;
        operation.of_type = of_type;
        (operation.kind, operation.creator) = match what {
            Created::Actor { .. } => (OperationKind::Actor, creator),
            Created::Future { owner } => (OperationKind::Future, Some(*owner)),
            Created::Boot { .. } => (OperationKind::Boot, creator),
            Created::Link { .. } => (OperationKind::Link, None),
            Created::Name { .. } => (OperationKind::Name, None),
            Created::Task { is_thread, .. } => match is_thread {
                true => (OperationKind::Thread, creator),
                false => (OperationKind::Task, creator),
            },
        };
        operation.name = name;
    }

    /// Returns the number of a message, which is a new one for an unknown identity.
    fn message(&mut self, id: MessageId, from: MessageSource, to: u32, event: &str) -> u32 {
        if let Some(known) = self.messages.get(&id) {
            return *known;
        }
        let (from, is_notice) = match from {
            MessageSource::Operation(who) => (Some(who), false),
            MessageSource::End(who) => (Some(who), true),
            MessageSource::Timer => (None, false),
        };
        let message = Message {
            id: self.text(&hex(id.number())),
            event: self.text(event),
            from,
            is_notice,
            to,
            sent: None,
            delivered: None,
            handled: None,
            cause: None,
        };
        let number = self.story.messages.len() as u32;
        self.story.messages.push(message);
        self.messages.insert(id, number);
        number
    }

    /// Returns the number of a message that its receiver takes in this step.
    fn handled(&mut self, id: MessageId, from: MessageSource, to: u32, event: &str) -> u32 {
        let number = self.message(id, from, to, event);
        self.story.messages[number as usize].handled = Some(self.number);
        number
    }

    /// Returns the number of a timer, which is a new one for an unknown key.
    fn timer(&mut self, key: u64, owner: u32) -> u32 {
        let next = self.story.timers.len() as u32;
        let number = *self.timers.entry(key).or_insert(next);
        if number == next {
            self.story.timers.push(Timer {
                owner,
                purpose: Purpose::Unknown,
                event: None,
                delay_ns: 0,
                periodic: false,
                armed: None,
                ended: None,
            });
        }
        number
    }

    fn initial_fields(&mut self, who: u32, fields: &[fields::PrintedField]) {
        let fields = fields.iter().map(|field| Field {
            field: self.texts.of(&field.field),
            value: self.texts.of(&field.value),
        });
        let fields = fields.collect();
        if let Some(operation) = self.story.operations.get_mut(who as usize) {
            operation.prints = true;
            operation.fields = fields;
        }
    }

    fn changed(&mut self, changes: &[fields::FieldDifference]) {
        let texts = &mut self.texts;
        let changes = changes.iter().map(|change| Change {
            field: texts.of(&change.field),
            before: change.before.as_ref().map(|before| texts.of(before)),
            after: change.after.as_ref().map(|after| texts.of(after)),
        });
        let changes: Vec<Change> = changes.collect();
        if let Some(step) = self.step() {
            step.changes.extend(changes);
        }
    }
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}
