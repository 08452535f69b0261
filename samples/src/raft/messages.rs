//! The log of Raft, and the messages of its servers.

use serde::{Deserialize, Serialize};

/// The number of a term.
pub type Term = u64;

/// A command of a client.
pub type Command = String;

/// An entry of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The term of the leader that appended the entry.
    pub term: Term,
    /// The command to execute.
    pub command: Command,
}

/// The end of a log, or of a part of it; the greater one is more recent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Position {
    /// The term of the last entry; zero if there is none.
    pub term: Term,
    /// The number of entries.
    pub index: usize,
}

/// A client asks for a command to be executed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Propose(pub Command);

/// A candidate asks for a vote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RequestVote {
    /// The term that the candidate would lead.
    pub term: Term,
    /// The number of the candidate.
    pub candidate: usize,
    /// The end of its log.
    pub last: Position,
}

/// The answer to a candidate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Vote {
    /// The voter's term.
    pub term: Term,
    /// The number of the voter.
    pub voter: usize,
    /// True if the candidate has the vote.
    pub granted: bool,
}

/// A leader sends the entries after a position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AppendEntries {
    /// The leader's term.
    pub term: Term,
    /// The number of the leader.
    pub leader: usize,
    /// The position after which the entries belong.
    pub previous: Position,
    /// The entries.
    pub entries: Vec<Entry>,
    /// The number of entries that are committed.
    pub committed: usize,
}

/// The answer to a leader.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Appended {
    /// The follower's term.
    pub term: Term,
    /// The number of the follower.
    pub follower: usize,
    /// The number of entries that the follower has in common with the leader; `None` if the position was not
    /// in its log.
    pub matched: Option<usize>,
}

/// For monitors: a server leads a term, and begins it with this log.
#[derive(Clone, Debug)]
pub struct Elected {
    /// The term.
    pub term: Term,
    /// The leader's log.
    pub log: Vec<Entry>,
}

/// For monitors: a leader has committed an entry.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The leader's term.
    pub term: Term,
    /// The number of entries up to this one.
    pub index: usize,
    /// The entry.
    pub entry: Entry,
}
