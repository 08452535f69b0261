//! What else happened in a step, beside the step itself.

use serde::{Deserialize, Serialize};

use super::{Text, is_false};

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
    /// Time has passed since a clock was read before, though no timer has fired.
    Passed {
        /// How much, in nanoseconds.
        by_ns: u64,
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
    /// A fault: a wait ends that nobody has ended.
    WokenSpuriously,
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
    /// It is a dead letter: its receiver, a [proxy](actor_core::Proxy), finds nobody to hand it on to.
    Unclaimed,
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
    /// Whether time has passed since a clock was read before, and how much.
    Passing,
    /// Which branch of a `select!` is polled first.
    Branch,
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

impl Effect {
    /// The program logged something, which is no part of the execution.
    pub(crate) fn is_logged(&self) -> bool {
        matches!(self, Self::Logged { .. })
    }
}
