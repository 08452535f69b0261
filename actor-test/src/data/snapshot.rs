//! A snapshot of an execution between two steps: operations, inboxes, timers and enabled steps.
//!
//! The engine takes a snapshot at the step where the debugger asked it to stop. Operations are numbered as
//! in the [story](crate::data::story), in the order of their creation.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::data::fields::Fields;
use crate::data::step::StepKind;
use crate::data::story::{DiskCall, MonitorKind, Purpose, Temperature};

/// A snapshot of an execution between two steps.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// The number of steps before the snapshot.
    pub step: u64,
    /// The number of decisions in these steps.
    pub decisions: usize,
    /// The virtual time.
    pub time_ns: u64,
    /// The test body, which is the first, the actors, and the futures that were piped to them.
    pub operations: Vec<OperationState>,
    /// The enabled steps, in the order in which a strategy gets them.
    pub enabled: Vec<EnabledStep>,
    /// The running timers.
    pub timers: Vec<RunningTimer>,
    /// The monitors, and then the predicates, each in the order of their registration.
    pub specifications: Vec<SpecificationState>,
}

/// The state of an operation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OperationState {
    /// The name of the operation.
    pub name: String,
    /// True for an actor, false for the test body and for futures.
    pub is_actor: bool,
    /// The stage in the operation's life cycle.
    pub stage: Stage,
    /// The state of the actor, if it has states.
    pub state: Option<String>,
    /// The value as its `Debug` prints it; `None` without a `Debug`, or while the value can't be read.
    pub value: Option<String>,
    /// The thing that a suspended handler awaits, as far as it is known.
    pub awaits: Option<String>,
    /// The unhandled events, in the order of arrival.
    pub inbox: Vec<QueuedEvent>,
    /// The effects that were not carried out yet, in order.
    pub outbox: Vec<Outgoing>,
}

/// The stage in the life cycle of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The creation waits in an outbox.
    Unborn,
    /// The first step is due.
    Starting,
    /// The operation is between two events.
    Idle,
    /// An async handler is suspended.
    Suspended,
    /// The operation waits for its children to end before it ends itself.
    Closing,
    /// The value is dropped, and the supervisor may restart the actor.
    Down,
    /// The operation has stopped.
    Gone,
}

/// An event in an inbox.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QueuedEvent {
    /// The printed event; `None` for an order to stop.
    pub event: Option<String>,
    /// The sender; `None` for a timer.
    pub from: Option<u32>,
    /// True if the receiver's state defers the event.
    pub deferred: bool,
}

/// An effect in an outbox, which is not carried out yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "does")]
pub enum Outgoing {
    /// Sends an event.
    Send {
        /// The receiver.
        to: u32,
        /// The printed event.
        event: String,
    },
    /// Asks for capacity in a mailbox.
    AskForRoom {
        /// The owner of the mailbox.
        of: u32,
    },
    /// Calls a disk.
    CallDisk {
        /// The kind of call.
        call: DiskCall,
    },
    /// Fails the power of a disk.
    FailPower,
    /// Spawns an actor or a future.
    Spawn {
        /// The spawned operation.
        who: u32,
    },
    /// Replies to a question, or reports the loss of the question.
    Reply {
        /// The asker.
        to: u32,
        /// True if there is no reply.
        lost: bool,
    },
    /// Notifies a watcher of the actor's end.
    Notify {
        /// The watcher.
        to: u32,
    },
    /// Ends the operation.
    Halt,
    /// Stops another actor.
    Stop {
        /// The actor to stop.
        to: u32,
        /// True if the stop comes ahead of the actor's inbox.
        at_once: bool,
    },
    /// Decides about a child that has failed.
    Decide {
        /// The child.
        who: u32,
    },
    /// Shares the failure with another actor.
    Share {
        /// The other actor.
        to: u32,
    },
    /// Has no visible effect: an announcement, or a timer that is armed or cancelled.
    Silent,
}

/// An enabled step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EnabledStep {
    /// The operation that would take the step; for a timer, the timer's owner.
    pub who: u32,
    /// The kind of step.
    pub kind: StepKind,
    /// The event that the step handles or fires, printed.
    pub event: Option<String>,
    /// The sender of that event.
    pub from: Option<u32>,
    /// The effect that leaves the outbox.
    pub outgoing: Option<Outgoing>,
}

/// A running timer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunningTimer {
    /// The owner of the timer.
    pub owner: u32,
    /// The purpose of the timer.
    pub purpose: Purpose,
    /// The event that the timer fires, printed.
    pub event: Option<String>,
    /// The virtual time at which the timer is due.
    pub due_ns: u64,
    /// True if the timer fires periodically.
    pub periodic: bool,
}

/// The state and temperature of a monitor or a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpecificationState {
    /// The type of a monitor, or the name of a predicate.
    pub name: String,
    /// The kind of specification.
    pub kind: MonitorKind,
    /// The state of a monitor; `true` or `false` for a predicate.
    pub state: String,
    /// The temperature of that state.
    pub temperature: Temperature,
    /// The number of counted steps for which the obligation has been pending.
    pub heat: u64,
    /// The step at which the specification became hot after it was last cold.
    pub pending_since: Option<u64>,
}

/// A fact of a snapshot, with its subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The name of the operation, monitor or predicate.
    pub of: String,
    /// A field of the value, or an aspect in parentheses such as the state or the inbox.
    pub what: String,
    /// The value, printed.
    pub value: String,
}

/// A fact that differs between two snapshots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactDifference {
    /// The subject, as in a [`Fact`].
    pub of: String,
    /// The field or aspect, as in a [`Fact`].
    pub what: String,
    /// The value in the first snapshot.
    pub before: Option<String>,
    /// The value in the second snapshot.
    pub after: Option<String>,
}

impl OperationState {
    /// Returns the fields of the value, by their names: `left`, `log[3].term`.
    pub fn fields(&self) -> Vec<(String, String)> {
        let fields = self.value.as_deref().map(Fields::of).unwrap_or_default();
        let fields = fields.list().into_iter();
        fields.map(|field| (field.field, field.value)).collect()
    }
}

impl Snapshot {
    /// Returns all facts, in the order of the operations.
    pub fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let name = |who: u32| {
            let found = self.operations.get(who as usize);
            found.map_or_else(String::new, |found| found.name.clone())
        };
        for (number, standing) in (0..).zip(&self.operations) {
            let mut add = |what: &str, value: String| {
                facts.push(Fact {
                    of: standing.name.clone(),
                    what: what.into(),
                    value,
                });
            };
            add("(stage)", format!("{:?}", standing.stage).to_lowercase());
            if let Some(state) = &standing.state {
                add("(state)", state.clone());
            }
            for (field, value) in standing.fields() {
                add(&field, value);
            }
            if let Some(awaits) = &standing.awaits {
                add("(awaits)", awaits.clone());
            }
            let event =
                |waiting: &QueuedEvent| waiting.event.clone().unwrap_or_else(|| "stop".into());
            add("(inbox)", listed(standing.inbox.iter().map(event)));
            add(
                "(outbox)",
                listed(standing.outbox.iter().map(|does| match does {
                    Outgoing::Send { to, event } => format!("{event} to {}", name(*to)),
                    Outgoing::Spawn { who } => format!("spawn of {}", name(*who)),
                    Outgoing::Reply { to, .. } => format!("reply to {}", name(*to)),
                    Outgoing::AskForRoom { of } => format!("question for room in {}", name(*of)),
                    Outgoing::CallDisk { call } => format!("{} on the disk", call.verb()),
                    Outgoing::Decide { who } => format!("decision about {}", name(*who)),
                    Outgoing::FailPower => "power failure".into(),
                    Outgoing::Notify { to } => format!("word of its end to {}", name(*to)),
                    Outgoing::Stop { to, .. } => format!("stop of {}", name(*to)),
                    Outgoing::Share { to } => format!("failure to {}", name(*to)),
                    Outgoing::Halt => "halt".into(),
                    Outgoing::Silent => "what nobody sees".into(),
                })),
            );
            let own = self.timers.iter().filter(|timer| timer.owner == number);
            let timer = |timer: &RunningTimer| {
                let what = timer
                    .event
                    .clone()
                    .unwrap_or_else(|| format!("{:?}", timer.purpose));
                format!(
                    "{what} at {:?}",
                    std::time::Duration::from_nanos(timer.due_ns)
                )
            };
            add("(timers)", listed(own.map(timer)));
        }
        for heat in &self.specifications {
            facts.push(Fact {
                of: heat.name.clone(),
                what: "(state)".into(),
                value: format!("{} ({})", heat.state, heat.temperature.word()),
            });
        }
        facts
    }

    /// Returns the facts that differ in `after`, grouped by subject.
    pub fn differences(&self, after: &Self) -> Vec<FactDifference> {
        let (before, after) = (self.facts(), after.facts());
        let (was, is) = (by_name(&before), by_name(&after));
        let mut seen = BTreeSet::new();
        let mut differences = Vec::new();
        for fact in after.iter().chain(&before) {
            let key = (&*fact.of, &*fact.what);
            let (before, after) = (was.get(&key).copied(), is.get(&key).copied());
            if seen.insert(key) && before != after {
                differences.push(FactDifference {
                    of: fact.of.clone(),
                    what: fact.what.clone(),
                    before: before.map(str::to_owned),
                    after: after.map(str::to_owned),
                });
            }
        }
        let mut order: Vec<&str> = after.iter().chain(&before).map(|fact| &*fact.of).collect();
        let mut known = BTreeSet::new();
        order.retain(|of| known.insert(*of));
        differences.sort_by_key(|difference| order.iter().position(|of| *of == difference.of));
        differences
    }
}

fn by_name(facts: &[Fact]) -> BTreeMap<(&str, &str), &str> {
    let pairs = facts
        .iter()
        .map(|fact| ((&*fact.of, &*fact.what), &*fact.value));
    pairs.collect()
}

fn listed(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    values.join(", ")
}
