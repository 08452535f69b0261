//! A server of Raft: elections, replication of the log, and the state that survives a crash.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::actor;
use actor_core::journal::{Journal, JournalError};
use actor_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    AppendEntries, Appended, Bug, Command, Committed, ELECTION_TIMEOUT, ELECTIONS, Elected, Entry,
    MAJORITY, NODES, Position, Propose, RequestVote, Term, Vote,
};

/// The election timeout of a server is over.
#[derive(Debug)]
struct Timeout;

/// The state that survives a crash.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Durable {
    term: Term,
    /// The candidate that has the server's vote in this term.
    vote: Option<usize>,
    log: Vec<Entry>,
}

impl Durable {
    /// Returns the position after this number of entries; `None` if there are fewer.
    fn position(&self, index: usize) -> Option<Position> {
        let term = match index {
            0 => 0,
            _ => self.log.get(index - 1)?.term,
        };
        Some(Position { term, index })
    }

    /// Stores entries after a position, in the place of those that conflict with them.
    fn store(&mut self, start: usize, entries: Vec<Entry>) {
        let existing = &self.log[start..];
        let same = existing
            .iter()
            .zip(&entries)
            .take_while(|(a, b)| a == b)
            .count();
        if same < entries.len() {
            self.log.truncate(start + same);
            self.log.extend(entries.into_iter().skip(same));
        }
    }
}

/// Takes part in elections, and keeps the log together with the others.
#[derive(Debug)]
pub struct Server {
    id: usize,
    bug: Option<Bug>,
    others: BTreeMap<usize, ActorRef<Server>>,
    journal: Option<Journal>,
    durable: Durable,
    committed: usize,
    /// The commands of clients that wait until the server leads.
    waiting: Vec<Command>,
    /// The number of elections for which the server still stands.
    elections: u32,
    /// For a candidate: the servers that vote for it.
    votes: BTreeSet<usize>,
    /// For a leader: the number of entries after which it continues, for each server.
    next: [usize; NODES.len()],
    /// For a leader: the number of entries that each server is known to have in common with it.
    matched: [usize; NODES.len()],
}

// ANCHOR: server
#[actor(
    remote(RequestVote, Vote, AppendEntries, Appended),
    states(
        Follower(ignore(Vote, Appended)),
        Candidate(ignore(Appended)),
        Leader(ignore(Vote, Timeout)),
    )
)]
impl Server {
    /// Creates the server of a node, by its number.
    pub fn new(id: usize, bug: Option<Bug>) -> Self {
        Self {
            id,
            bug,
            others: BTreeMap::new(),
            journal: None,
            durable: Durable::default(),
            committed: 0,
            waiting: Vec::new(),
            elections: ELECTIONS,
            votes: BTreeSet::new(),
            next: [0; NODES.len()],
            matched: [0; NODES.len()],
        }
    }

    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> Result<(), JournalError> {
        for (id, node) in NODES
            .into_iter()
            .enumerate()
            .filter(|(id, _)| *id != self.id)
        {
            let other = cx.at::<Server>(format!("{node}/server"));
            self.others.insert(id, other);
        }
        let recovered = Journal::recover(&cx.disk(), "raft").await?;
        let (_, records) = recovered.decode::<(), Durable>()?;
        self.durable = records.into_iter().last().unwrap_or_default();
        self.journal = Some(recovered.journal);
        Ok(())
    }

    #[entry(Follower)]
    fn follow(&mut self, cx: &mut Context<Self>) {
        self.start_timer(cx);
    }

    #[on(Follower, Candidate)]
    fn timeout(&mut self, _: Timeout, cx: &mut Context<Self>) {
        if self.elections > 0 {
            self.elections -= 1;
            cx.goto(ServerState::Candidate);
        }
    }

    #[entry(Candidate)]
    async fn stand(&mut self, cx: &mut Context<Self>) {
        self.durable.term += 1;
        self.durable.vote = Some(self.id);
        self.save().await;
        self.votes = BTreeSet::from([self.id]);
        for other in self.others.values() {
            other.tell(RequestVote {
                term: self.durable.term,
                candidate: self.id,
                last: self.last(),
            });
        }
        self.start_timer(cx);
    }

    #[on]
    async fn request_vote(&mut self, request: RequestVote, cx: &mut Context<Self>) {
        let is_new = self.enter(request.term);
        let Durable { term, vote, .. } = self.durable;
        let granted = request.term == term
            && vote.is_none_or(|vote| vote == request.candidate)
            && request.last >= self.last();
        if granted {
            self.durable.vote = Some(request.candidate);
        }
        if granted || is_new {
            cx.goto(ServerState::Follower);
            self.save().await;
        }
        self.others[&request.candidate].tell(Vote {
            term,
            voter: self.id,
            granted,
        });
    }

    #[on(Candidate)]
    async fn vote(&mut self, vote: Vote, cx: &mut Context<Self>) {
        if self.enter(vote.term) {
            cx.goto(ServerState::Follower);
            self.save().await;
            return;
        }
        if vote.granted && vote.term == self.durable.term {
            self.votes.insert(vote.voter);
        }
        if self.votes.len() >= MAJORITY {
            cx.goto(ServerState::Leader);
        }
    }

    /// Keeps a command until the server leads.
    #[on(Follower, Candidate)]
    fn wait(&mut self, Propose(command): Propose) {
        self.waiting.push(command);
    }

    #[entry(Leader)]
    async fn lead(&mut self, cx: &mut Context<Self>) {
        let Durable { term, ref log, .. } = self.durable;
        cx.announce(Elected {
            term,
            log: log.clone(),
        });
        self.next = [self.committed; NODES.len()];
        self.matched = [0; NODES.len()];
        let waiting = std::mem::take(&mut self.waiting);
        self.append(waiting).await;
    }

    #[on(Leader)]
    async fn propose(&mut self, Propose(command): Propose) {
        self.append(vec![command]).await;
    }

    #[on]
    async fn append_entries(&mut self, append: AppendEntries, cx: &mut Context<Self>) {
        let is_new = self.enter(append.term);
        let (term, follower, mut matched) = (self.durable.term, self.id, None);
        if append.term == term {
            cx.goto(ServerState::Follower);
            let Position { index, .. } = append.previous;
            if self.durable.position(index) == Some(append.previous) {
                let end = index + append.entries.len();
                self.durable.store(index, append.entries);
                self.committed = append.committed.min(end).max(self.committed);
                matched = Some(end);
            }
        }
        if is_new || matched.is_some() {
            self.save().await;
        }
        self.others[&append.leader].tell(Appended {
            term,
            follower,
            matched,
        });
    }

    #[on(Leader)]
    async fn appended(&mut self, appended: Appended, cx: &mut Context<Self>) {
        if self.enter(appended.term) {
            cx.goto(ServerState::Follower);
            self.save().await;
            return;
        }
        let follower = appended.follower;
        match appended.matched {
            _ if appended.term < self.durable.term => {}
            Some(matched) => {
                self.next[follower] = matched;
                self.matched[follower] = matched.max(self.matched[follower]);
                self.commit(cx);
            }
            None => {
                self.next[follower] = self.next[follower].saturating_sub(1);
                self.send_entries(follower);
            }
        }
    }
}
// ANCHOR_END: server

impl Server {
    /// Starts the election timer with one of two timeouts, drawn at random; it ends with the state.
    fn start_timer(&self, cx: &mut Context<Self>) {
        let timeout = ELECTION_TIMEOUT * (1 + cx.choose(2) as u32);
        cx.timer().until_state_left().after(timeout, Timeout);
    }

    /// Returns the end of the log.
    fn last(&self) -> Position {
        let index = self.durable.log.len();
        self.durable.position(index).expect("a log has its end")
    }

    /// Waits until the durable state is on disk.
    ///
    /// # Panics
    ///
    /// If the disk fails: a server does nothing that it might forget.
    async fn save(&self) {
        let journal = self.journal.as_ref().expect("the server has started");
        let appended = journal.append_value(&self.durable);
        appended.and(journal.sync().await).expect("the disk works");
    }

    /// Enters a later term, in which the server is to follow; returns false if the term is not later.
    fn enter(&mut self, term: Term) -> bool {
        let is_later = term > self.durable.term;
        if is_later {
            self.durable.term = term;
            self.durable.vote = None;
        }
        is_later
    }

    /// Appends commands to the leader's log, and replicates it.
    async fn append(&mut self, commands: Vec<Command>) {
        let term = self.durable.term;
        if !commands.is_empty() {
            let entries = commands.into_iter().map(|command| Entry { term, command });
            self.durable.log.extend(entries);
            self.save().await;
        }
        self.replicate();
    }

    /// Sends the others the entries that they lack.
    fn replicate(&self) {
        self.others
            .keys()
            .for_each(|other| self.send_entries(*other));
    }

    fn send_entries(&self, follower: usize) {
        let next = self.next[follower];
        let previous = self
            .durable
            .position(next)
            .expect("followers are not ahead");
        self.others[&follower].tell(AppendEntries {
            term: self.durable.term,
            leader: self.id,
            previous,
            entries: self.durable.log[next..].to_vec(),
            committed: self.committed,
        });
    }

    // ANCHOR: commit
    /// Commits the entries that a majority has, up to the last one of the leader's own term.
    fn commit(&mut self, cx: &mut Context<Self>) {
        let Durable { term, ref log, .. } = self.durable;
        let can_commit = |index: &usize| {
            let others = self.matched.iter().filter(|matched| *matched >= index);
            others.count() + 1 >= MAJORITY
                && (log[index - 1].term == term || self.bug == Some(Bug::CountsEarlierTerms))
        };
        let first = self.committed + 1;
        let Some(last) = (first..=log.len()).rev().find(can_commit) else {
            return;
        };
        for index in first..=last {
            let entry = log[index - 1].clone();
            cx.announce(Committed { term, index, entry });
        }
        self.committed = last;
    }
    // ANCHOR_END: commit
}
