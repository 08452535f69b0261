//! An execution between two of its steps: who is where, what waits, and what could run next.
//!
//! A story tells what happened; this is what is. The engine takes it where it was asked to stop, for a
//! debugger. Operations are numbered as in the [story](crate::data::story), in the order of their
//! creation.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::data::fields::Fields;
use crate::data::records::StepKind;
use crate::data::story::{DiskCall, MonitorKind, Purpose, Temperature};

/// An execution between two steps.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// After how many steps.
    pub step: u64,
    /// How many decisions were made in them.
    pub decisions: usize,
    /// The virtual time.
    pub time_ns: u64,
    /// The test body, which is the first, the actors, and the futures that were piped to them.
    pub operations: Vec<Standing>,
    /// What could run next, in the order in which a strategy sees it.
    pub enabled: Vec<Could>,
    /// The timers that run.
    pub timers: Vec<Running>,
    /// Monitors, and then predicates, each in the order of their registration.
    pub specifications: Vec<Heat>,
}

/// How an operation stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// It is an actor, and neither the test body nor a future.
    pub is_actor: bool,
    /// How far it has come.
    pub stage: Stage,
    /// Its state, if it has states.
    pub state: Option<String>,
    /// Its value, as its `Debug` prints it; `None` where it has none, or is not to be seen.
    pub value: Option<String>,
    /// What a suspended handler waits for, as far as it is known.
    pub awaits: Option<String>,
    /// What it has not handled yet, in the order of arrival.
    pub inbox: Vec<Waiting>,
    /// What it has done and nobody has seen yet, in order.
    pub outbox: Vec<Outgoing>,
}

/// How far an operation has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Its creation waits in an outbox.
    Unborn,
    /// Its first step is due.
    Starting,
    /// Between two events.
    Idle,
    /// An async handler waits.
    Suspended,
    /// It waits until its children have ended, to end itself.
    Closing,
    /// Its value is dropped, and its supervisor may bring it back.
    Down,
    /// It has stopped.
    Gone,
}

/// An event in an inbox.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Waiting {
    /// The event, printed; `None` for an order to stop.
    pub event: Option<String>,
    /// Who sent it; `None` for a timer.
    pub from: Option<u32>,
    /// The state of its receiver puts it off.
    pub deferred: bool,
}

/// What an operation has put into its outbox.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "does")]
pub enum Outgoing {
    /// It sends an event.
    Send {
        /// To whom.
        to: u32,
        /// The event, printed.
        event: String,
    },
    /// It asks for room in a mailbox.
    AskForRoom {
        /// Whose.
        of: u32,
    },
    /// It calls a disk.
    CallDisk {
        /// What for.
        call: DiskCall,
    },
    /// The power of a disk fails.
    FailPower,
    /// It starts an actor or a future.
    Spawn {
        /// Which.
        who: u32,
    },
    /// It replies to a question, or the question is lost.
    Reply {
        /// To whom.
        to: u32,
        /// There is no reply.
        lost: bool,
    },
    /// It tells a watcher of its end.
    Notify {
        /// Whom.
        to: u32,
    },
    /// It ends.
    Halt,
    /// It stops another.
    Stop {
        /// Whom.
        to: u32,
        /// Ahead of what is in its inbox.
        at_once: bool,
    },
    /// It says what becomes of a child that has failed.
    Decide {
        /// Of which.
        who: u32,
    },
    /// It shares its failure with another.
    Share {
        /// With whom.
        to: u32,
    },
    /// Something that nobody sees: an announcement, or a timer that is armed or cancelled.
    Silent,
}

/// What could run next.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Could {
    /// Who; for a timer, whose timer it is.
    pub who: u32,
    /// What kind of step.
    pub kind: StepKind,
    /// What it handles or fires, printed.
    pub event: Option<String>,
    /// Who sent that.
    pub from: Option<u32>,
    /// What leaves its outbox.
    pub outgoing: Option<Outgoing>,
}

/// A timer that runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Running {
    /// Whose.
    pub owner: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// What it fires, printed.
    pub event: Option<String>,
    /// When it is due.
    pub due_ns: u64,
    /// It fires again and again.
    pub periodic: bool,
}

/// A monitor or a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Heat {
    /// A monitor's type, a predicate's name.
    pub name: String,
    /// What it is.
    pub kind: MonitorKind,
    /// A monitor's state; of a predicate `true` or `false`.
    pub state: String,
    /// Of that state.
    pub temperature: Temperature,
    /// For how many steps that count it has been owed.
    pub heat: u64,
    /// The step at which it became hot after it was last cold.
    pub owed_since: Option<u64>,
}

/// Something that is so in a snapshot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Of an operation, or of a monitor or predicate, by its name.
    pub of: String,
    /// A field of its value; or what stands in parentheses: its state, its inbox.
    pub what: String,
    /// What it is.
    pub value: String,
}

/// What is so in one snapshot and not in another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// As in a [`Fact`].
    pub of: String,
    /// As in a [`Fact`].
    pub what: String,
    /// What it is in the one.
    pub before: Option<String>,
    /// What it is in the other.
    pub after: Option<String>,
}

impl Standing {
    /// The fields of its value, by their names: `left`, `log[3].term`.
    pub fn fields(&self) -> Vec<(String, String)> {
        let fields = self.value.as_deref().map(Fields::of).unwrap_or_default();
        let fields = fields.list().into_iter();
        fields.map(|field| (field.field, field.value)).collect()
    }
}

impl Snapshot {
    /// All that is known, in the order of the operations.
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
            let event = |waiting: &Waiting| waiting.event.clone().unwrap_or_else(|| "stop".into());
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
            let timer = |timer: &Running| {
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

    /// What is so after, and was not before: grouped by whom it is of.
    pub fn differences(&self, after: &Self) -> Vec<Difference> {
        let (before, after) = (self.facts(), after.facts());
        let (was, is) = (by_name(&before), by_name(&after));
        let mut seen = BTreeSet::new();
        let mut differences = Vec::new();
        for fact in after.iter().chain(&before) {
            let key = (&*fact.of, &*fact.what);
            let (before, after) = (was.get(&key).copied(), is.get(&key).copied());
            if seen.insert(key) && before != after {
                differences.push(Difference {
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
