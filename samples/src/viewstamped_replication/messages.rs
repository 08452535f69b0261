//! The messages between replicas and clients, and the announcements for monitors.

use std::collections::BTreeMap;

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

/// The number of a view, from zero. The primary of a view is the
/// replica whose number equals the view modulo the size of the group.
pub type View = u32;

/// A position in the log, from one; zero means before the first.
pub type OpNumber = usize;

/// An incarnation of a replica.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Member {
    /// The number of the replica, from zero.
    pub number: u32,
    /// The number of the incarnation: the number of starts so far, this one included.
    pub life: u32,
}

/// The latest known incarnation of each replica.
pub type Lives = BTreeMap<u32, u32>;

/// An operation on the account.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Operation {
    /// Deposits this amount.
    Deposit(u64),
    /// Returns the balance.
    Balance,
}

/// A log entry: an operation of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Command {
    /// The number of the client.
    pub client: u32,
    /// The request number of the client, from one.
    pub number: u32,
    /// The operation.
    pub operation: Operation,
}

/// A client's request to execute a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The command.
    pub command: Command,
    /// The client, which gets the answer.
    pub client: Recipient<Answer>,
}

/// A command is executed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The view of the primary that answers.
    pub view: View,
    /// The client's request number.
    pub number: u32,
    /// The balance afterwards.
    pub balance: u64,
}

/// From the primary: a command for a position of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepare {
    /// The view.
    pub view: View,
    /// The position.
    pub op_number: OpNumber,
    /// The command.
    pub command: Command,
    /// The position up to which commands are committed.
    pub commit_number: OpNumber,
}

/// From a backup: its log has all commands up to this position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PrepareOk {
    /// The backup.
    pub from: Member,
    /// The view.
    pub view: View,
    /// The position.
    pub op_number: OpNumber,
}

/// From the primary: the commands up to this position are committed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Commit {
    /// The view.
    pub view: View,
    /// The position.
    pub commit_number: OpNumber,
}

/// A replica votes for a change to a view.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartViewChange {
    /// The replica.
    pub from: Member,
    /// The view.
    pub view: View,
}

/// A replica sends its state to the primary of the next view.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DoViewChange {
    /// The replica.
    pub from: Member,
    /// The latest incarnations that the replica knows.
    pub lives: Lives,
    /// The view.
    pub view: View,
    /// The last view in which the replica's status was normal.
    pub normal_view: View,
    /// The replica's log.
    pub log: Vec<Command>,
    /// The position up to which the replica knows commands to be committed.
    pub commit_number: OpNumber,
}

/// From the new primary: a view begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartView {
    /// The view.
    pub view: View,
    /// The log.
    pub log: Vec<Command>,
    /// The position up to which commands are committed.
    pub commit_number: OpNumber,
}

/// Asks for the log entries that a replica lacks (state transfer).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GetState {
    /// The replica.
    pub from: Member,
    /// The view of which the replica has heard.
    pub view: View,
    /// The position up to which the replica has the log.
    pub after: OpNumber,
}

/// Answers [`GetState`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewState {
    /// The view.
    pub view: View,
    /// The position before the first of the commands.
    pub after: OpNumber,
    /// The log after that position.
    pub commands: Vec<Command>,
    /// The position up to which commands are committed.
    pub commit_number: OpNumber,
}

/// A replica has lost its state. The number of its incarnation is
/// the nonce, so that an earlier incarnation's answers do not count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recovery {
    /// The replica.
    pub from: Member,
}

/// Answers [`Recovery`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecoveryResponse {
    /// The nonce: the incarnation of the replica that asked.
    pub life: u32,
    /// The replica that answers.
    pub from: Member,
    /// The view.
    pub view: View,
    /// The log and the commit number, if the sender is the primary of the view.
    pub state: Option<(Vec<Command>, OpNumber)>,
}

/// A timer of replicas and clients: time has passed.
#[derive(Clone, Debug)]
pub struct Tick;

/// For monitors: a client sends a request.
#[derive(Debug)]
pub struct Asked(pub Command);

/// For monitors: a client has its answer.
#[derive(Debug)]
pub struct Answered {
    /// The client.
    pub client: u32,
    /// The client's request number.
    pub number: u32,
    /// The balance.
    pub balance: u64,
}

/// For monitors: a replica has executed a command.
#[derive(Debug)]
pub struct Executed {
    /// The replica's view.
    pub view: View,
    /// The position.
    pub op_number: OpNumber,
    /// The command.
    pub command: Command,
    /// The balance afterwards.
    pub balance: u64,
}

/// For monitors: a view has begun.
#[derive(Debug)]
pub struct ViewStarted {
    /// The view.
    pub view: View,
    /// The log with which the view begins.
    pub log: Vec<Command>,
}

/// For monitors: a replica has lost its state, or has recovered it.
#[derive(Debug)]
pub struct Recovering {
    /// The replica.
    pub from: Member,
    /// True if the recovery is over.
    pub is_over: bool,
}
