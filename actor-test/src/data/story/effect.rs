//! The effects of a step: sends, replies, timers, disk calls and faults.

use serde::{Deserialize, Serialize};

use super::{Text, is_false};

/// An effect of a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "effect")]
#[non_exhaustive]
pub enum Effect {
    /// A message has reached an inbox, or has not.
    Sent {
        /// The message.
        message: u32,
        /// The fate of the message.
        arrival: MessageFate,
        /// The message that was dropped to free capacity for this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaced: Option<u32>,
    },
    /// A fault between nodes, or its repair.
    Fault {
        /// `crash`, `restart`, `restart_without_disk`, `pause`, `resume`, `cut`, `heal`, `break`, `half_open`,
        /// `notice`, `hold`, `release`, `fill`, `drain`, `drop`, `duplicate`, `delay`, `set_ahead`, `set_back` or
        /// `spare`.
        fault: Text,
        /// The node concerned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<Text>,
        /// The links concerned, each from one node to another.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        links: Vec<(Text, Text)>,
        /// The size of a clock jump, in nanoseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by_ns: Option<u64>,
    },
    /// The clock of a node is wrong from the start.
    Clock {
        /// The node.
        node: Text,
        /// The offset by which the clock is ahead, in nanoseconds.
        ahead_ns: u64,
        /// The nanoseconds that the clock gains in a second.
        drift_ppb: i64,
    },
    /// Time has passed since the previous read of a clock, though no timer has fired.
    Passed {
        /// The time passed, in nanoseconds.
        by_ns: u64,
    },
    /// A message or a reply on a link was lost.
    LostOnLink {
        /// The message; none for a reply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<u32>,
    },
    /// A reply has come over a link.
    ReplyArrived {
        /// The operation that gets the reply.
        to: u32,
    },
    /// An operation was created; its first step follows later.
    Spawned {
        /// The operation.
        who: u32,
    },
    /// The registry of names was used.
    NameUsed {
        /// The use.
        how: NameUsed,
        /// The name, as it was given.
        name: Text,
        /// The actor that has the name, or had it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        holder: Option<u32>,
        /// The reason of a failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Text>,
    },
    /// The reply of an `ask`, or the notice that there is none, has reached the asker.
    Replied {
        /// The operation that asked.
        to: u32,
        /// The question; none if the operation awaited an actor's end, and the reply is its stop reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<u32>,
        /// The reply, as its `Debug` prints it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<Text>,
        /// The reason why there is no reply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lost: Option<Text>,
    },
    /// A sender has asked for capacity in a bounded mailbox.
    AskedForRoom {
        /// The owner of the mailbox.
        of: u32,
        /// The answer.
        answer: CapacityReply,
    },
    /// A call to the disk was carried out.
    Disk {
        /// The call.
        #[serde(flatten)]
        action: DiskAction,
        /// The reason for a failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Text>,
    },
    /// The power of a disk has failed; the lost actions follow as [`Lost`](Self::Lost).
    PowerFailed,
    /// A power failure has lost an action that was not synced.
    Lost {
        /// The lost action.
        #[serde(flatten)]
        action: DiskAction,
        /// The number of lost parts and the number of all parts, if the loss is partial.
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
        /// The purpose of the choice.
        asked: ChoicePurpose,
        /// The number of possible answers, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<u64>,
        /// The answer, from zero.
        answer: u32,
    },
    /// A fault: a call to the environment fails.
    CallFailed {
        /// The call.
        call: Text,
        /// True if the call is made all the same, and its result is lost.
        #[serde(default, skip_serializing_if = "is_false")]
        is_made: bool,
    },
    /// A fault: a bounded mailbox refuses a message despite its capacity.
    #[serde(rename = "crowded")]
    MailboxRefuses {
        /// The owner of the mailbox.
        of: u32,
    },
    /// A fault: a wait ends spuriously.
    WokenSpuriously,
    /// A shared object was accessed.
    Accessed {
        /// The action: `locks`. That of an atomic has its values and ordering: `stores 2 (was 1), Relaxed, into`.
        what: Text,
        /// The kind of object, and the place that made it: `Mutex of src/lib.rs:4:7`. Several of one kind and
        /// place have numbers in the order in which the execution came to them: `Mutex#2 of src/lib.rs:4:7`.
        object: Text,
        /// The place of the access in the program.
        place: Text,
    },
    /// The actor has taken an event that its handler awaited (`receive`).
    Received {
        /// The message.
        message: u32,
    },
    /// An access to a shared object has woken operations that wait.
    Woke {
        /// The operations; none if a notification has met no waiter.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        whom: Vec<u32>,
    },
    /// A task or a thread has ended.
    Over,
    /// The code awaits something.
    Awaits,
    /// A timer was armed.
    Armed {
        /// The timer.
        timer: u32,
    },
    /// A timer was cancelled.
    Cancelled {
        /// The timer.
        timer: u32,
    },
    /// The actor re-entered its current state: the exit and entry hooks ran.
    Reentered,
    /// The program logged something.
    Logged {
        /// `ERROR`, `WARN`, `INFO`, `DEBUG` or `TRACE`.
        level: Text,
        /// The source of the log entry: a module, most often.
        target: Text,
        /// The text of the log entry, fields included.
        text: Text,
    },
    /// An actor has failed, and its supervisor is to act.
    Failed {
        /// The actor.
        who: u32,
        /// True for a panic, false for a broken rule.
        panicked: bool,
        /// The reason for the failure.
        message: Text,
    },
    /// An actor was ordered to stop, in order or at once.
    Stopped {
        /// The actor.
        who: u32,
        /// True if the stop comes ahead of the actor's inbox.
        at_once: bool,
    },
    /// An actor is to share the failure of the actor that takes the step.
    Linked {
        /// The actor.
        who: u32,
    },
    /// The value of a failed actor was dropped.
    Fell {
        /// The actor.
        who: u32,
    },
    /// A failed actor was restarted with a new value.
    Revived {
        /// The actor.
        who: u32,
    },
    /// A child has used up the restarts of its supervisor.
    GivenUp {
        /// The child.
        who: u32,
        /// The limit of restarts, in words.
        limit: Text,
    },
    /// An actor has ended.
    Halted {
        /// The actor.
        who: u32,
        /// The reason: `Halted`, `Stopped`, `Failed` …
        reason: Text,
        /// The number of events left in the inbox, which all become dead letters.
        unread: u64,
    },
    /// The step did not finish: it does not return, or ends the process.
    Ended {
        /// The way in which it ended, in words.
        how: Text,
    },
}

/// A use of the registry of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NameUsed {
    /// An actor is registered.
    Registers,
    /// A name is removed.
    Unregisters,
    /// A name is looked up.
    LooksUp,
}

/// The fate of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageFate {
    /// The message is in the inbox.
    Arrived,
    /// The message is in the inbox, and the receiver's state defers it.
    Deferred,
    /// The message is on its way to another node.
    Leaves,
    /// The message was sent to another node, and is lost.
    Lost,
    /// A dead letter: the receiver has stopped.
    Dead,
    /// A dead letter: nobody has the name that the message was sent to.
    Unclaimed,
    /// A dead letter: the mailbox is full.
    Refused,
    /// A dead letter: the link to the receiver's node is full.
    LinkFull,
    /// The message is in the inbox, and the mailbox dropped its oldest event.
    Replaced,
}

/// The answer to a request for mailbox capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CapacityReply {
    /// The capacity was granted.
    Granted,
    /// The mailbox is full.
    Full,
    /// The receiver has stopped.
    Closed,
    /// The sender waits in the queue for capacity.
    Waits,
    /// The link to the receiver's node is full.
    LinkFull,
    /// The sender waits for room on the link to the receiver's node.
    WaitsForLink,
}

/// An action on a disk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiskAction {
    /// The kind of call.
    pub call: DiskCall,
    /// The file or directory.
    pub path: Text,
    /// The new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Text>,
    /// The offset in the file; for a write without one, the end of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// The number of bytes; for a length, that length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// The kind of a disk call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DiskCall {
    /// A file was opened.
    Open,
    /// A file was created.
    Create,
    /// A file was read.
    Read,
    /// A file was written.
    Write,
    /// A file was truncated or extended.
    SetLen,
    /// The length of a file was queried.
    Len,
    /// A file was synced.
    Sync,
    /// The names in a directory were synced.
    SyncDir,
    /// A file or directory was renamed.
    Rename,
    /// A file was removed.
    RemoveFile,
    /// A directory was created.
    CreateDir,
    /// A directory was removed.
    RemoveDir,
    /// A directory was listed.
    ReadDir,
    /// The program waited for earlier calls that no code awaited any more.
    Settle,
}

/// The purpose of a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChoicePurpose {
    /// `cx.choose(n)`.
    Choose,
    /// `cx.choose_bool()`.
    Bool,
    /// The seed of `cx.rng()`.
    Rng,
    /// The jitter of a supervisor's back-off.
    Jitter,
    /// The unsynced parts that a power failure loses, as bits.
    Loss,
    /// The message of a link that is delivered next.
    Delivery,
    /// The waiter that is woken.
    Woken,
    /// The offset of a node's clock at the start.
    Offset,
    /// The drift of a node's clock.
    Drift,
    /// The order of two timestamps that are too close to compare.
    Comparison,
    /// The time that has passed since the previous read of a clock, if any.
    Passing,
    /// The branch of a `select!` that is polled first.
    Branch,
    /// An unknown purpose: the step did not finish.
    Unknown,
}

impl DiskCall {
    /// Returns the verb of the call: `writes`, `syncs the directory`.
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
    /// Returns the node that the effect crashes or restarts.
    ///
    /// ```
    /// use actor_test::story::Effect;
    ///
    /// let crash = r#"{ "effect": "fault", "fault": "crash", "node": "n1" }"#;
    /// let crash: Effect = serde_json::from_str(crash)?;
    /// assert_eq!(crash.crashed_or_restarted(), Some("n1"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn crashed_or_restarted(&self) -> Option<&str> {
        match self {
            Self::Fault { fault, node, .. } => match &**fault {
                "crash" | "restart" | "restart_without_disk" => node.as_deref(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true if the environment failed.
    pub(crate) fn is_fault(&self) -> bool {
        matches!(
            self,
            Self::Fault { .. }
                | Self::Clock { .. }
                | Self::CallFailed { .. }
                | Self::MailboxRefuses { .. }
                | Self::WokenSpuriously
        )
    }

    /// Returns true for the operations that a step has woken, which its access implies.
    pub(crate) fn is_wake_up(&self) -> bool {
        matches!(self, Self::Woke { .. })
    }

    /// Returns true for a log entry of the program, which is no part of the execution's behaviour.
    pub(crate) fn is_logged(&self) -> bool {
        matches!(self, Self::Logged { .. })
    }
}
