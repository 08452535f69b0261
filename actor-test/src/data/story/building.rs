//! From records to their story.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::fields;
use crate::data::records::{self, Created, MessageId, Origin, Record};

use super::{
    Arrival, Asked, Change, DiskAction, Effect, Field, LeftOut, Message, Monitor, MonitorChange,
    MonitorKind, Operation, OperationKind, Purpose, Seen, Step, Story, Text, Timer,
};

/// How many steps are told at most: the first tenth, and then the last ones.
const STEPS_MAX: usize = 200_000;

/// How many bytes the different texts of a story have at most; what comes later is cut short.
const TEXTS_MAX: usize = 16 << 20;

/// How many bytes one text has at most.
const TEXT_MAX: usize = 64 << 10;

/// What is left of a text for which there is no room any more.
const TEXT_MIN: usize = 100;

impl Story {
    /// The story that records tell.
    pub(crate) fn of(records: &[Record]) -> Self {
        let mut builder = Builder::new(left_out(records));
        for record in records {
            builder.add(record);
        }
        builder.finish()
    }

    /// Takes back what came after the first steps.
    pub(crate) fn truncate(&mut self, steps: u64) {
        self.steps.retain(|step| step.number <= steps);
    }

    /// Adds to the last step what is known of it though it was not finished: the answers to its
    /// choices, and how it ends.
    pub(crate) fn end_unfinished(&mut self, choices: &[u32], how: Option<&str>) {
        let Some(last) = self.steps.last_mut() else {
            return;
        };
        let chose = |answer: &u32| Effect::Chose {
            asked: Asked::Unknown,
            of: None,
            answer: *answer,
        };
        let ended = how.map(|how| Effect::Ended { how: how.into() });
        last.effects.extend(choices.iter().map(chose).chain(ended));
    }
}

/// The steps for which there is no room.
fn left_out(records: &[Record]) -> Option<LeftOut> {
    let is_step = |record: &&Record| matches!(record, Record::Step { .. });
    let steps = records.iter().filter(is_step).count();
    let (first, last) = (STEPS_MAX / 10, STEPS_MAX - STEPS_MAX / 10);
    (steps > STEPS_MAX).then(|| LeftOut {
        from: first as u64 + 1,
        to: (steps - last) as u64,
    })
}

/// How many actors of each type there are, on each node and on none.
type Counts = BTreeMap<(Option<String>, u32), u32>;

struct Builder {
    story: Story,
    texts: Texts,
    /// What actors were named, and their numbers among those of their type.
    created: Vec<(u32, Created)>,
    counts: Counts,
    messages: BTreeMap<MessageId, u32>,
    timers: BTreeMap<u64, u32>,
    /// The numbers of the monitors, and of the predicates.
    monitors: Vec<u32>,
    predicates: Vec<u32>,
    /// The step in progress, and who takes it.
    number: u64,
    who: Option<u32>,
    /// It is left out.
    is_silent: bool,
}

impl Builder {
    fn new(left_out: Option<LeftOut>) -> Self {
        let mut texts = Texts::default();
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
                left_out,
                ..Story::default()
            },
            texts,
            created: Vec::new(),
            counts: Counts::new(),
            messages: BTreeMap::new(),
            timers: BTreeMap::new(),
            monitors: Vec::new(),
            predicates: Vec::new(),
            number: 0,
            who: None,
            is_silent: false,
        }
    }

    fn finish(mut self) -> Story {
        for (who, what) in &self.created {
            let name = name(&self.story, &self.counts, what);
            self.story.operations[*who as usize].name = self.texts.of(&name);
        }
        self.story
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
                let number = self.message(*message, *from, *who, event);
                self.story.messages[number as usize].handled = Some(self.number);
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
            Record::Looks { who, fields } => self.looks(*who, fields),
            Record::Changed { changes, .. } => self.changed(changes),
            Record::Watches { .. }
            | Record::Judged { .. }
            | Record::MonitorMoved { .. }
            | Record::LookedAt { .. } => self.watched(record),
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

    /// The step in progress, where it is told.
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
            | Created::Task { .. } => None,
        };
        let operation = &mut self.story.operations[who as usize];
        operation.path = path;
        operation.of_type = of_type;
        (operation.kind, operation.creator) = match what {
            Created::Actor {
                type_number,
                prefix,
                ..
            } => {
                let counted = (prefix.clone(), *type_number);
                *self.counts.entry(counted).or_default() += 1;
                (OperationKind::Actor, creator)
            }
            Created::Future { owner } => (OperationKind::Future, Some(*owner)),
            Created::Boot { .. } => (OperationKind::Boot, creator),
            Created::Link { .. } => (OperationKind::Link, None),
            Created::Task { is_thread, .. } => match is_thread {
                true => (OperationKind::Thread, creator),
                false => (OperationKind::Task, creator),
            },
        };
        self.created.push((who, what.clone()));
    }

    /// The number of a message, which is new where nobody has spoken of it.
    fn message(&mut self, id: MessageId, from: Origin, to: u32, event: &str) -> u32 {
        if let Some(known) = self.messages.get(&id) {
            return *known;
        }
        let (from, is_notice) = match from {
            Origin::Operation(who) => (Some(who), false),
            Origin::End(who) => (Some(who), true),
            Origin::Timer => (None, false),
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

    /// The number of a timer, which is new where nobody has spoken of it.
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

    fn looks(&mut self, who: u32, fields: &[fields::Field]) {
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

    fn changed(&mut self, changes: &[fields::Difference]) {
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

    /// Monitors and predicates: that they are there, and what became of them.
    fn watched(&mut self, record: &Record) {
        let (monitor, before, after, temperature, heat) = match record {
            Record::Watches {
                name,
                kind,
                state,
                temperature,
            } => {
                let number = self.story.monitors.len() as u32;
                match kind {
                    MonitorKind::Monitor => self.monitors.push(number),
                    _ => self.predicates.push(number),
                }
                let monitor = Monitor {
                    name: self.text(name),
                    kind: *kind,
                    state: self.text(state),
                    temperature: *temperature,
                };
                return self.story.monitors.push(monitor);
            }
            Record::LookedAt { who, state, value } => {
                let seen = Seen {
                    who: *who,
                    state: self.state(*state),
                    value: value.as_ref().map(|value| self.text(value)),
                };
                return self.story.looked_at.push(seen);
            }
            Record::Judged {
                predicate,
                holds,
                temperature,
                heat,
            } => {
                let (before, after) = match holds {
                    true => ("false", "true"),
                    false => ("true", "false"),
                };
                let number = self.predicates.get(*predicate as usize).copied();
                (number, before, after, *temperature, *heat)
            }
            Record::MonitorMoved {
                monitor,
                from,
                to,
                heat,
                temperature,
            } => {
                let number = self.monitors.get(*monitor as usize).copied();
                (number, *from, *to, *temperature, *heat)
            }
            _ => return,
        };
        let (before, after) = (self.text(before), self.text(after));
        if let (Some(monitor), Some(step)) = (monitor, self.step()) {
            step.monitors.push(MonitorChange {
                monitor,
                before,
                after,
                temperature,
                heat: (heat > 0).then_some(heat),
            });
        }
    }

    fn action(&mut self, action: &records::DiskAction) -> DiskAction {
        DiskAction {
            call: action.call,
            path: self.text(&action.path),
            to: action.to.as_ref().map(|to| self.text(to)),
            at: action.at,
            bytes: action.bytes,
        }
    }

    fn effect_of(&mut self, record: &Record) -> Option<Effect> {
        Some(match record {
            Record::Sent { .. } => return self.sent(record),
            Record::Arrived { .. } => return self.arrived(record),
            Record::Spawned { who } => Effect::Spawned { who: *who },
            Record::Clock {
                node,
                ahead_ns,
                drift_ppb,
            } => Effect::Clock {
                node: self.text(node),
                ahead_ns: *ahead_ns,
                drift_ppb: *drift_ppb,
            },
            Record::Mishap {
                what,
                node,
                links,
                by_ns,
            } => Effect::Fault {
                fault: self.text(what),
                node: node.as_ref().map(|node| self.text(node)),
                links: links
                    .iter()
                    .map(|(from, to)| (self.text(from), self.text(to)))
                    .collect(),
                by_ns: *by_ns,
            },
            Record::LostOnLink { message } => Effect::LostOnLink {
                message: message.and_then(|message| self.messages.get(&message).copied()),
            },
            Record::ArrivedReply { to } => Effect::ReplyArrived { to: *to },
            Record::Replied {
                to, asked, reply, ..
            } => {
                let lost = reply
                    .as_ref()
                    .err()
                    .map(|error| self.text(&error.to_string()));
                Effect::Replied {
                    to: *to,
                    asked: self.messages.get(asked).copied(),
                    reply: reply.as_ref().ok().map(|reply| self.text(reply)),
                    lost,
                }
            }
            Record::AskedForRoom { of, answer, .. } => Effect::AskedForRoom {
                of: *of,
                answer: *answer,
            },
            Record::Disk { what, error, .. } => Effect::Disk {
                action: self.action(what),
                error: error.as_ref().map(|error| self.text(error)),
            },
            Record::Announced { event, .. } => Effect::Announced {
                event: self.text(event),
            },
            Record::Chose {
                asked, of, answer, ..
            } => Effect::Chose {
                asked: *asked,
                of: Some(*of),
                answer: *answer,
            },
            Record::CallFailed { call, is_made, .. } => Effect::CallFailed {
                call: self.text(call),
                is_made: *is_made,
            },
            Record::Crowded { of, .. } => Effect::Crowded { of: *of },
            Record::Armed {
                owner,
                timer,
                delay_ns,
                periodic,
                purpose,
                event,
            } => {
                let number = self.timer(*timer, *owner);
                let event = event.as_ref().map(|event| self.text(event));
                let armed = &mut self.story.timers[number as usize];
                armed.delay_ns = *delay_ns;
                armed.periodic = *periodic;
                armed.purpose = *purpose;
                armed.event = event;
                armed.armed = Some(self.number);
                Effect::Armed { timer: number }
            }
            Record::Cancelled { owner, timer } => {
                let number = self.timer((*timer)?, *owner);
                self.story.timers[number as usize].ended = Some(self.number);
                Effect::Cancelled { timer: number }
            }
            Record::Reentered { .. } => Effect::Reentered,
            Record::Accessed {
                what,
                object,
                place,
                ..
            } => Effect::Accessed {
                what: self.text(what),
                object: self.text(object),
                place: self.text(place),
            },
            Record::Over { .. } => Effect::Over,
            Record::Logged {
                level,
                target,
                text,
            } => Effect::Logged {
                level: self.text(level),
                target: self.text(target),
                text: self.text(text),
            },
            Record::Failed {
                who,
                panicked,
                message,
            } => Effect::Failed {
                who: *who,
                panicked: *panicked,
                message: self.text(message),
            },
            Record::Stopped { who, at_once } => Effect::Stopped {
                who: *who,
                at_once: *at_once,
            },
            Record::Linked { who } => Effect::Linked { who: *who },
            Record::Fell { who } => Effect::Fell { who: *who },
            Record::Revived { who } => Effect::Revived { who: *who },
            Record::GivenUp { who, limit } => Effect::GivenUp {
                who: *who,
                limit: self.text(limit),
            },
            Record::Halted {
                who,
                reason,
                unread,
            } => Effect::Halted {
                who: *who,
                reason: self.text(&format!("{reason:?}")),
                unread: *unread,
            },
            Record::Step { .. }
            | Record::Created { .. }
            | Record::Handled { .. }
            | Record::Ran { .. }
            | Record::Looks { .. }
            | Record::Changed { .. }
            | Record::Watches { .. }
            | Record::Judged { .. }
            | Record::MonitorMoved { .. }
            | Record::LookedAt { .. }
            | Record::PowerFailed { .. } => return None,
        })
    }

    /// A message has come over its link.
    fn arrived(&mut self, record: &Record) -> Option<Effect> {
        let Record::Arrived {
            message,
            from,
            to,
            event,
            arrival,
        } = record
        else {
            return None;
        };
        let number = self.message(*message, *from, *to, event);
        self.story.messages[number as usize].delivered = Some(self.number);
        let (arrival, replaced) = self.arrival(*from, *to, arrival);
        Some(Effect::Sent {
            message: number,
            arrival,
            replaced,
        })
    }

    fn arrival(
        &mut self,
        from: Origin,
        to: u32,
        arrival: &records::Arrival,
    ) -> (Arrival, Option<u32>) {
        match arrival {
            records::Arrival::Arrived => (Arrival::Arrived, None),
            records::Arrival::Deferred => (Arrival::Deferred, None),
            records::Arrival::Leaves => (Arrival::Leaves, None),
            records::Arrival::Lost => (Arrival::Lost, None),
            records::Arrival::Dead => (Arrival::Dead, None),
            records::Arrival::Unclaimed => (Arrival::Unclaimed, None),
            records::Arrival::Refused => (Arrival::Refused, None),
            records::Arrival::Replaced { message, event } => {
                let replaced = self.message(*message, from, to, event);
                (Arrival::Replaced, Some(replaced))
            }
        }
    }

    fn sent(&mut self, record: &Record) -> Option<Effect> {
        let Record::Sent {
            message,
            from,
            to,
            event,
            arrival,
            cause,
        } = record
        else {
            return None;
        };
        let number = self.message(*message, *from, *to, event);
        let cause = cause.and_then(|cause| self.messages.get(&cause).copied());
        let sent = &mut self.story.messages[number as usize];
        sent.sent = Some(self.number);
        sent.cause = cause;
        let (arrival, replaced) = self.arrival(*from, *to, arrival);
        Some(Effect::Sent {
            message: number,
            arrival,
            replaced,
        })
    }
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}

/// What an operation is called, once all are known.
fn name(story: &Story, counts: &Counts, what: &Created) -> String {
    match what {
        // An owner is older, and has its name.
        Created::Future { owner } => format!("{}'s future", story.name(*owner)),
        Created::Boot { name } | Created::Link { name } => name.clone(),
        Created::Task { name, .. } => name.clone(),
        Created::Actor {
            name: Some(name),
            prefix,
            ..
        } => format!("{}{name}", prefix.as_deref().unwrap_or_default()),
        Created::Actor {
            of_type,
            type_number,
            ordinal,
            prefix,
            ..
        } => {
            let on = prefix.as_deref().unwrap_or_default();
            match counts.get(&(prefix.clone(), *type_number)) {
                Some(1) | None => format!("{on}{of_type}"),
                _ => format!("{on}{of_type}#{ordinal}"),
            }
        }
    }
}

/// Texts, each kept once.
#[derive(Default)]
struct Texts {
    known: BTreeSet<Text>,
    bytes: usize,
}

impl Texts {
    fn of(&mut self, text: &str) -> Text {
        let most = match self.bytes < TEXTS_MAX {
            true => TEXT_MAX,
            false => TEXT_MIN,
        };
        let cut = shortened(text, most);
        let text = Text::from(cut.as_deref().unwrap_or(text));
        if let Some(known) = self.known.get(&text) {
            return known.clone();
        }
        self.bytes += text.len();
        self.known.insert(text.clone());
        text
    }
}

/// A text that is too long, with how much of it is missing.
fn shortened(text: &str, most: usize) -> Option<String> {
    (text.len() > most).then(|| {
        let end = text.floor_char_boundary(most);
        format!("{}… ({} bytes more)", &text[..end], text.len() - end)
    })
}
