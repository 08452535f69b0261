//! What replicas and clients send, and what they announce to monitors.

use std::collections::BTreeMap;

use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

/// The number of a view, from zero. Its primary is the replica whose number is the view's, modulo the
/// size of the group.
pub type View = u32;

/// A position in the log, from one; zero is before all of them.
pub type OpNumber = usize;

/// A replica in one of its lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Member {
    /// Which replica, from zero.
    pub number: u32,
    /// How often it was started, with this time.
    pub life: u32,
}

/// The latest life of each replica, as far as it is known.
pub type Lives = BTreeMap<u32, u32>;

/// What a client wants to be done to the account.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Operation {
    /// Puts so much on it.
    Deposit(u64),
    /// Says what is on it.
    Balance,
}

/// An operation of a client; what the log consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Command {
    /// Which client.
    pub client: u32,
    /// Its request number, from one.
    pub number: u32,
    /// What is to be done.
    pub operation: Operation,
}

/// A client has a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The command.
    pub command: Command,
    /// Where the answer goes.
    pub client: Recipient<Answer>,
}

/// A command is executed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// In which view the primary was that says so.
    pub view: View,
    /// The client's request number.
    pub number: u32,
    /// The balance afterwards.
    pub balance: u64,
}

/// The primary has a command for a position of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepare {
    /// The view.
    pub view: View,
    /// The position.
    pub op_number: OpNumber,
    /// The command.
    pub command: Command,
    /// Up to which position commands are committed.
    pub commit_number: OpNumber,
}

/// A backup has all commands of its log up to this position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PrepareOk {
    /// The backup.
    pub from: Member,
    /// The view.
    pub view: View,
    /// The position.
    pub op_number: OpNumber,
}

/// The primary says up to which position commands are committed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Commit {
    /// The view.
    pub view: View,
    /// The position.
    pub commit_number: OpNumber,
}

/// A replica wants to change to a view.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartViewChange {
    /// The replica.
    pub from: Member,
    /// The view.
    pub view: View,
}

/// A replica hands what it has to the primary of the view to come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DoViewChange {
    /// The replica.
    pub from: Member,
    /// The latest lives that it knows.
    pub lives: Lives,
    /// The view.
    pub view: View,
    /// The last view in which its status was normal.
    pub normal_view: View,
    /// Its log.
    pub log: Vec<Command>,
    /// Up to which position it knows commands to be committed.
    pub commit_number: OpNumber,
}

/// The primary of a view begins with it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartView {
    /// The view.
    pub view: View,
    /// The log.
    pub log: Vec<Command>,
    /// Up to which position commands are committed.
    pub commit_number: OpNumber,
}

/// A replica has missed something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GetState {
    /// The replica.
    pub from: Member,
    /// The view of which it has heard.
    pub view: View,
    /// It has all before and at this position.
    pub after: OpNumber,
}

/// What a replica has missed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewState {
    /// The view.
    pub view: View,
    /// The position before the first of the commands.
    pub after: OpNumber,
    /// The log from there on.
    pub commands: Vec<Command>,
    /// Up to which position commands are committed.
    pub commit_number: OpNumber,
}

/// A replica has lost what it knew. The number of its life is the nonce: the answers to it are for no
/// other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recovery {
    /// The replica.
    pub from: Member,
}

/// Helps a replica to recover.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecoveryResponse {
    /// The nonce: to which life of the replica it is said.
    pub life: u32,
    /// Who says it.
    pub from: Member,
    /// The view.
    pub view: View,
    /// The log and the commit number, if this is the primary of the view.
    pub state: Option<(Vec<Command>, OpNumber)>,
}

/// To itself: time has passed.
#[derive(Clone, Debug)]
pub struct Tick;

/// For monitors: a client has something to ask.
#[derive(Debug)]
pub struct Asked(pub Command);

/// For monitors: a client has the answer.
#[derive(Debug)]
pub struct Answered {
    /// The client.
    pub client: u32,
    /// Its request number.
    pub number: u32,
    /// The balance.
    pub balance: u64,
}

/// For monitors: a replica has executed a command.
#[derive(Debug)]
pub struct Executed {
    /// Its view.
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
    /// With which log.
    pub log: Vec<Command>,
}

/// For monitors: a replica has lost what it knew, or knows enough again.
#[derive(Debug)]
pub struct Recovering {
    /// The replica.
    pub from: Member,
    /// Whether it is over.
    pub is_over: bool,
}
