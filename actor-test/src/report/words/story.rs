//! The story of an execution: its records in words, step by step.

use crate::data::records::{Arrival, Created, Origin, Record, Room, StepKind};
use crate::data::story::{MonitorStep, StoryStep};
use crate::plural::count;

/// The story that records tell.
pub(crate) fn story(records: &[Record]) -> Vec<StoryStep> {
    let mut teller = Teller::default();
    for record in records {
        teller.tell(record);
    }
    teller.steps
}

#[derive(Default)]
struct Teller {
    steps: Vec<StoryStep>,
    names: Names,
}

impl Teller {
    fn tell(&mut self, record: &Record) {
        match record {
            Record::Step { .. } => return self.begin(record),
            Record::Created { who, what, .. } => return self.names.add(*who, what),
            _ => {}
        }
        if let Some(step) = self.steps.last_mut() {
            tell(record, &self.names, step);
        }
    }

    fn begin(&mut self, record: &Record) {
        let Record::Step {
            number,
            time_ns,
            who,
            kind,
            state,
            ..
        } = record
        else {
            return;
        };
        let name = self.names.of(*who);
        self.steps.push(StoryStep {
            step: *number,
            time_ns: *time_ns,
            actor: match kind {
                StepKind::Timer => format!("{name}'s timer"),
                _ => name,
            },
            kind: kind_word(*kind).into(),
            state: state.map(str::to_owned),
            ..StoryStep::default()
        });
    }
}

fn kind_word(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Start => "start",
        StepKind::Handle => "handle",
        StepKind::Flush => "flush",
        StepKind::Resume => "resume",
        StepKind::Timer => "timer",
        StepKind::Fault => "fault",
        StepKind::Stop => "stop",
    }
}

/// Adds to a step what happened in it.
fn tell(record: &Record, names: &Names, step: &mut StoryStep) {
    match record {
        Record::Step { .. } | Record::Created { .. } => {}
        // The story tells of timers when they fire.
        Record::Armed { .. } | Record::Cancelled { .. } => {}
        Record::Spawned { who } => step.notes.push(format!("spawns {}", names.of(*who))),
        Record::Handled {
            from,
            event,
            ignored,
            ..
        } => {
            step.event = Some(event.clone());
            step.from = Some(match from {
                Origin::Operation(sender) | Origin::End(sender) => names.of(*sender),
                Origin::Timer => "timer".into(),
            });
            if *ignored {
                step.notes.push("ignored".into());
            }
        }
        Record::Sent {
            to, event, arrival, ..
        } => tell_sent(names.of(*to), event, arrival, step),
        Record::Replied { to, reply, .. } => {
            step.event = Some(match reply {
                Ok(reply) => format!("reply {reply}"),
                Err(error) => format!("no reply: {error}"),
            });
            step.to = Some(names.of(*to));
        }
        Record::AskedForRoom { of, answer, .. } => {
            let name = names.of(*of);
            step.notes.push(match answer {
                Room::Granted => format!("there is room in {name}'s mailbox"),
                Room::Full => format!("refused: {name}'s mailbox is full"),
                Room::Closed => format!("refused: {name} has stopped"),
                Room::Waits => format!("waits for room in {name}'s mailbox"),
            });
        }
        Record::Announced { event, .. } => step.notes.push(format!("announces {event}")),
        Record::Chose { answer, .. } => step.choices.push(*answer),
        Record::Ran {
            awaits,
            before,
            after,
            ..
        } => {
            if before != after {
                step.state_after = after.map(str::to_owned);
            }
            if *awaits {
                step.notes.push("awaits".into());
            }
        }
        Record::MonitorMoved {
            monitor,
            from,
            to,
            temperature,
        } => step.monitors.push(MonitorStep {
            monitor: (*monitor).into(),
            from: (*from).into(),
            to: (*to).into(),
            temperature: (*temperature).into(),
        }),
        Record::Failed {
            who,
            panicked,
            message,
        } => step.notes.push(match panicked {
            true => format!("fails: `{}` panicked: {message}", names.of(*who)),
            false => format!("fails: {message}"),
        }),
        Record::Stopped { who, at_once } => {
            let what = if *at_once { "kills" } else { "stops" };
            step.notes.push(format!("{what} {}", names.of(*who)));
        }
        Record::Linked { who } => {
            step.notes
                .push(format!("{} is linked to it", names.of(*who)));
        }
        Record::Fell { .. } => step.notes.push("its value is dropped".into()),
        Record::Revived { .. } => step.notes.push("is made anew".into()),
        Record::GivenUp { limit, .. } => step.notes.push(limit.clone()),
        Record::Halted { unread, .. } => {
            step.notes.push("halts".into());
            if *unread > 0 {
                let unread = count(*unread, "queued event");
                step.notes.push(format!("dead letters: {unread}"));
            }
        }
    }
}

/// A step sends one message mostly, which stands beside its kind.
fn tell_sent(to: String, event: &str, arrival: &Arrival, step: &mut StoryStep) {
    if step.event.is_none() || step.kind == "flush" && step.to.is_none() {
        step.event = Some(event.to_owned());
        step.to = Some(to);
    } else {
        step.notes.push(format!("sends {event} to {to}"));
    }
    match arrival {
        Arrival::Arrived | Arrival::Deferred => {}
        Arrival::Dead => step
            .notes
            .push("dead letter: the receiver has stopped".into()),
        Arrival::Refused => step
            .notes
            .push("refused, a dead letter: the mailbox is full".into()),
        Arrival::Replaced { event, .. } => step
            .notes
            .push(format!("{event} makes room for it, a dead letter")),
    }
}

/// The names of operations, as far as they are known at that point.
#[derive(Default)]
struct Names {
    /// Everyone but the test body, which is nobody's creation.
    known: Vec<(u32, Created)>,
    /// How many actors of each type there are.
    counts: Vec<u32>,
}

impl Names {
    fn add(&mut self, who: u32, what: &Created) {
        if let Created::Actor { type_number, .. } = what {
            let of_type = *type_number as usize;
            if self.counts.len() <= of_type {
                self.counts.resize(of_type + 1, 0);
            }
            self.counts[of_type] += 1;
        }
        self.known.push((who, what.clone()));
    }

    fn of(&self, who: u32) -> String {
        // Numbers are given in the order of creation.
        let found = self.known.binary_search_by_key(&who, |(number, _)| *number);
        let Ok(found) = found else {
            return match who {
                0 => "test".into(),
                _ => format!("#{who}"),
            };
        };
        match &self.known[found].1 {
            Created::Future { owner } => format!("{}'s future", self.of(*owner)),
            Created::Actor {
                name: Some(name), ..
            } => name.clone(),
            Created::Actor {
                of_type,
                type_number,
                ordinal,
                ..
            } => match self.counts[*type_number as usize] {
                1 => (*of_type).to_owned(),
                _ => format!("{of_type}#{ordinal}"),
            },
        }
    }
}
