//! The story of an execution: who took part, what was sent, and what happened in each step.
//!
//! It is data, for words, pages and other tools. `cargo actor-test show TRACE --format json` prints it
//! as a document:
//!
//! ```json
//! {
//!   "format": "actor-test story",
//!   "version": 1,
//!   "actor_test": "0.1.0",
//!   "test": "bank::never_overdrawn",
//!   "strategy": "random",
//!   "seed": 0,
//!   "iteration": 3,
//!   "token": "random@1",
//!   "finding": { "kind": "invariant", "message": "always \"in credit\" is false", "location": null, "step": 4 },
//!   "bounds": { "unfair": 10000, "fair": 100000, "temperature": 50000 },
//!   "fair_from": 0,
//!   "operations": [
//!     { "name": "test", "kind": "test", "path": "0000000000000000" },
//!     { "name": "Account", "kind": "actor", "type": "Account", "path": "9c1f…", "creator": 0,
//!       "prints": true, "fields": [{ "field": "balance", "value": "5" }] }
//!   ],
//!   "monitors": [{ "name": "Settled", "kind": "monitor", "state": "Quiet", "temperature": "cold" }],
//!   "messages": [
//!     { "id": "83d0…", "event": "Withdraw(7)", "from": 0, "to": 1, "sent": 2, "handled": 4 }
//!   ],
//!   "timers": [],
//!   "steps": [
//!     { "number": 1, "time_ns": 0, "who": 0, "kind": "start" },
//!     { "number": 2, "time_ns": 0, "who": 0, "kind": "flush",
//!       "effects": [{ "effect": "sent", "message": 0, "arrival": "arrived" }],
//!       "monitors": [{ "monitor": 0, "before": "Quiet", "after": "Owing", "temperature": "hot" }] },
//!     { "number": 4, "time_ns": 0, "who": 1, "kind": "handle", "message": 0,
//!       "changes": [{ "field": "balance", "before": "5", "after": "-2" }] }
//!   ]
//! }
//! ```
//!
//! `who`, `from`, `to`, `owner` and `creator` are positions in `operations`; `message`, `cause` and
//! `asked` in `messages`; `timer` in `timers`; `monitor` in `monitors`. `sent`, `handled`, `armed`,
//! `ended` and `step` are numbers of steps, which count from one. What is not there is not known, or
//! there is nothing of it. A newer version may add fields; whoever reads the document skips what it
//! does not know. Where a field changes its meaning, `version` is raised.
//!
//! # What is known of an actor
//!
//! The [`changes`](Step::changes) of a step are the difference between what its actor's `Debug` printed
//! before and after, field by field: `balance`, `log[3].term`, `peers{"n1"}`. Applied in order to the
//! [`fields`](Operation::fields) with which the actor began, and without those whose `after` is missing,
//! they give its fields after any step. A field with a short value is one, whatever it is made of; one
//! with a longer value is told by its parts. What a suspended handler has changed is known when it ends.

mod building;
mod cone;
mod selection;
mod text;

use serde::{Deserialize, Serialize};

use crate::data::records::StepKind;

pub(crate) use cone::Causes;
pub use selection::Selection;
pub(crate) use selection::name_of;
pub use text::Text;
pub(crate) use text::{Packed, Unpacking, packed};

/// The story of a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Story {
    /// The test body, which is the first, the actors, and the futures that were piped to them.
    #[serde(default)]
    pub operations: Vec<Operation>,
    /// Monitors, and predicates.
    #[serde(default)]
    pub monitors: Vec<Monitor>,
    /// All events that were sent, or fired by timers.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// All timers that were armed.
    #[serde(default)]
    pub timers: Vec<Timer>,
    /// The steps that were left out, where there were too many to be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// The actors that a failed predicate looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looked_at: Vec<Seen>,
    /// The step from which on the bug can't be avoided any more, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical: Option<u64>,
    /// What happened, in order.
    pub steps: Vec<Step>,
}

/// Who takes steps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Operation {
    /// `Client#2`, or what it was named; `test` for the test body.
    pub name: Text,
    /// What it is.
    pub kind: OperationKind,
    /// Names it whatever the schedule: a hash of who created it, and of how many that one had created
    /// before; 16 hexadecimal digits.
    pub path: Text,
    /// An actor's type.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub of_type: Option<Text>,
    /// Who created it; for a future, to whom it is piped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<u32>,
    /// Whether its type has a `Debug`, so that its fields and their changes are known.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prints: bool,
    /// Its fields before its first step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
}

/// A field of an actor.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// Which: `balance`, `log[3].term`, `peers{"n1"}`; nothing for a value without fields.
    pub field: Text,
    /// What it is.
    pub value: Text,
}

/// What an operation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OperationKind {
    /// The test body.
    Test,
    /// An actor.
    Actor,
    /// A future that was piped to an actor.
    Future,
    /// The boot code of a node.
    Boot,
    /// The way from one node to another.
    Link,
    /// A task.
    Task,
    /// A thread.
    Thread,
}

/// A monitor or a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Monitor {
    /// A monitor's type, a predicate's name.
    pub name: Text,
    /// What it is.
    pub kind: MonitorKind,
    /// A monitor's first state; of a predicate `false`, where it was never true.
    pub state: Text,
    /// Of that state.
    pub temperature: Temperature,
}

/// What a monitor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MonitorKind {
    /// An automaton that observes events.
    Monitor,
    /// A predicate that is to be true always.
    Always,
    /// A predicate that is to be true once at least.
    Eventually,
    /// A predicate that is to be true again and again.
    AlwaysEventually,
    /// A predicate that may be true.
    Sometimes,
}

/// Whether something is owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Temperature {
    /// It is owed.
    Hot,
    /// It may be.
    Warm,
    /// Nothing is.
    Cold,
}

impl From<actor_core::Temperature> for Temperature {
    fn from(temperature: actor_core::Temperature) -> Self {
        match temperature {
            actor_core::Temperature::Hot => Self::Hot,
            actor_core::Temperature::Cold => Self::Cold,
            actor_core::Temperature::Warm => Self::Warm,
        }
    }
}

impl Temperature {
    /// `hot`, `warm` or `cold`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Warm => "warm",
            Self::Cold => "cold",
        }
    }
}

/// An event on its way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// Names it whatever the schedule: a hash of its sender's path, and of how many that one had sent
    /// before; 16 hexadecimal digits.
    pub id: Text,
    /// The event, as its `Debug` prints it.
    pub event: Text,
    /// Who sent it; who ended, where it is word of that; nobody, where a timer fired it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// It is word of the end of `from`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_notice: bool,
    /// To whom.
    pub to: u32,
    /// The step in which it was carried to its receiver's inbox, or fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// The step in which it came over the link to its receiver's node; none within a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<u64>,
    /// The step in which it was handled, or ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handled: Option<u64>,
    /// What its sender handled when it sent this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<u32>,
}

/// A timer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Timer {
    /// Whose.
    pub owner: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// The event that it fires, as its `Debug` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Text>,
    /// After how long it fires.
    pub delay_ns: u64,
    /// It fires again and again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub periodic: bool,
    /// The step in which it was armed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub armed: Option<u64>,
    /// The step in which it fired for the last time, or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<u64>,
}

/// What a timer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// It fires an event: `cx.after`, `cx.every`.
    Event,
    /// It fires an event, unless the actor leaves its state before: `cx.state_timeout`.
    State,
    /// It fires an event, unless the actor handles another before: `cx.event_timeout`.
    NextEvent,
    /// It ends a sleep.
    Sleep,
    /// It ends the wait for a reply.
    Reply,
    /// It ends the wait before a supervisor brings a child back.
    Restart,
    /// It ends an actor that has not stopped by then.
    Kill,
    /// Not known: it was armed before what is told.
    Unknown,
}

/// Steps that are not told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LeftOut {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

/// An actor that a failed predicate looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Seen {
    /// Who.
    pub who: u32,
    /// Its state, if it has states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Text>,
    /// Its value, as its `Debug` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Text>,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// Its number, from one.
    pub number: u64,
    /// The virtual time.
    pub time_ns: u64,
    /// Who took it; for a timer, whose timer it is.
    pub who: u32,
    /// What kind of step.
    pub kind: StepKind,
    /// The actor's state before, if it has states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_before: Option<Text>,
    /// The actor's state after, if its code ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_after: Option<Text>,
    /// What was handled, or ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u32>,
    /// The message was ignored.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ignored: bool,
    /// What fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer: Option<u32>,
    /// What else happened, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// What became of the actor's fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What became of monitors and predicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub monitors: Vec<MonitorChange>,
}

/// A field of an actor that a step has changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Change {
    /// Which: `balance`, `log[3].term`, `peers{"n1"}`; nothing for the whole value.
    pub field: Text,
    /// Its value before; `None` where there was no such field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Text>,
    /// Its value after; `None` where there is no such field any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Text>,
}

/// A change of a monitor's state, or of a predicate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MonitorChange {
    /// Which.
    pub monitor: u32,
    /// Its state before; of a predicate `true` or `false`.
    pub before: Text,
    /// Its state after.
    pub after: Text,
    /// Of the state after.
    pub temperature: Temperature,
    /// For how many steps it had been owed that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat: Option<u64>,
}

/// Something that happened in a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "effect")]
#[non_exhaustive]
pub enum Effect {
    /// A message has reached an inbox, or has not.
    Sent {
        /// Which.
        message: u32,
        /// What became of it.
        arrival: Arrival,
        /// The message that had to go to make room for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaced: Option<u32>,
    },
    /// Something went wrong between nodes, or was set right.
    Fault {
        /// `crash`, `restart`, `restart_without_disk`, `cut`, `heal`, `break`, `hold`, `release`, `drop`,
        /// `duplicate`, `delay`, `set_ahead`, `set_back` or `spare`.
        fault: Text,
        /// The node concerned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<Text>,
        /// The links concerned, each from one node to another.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        links: Vec<(Text, Text)>,
        /// By how much a clock jumps, in nanoseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by_ns: Option<u64>,
    },
    /// The clock of a node is not right from the start.
    Clock {
        /// The node.
        node: Text,
        /// How far it is ahead, in nanoseconds.
        ahead_ns: u64,
        /// How much it gains in a second, in nanoseconds.
        drift_ppb: i64,
    },
    /// What was on a link is lost.
    LostOnLink {
        /// Which message; none for a reply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<u32>,
    },
    /// A reply has come over a link.
    ReplyArrived {
        /// To whom.
        to: u32,
    },
    /// An operation was created, and takes its first step later.
    Spawned {
        /// Who.
        who: u32,
    },
    /// The reply of an `ask` has reached who asked, or word that there is none.
    Replied {
        /// Who asked.
        to: u32,
        /// The question; none where someone awaited the end of the actor, and the reply is why it ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<u32>,
        /// The reply, as its `Debug` prints it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<Text>,
        /// Why there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lost: Option<Text>,
    },
    /// A sender has asked for room in a bounded mailbox.
    AskedForRoom {
        /// Whose mailbox.
        of: u32,
        /// The answer.
        answer: Room,
    },
    /// A call to the disk was carried out.
    Disk {
        /// Which.
        #[serde(flatten)]
        action: DiskAction,
        /// Why it has failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Text>,
    },
    /// The power of a disk has failed. What is lost by it follows.
    PowerFailed,
    /// The power failure has taken what was not synced.
    Lost {
        /// What was done.
        #[serde(flatten)]
        action: DiskAction,
        /// Where it was not lost as a whole: how many of its parts, and how many it has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parts: Option<(u32, u32)>,
    },
    /// An event was announced to monitors.
    Announced {
        /// The event, as its `Debug` prints it.
        event: Text,
    },
    /// A choice was asked for and answered.
    Chose {
        /// What for.
        asked: Asked,
        /// How many answers there were, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<u64>,
        /// The answer, from zero.
        answer: u32,
    },
    /// A fault: a call of the environment's fails.
    CallFailed {
        /// Which.
        call: Text,
        /// It is made all the same, and what it returns is lost.
        #[serde(default, skip_serializing_if = "is_false")]
        is_made: bool,
    },
    /// A fault: a bounded mailbox takes nothing, whatever room it has.
    Crowded {
        /// Whose mailbox.
        of: u32,
    },
    /// Something shared was accessed.
    Accessed {
        /// What was done.
        what: Text,
        /// With what: its kind, and where it was made.
        object: Text,
        /// Where in the program.
        place: Text,
    },
    /// A task or a thread has ended.
    Over,
    /// The code waits for something.
    Awaits,
    /// A timer was armed.
    Armed {
        /// Which.
        timer: u32,
    },
    /// A timer was cancelled.
    Cancelled {
        /// Which.
        timer: u32,
    },
    /// The actor went to the state in which it was: its exit and entry hooks ran.
    Reentered,
    /// The program logged something.
    Logged {
        /// `ERROR`, `WARN`, `INFO`, `DEBUG` or `TRACE`.
        level: Text,
        /// From where: a module, most often.
        target: Text,
        /// What it says, fields included.
        text: Text,
    },
    /// An actor has failed, and its supervisor is to act.
    Failed {
        /// Who.
        who: u32,
        /// It has panicked; else it broke a rule.
        panicked: bool,
        /// Why.
        message: Text,
    },
    /// An actor was told to stop, in order or at once.
    Stopped {
        /// Who.
        who: u32,
        /// Ahead of what is in its inbox.
        at_once: bool,
    },
    /// An actor is to share the failure of the one whose step it is.
    Linked {
        /// Who.
        who: u32,
    },
    /// A failed actor's value was dropped.
    Fell {
        /// Whose.
        who: u32,
    },
    /// A failed actor has a new value.
    Revived {
        /// Who.
        who: u32,
    },
    /// A child has ended more often than its supervisor brings it back.
    GivenUp {
        /// Who.
        who: u32,
        /// How often that is, in words.
        limit: Text,
    },
    /// An actor has ended.
    Halted {
        /// Who.
        who: u32,
        /// Why: `Halted`, `Stopped`, `Failed` …
        reason: Text,
        /// How many events were left in its inbox, all dead letters now.
        unread: u64,
    },
    /// The step was not finished: it does not return, or ends the process.
    Ended {
        /// How, in words.
        how: Text,
    },
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Arrival {
    /// It is in the inbox.
    Arrived,
    /// It is in the inbox, and the state of its receiver puts it off.
    Deferred,
    /// It is on its way to another node.
    Leaves,
    /// It was sent to another node, and is lost.
    Lost,
    /// It is a dead letter: its receiver has stopped.
    Dead,
    /// It is a dead letter: the mailbox is full.
    Refused,
    /// It is in the inbox, and the oldest event in there had to go.
    Replaced,
}

/// The answer to a question for room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Room {
    /// There is some.
    Granted,
    /// There is none.
    Full,
    /// The receiver has stopped.
    Closed,
    /// The sender waits in line.
    Waits,
}

/// What was done to a disk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiskAction {
    /// What kind of call.
    pub call: DiskCall,
    /// Which file or directory.
    pub path: Text,
    /// Its new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Text>,
    /// Where in the file; at its end, where a write says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// How many bytes; for a length, that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What kind of call to a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiskCall {
    /// A file was opened.
    Open,
    /// A file was created.
    Create,
    /// It was read from.
    Read,
    /// It was written to.
    Write,
    /// It was cut or extended.
    SetLen,
    /// Its length was looked up.
    Len,
    /// It was synced.
    Sync,
    /// The names in a directory were synced.
    SyncDir,
    /// A file or directory got another name.
    Rename,
    /// A file was removed.
    RemoveFile,
    /// A directory was created.
    CreateDir,
    /// A directory was removed.
    RemoveDir,
    /// A directory was listed.
    ReadDir,
    /// Calls that nobody waited for any more were waited for.
    Settle,
}

/// What a choice was for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Asked {
    /// `cx.choose(n)`.
    Choose,
    /// `cx.choose_bool()`.
    Bool,
    /// The seed of `cx.rng()`.
    Rng,
    /// By how much a supervisor's wait is longer or shorter.
    Jitter,
    /// Which parts of something a power failure takes, as bits.
    Loss,
    /// Which message of a link is delivered next.
    Delivery,
    /// Which of those that wait is woken.
    Woken,
    /// How far the clock of a node is ahead at the start.
    Offset,
    /// How fast it goes.
    Drift,
    /// How a comparison of two timestamps comes out that can't be told apart.
    Comparison,
    /// Not known: the step was not finished.
    Unknown,
}

impl DiskCall {
    /// What it does: `writes`, `syncs the directory`.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Open => "opens",
            Self::Create => "creates",
            Self::Read => "reads",
            Self::Write => "writes",
            Self::SetLen => "sets the length",
            Self::Len => "gets the length",
            Self::Sync => "syncs",
            Self::SyncDir => "syncs the directory",
            Self::Rename => "renames",
            Self::RemoveFile => "removes",
            Self::CreateDir => "creates the directory",
            Self::RemoveDir => "removes the directory",
            Self::ReadDir => "lists",
            Self::Settle => "waits for earlier calls",
        }
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Story {
    /// Nothing is told.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The name of an operation.
    pub fn name(&self, who: u32) -> &str {
        self.operations
            .get(who as usize)
            .map_or("?", |found| &found.name)
    }

    /// It is the framework's registry of names, of a node or of all.
    pub(crate) fn is_registry(&self, who: u32) -> bool {
        self.operations.get(who as usize).is_some_and(|found| {
            let name = found.name.rsplit('/').next();
            found.of_type.as_deref() == Some("Names") && name == Some("registry")
        })
    }

    /// The step of that number, where it is told.
    pub fn step(&self, number: u64) -> Option<&Step> {
        let found = self.steps.binary_search_by_key(&number, |step| step.number);
        self.steps.get(found.ok()?)
    }

    /// A message.
    pub fn message(&self, number: u32) -> Option<&Message> {
        self.messages.get(number as usize)
    }

    /// The event that a step handled, ignored or sent first, as its `Debug` prints it.
    pub fn event_of(&self, step: &Step) -> Option<&str> {
        let sent = || step.sent().next();
        let message = self.message(step.message.or_else(sent)?)?;
        Some(&message.event)
    }
}

impl Step {
    /// The messages that were carried to their receivers.
    pub fn sent(&self) -> impl Iterator<Item = u32> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Sent { message, .. } => Some(*message),
            _ => None,
        })
    }

    /// The answers to the choices.
    pub fn choices(&self) -> impl Iterator<Item = u32> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Chose { answer, .. } => Some(*answer),
            _ => None,
        })
    }
}

impl Effect {
    /// The program logged something, which is no part of the execution.
    pub(crate) fn is_logged(&self) -> bool {
        matches!(self, Self::Logged { .. })
    }
}
