//! A replica of the database: the roles of follower, candidate and master.

use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::protocols::AcceptedBy;

use super::{
    Again, Bug, Done, DupMaster, Join, Log, LogKept, NewMaster, Page, PageKept, Put, Stand,
    UpdateReq, Vote,
};
use ReplicaState as To;

/// The election timeout: a candidate that was not elected retries after one to three times this.
const PAUSE: Duration = Duration::from_millis(20);

/// Keeps a copy of the database, and may become the master.
#[derive(Debug)]
pub struct Replica {
    others: Vec<ActorRef<Replica>>,
    client: Option<Recipient<NewMaster>>,
    term: u64,
    /// The master that the replica follows, or followed last.
    master: Option<ActorRef<Replica>>,
    /// The master to which the connection was just lost.
    lost: Option<ActorId>,
    /// True if the replica is the master.
    pub(super) leads: bool,
    /// The replicas that have voted for this one.
    votes: BTreeSet<ActorId>,
    /// The last page that the replica has.
    page: u64,
    /// The last record of the replica's log.
    log: u64,
    /// The value that the master is writing.
    writing: Option<Put>,
    bug: Option<Bug>,
}

// ANCHOR: states
#[actor(states(
    Joining(defer(Put, Page, Log, Stand, NewMaster, UpdateReq, DupMaster)),
    Following(ignore(Put, PageKept, LogKept, Vote)),
    Electing(ignore(Put, Page, PageKept, Log, LogKept, DupMaster)),
    Master(ignore(Page, Log, Vote)),
))]
// ANCHOR_END: states
impl Replica {
    /// Creates a replica with an empty database.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            others: Vec::new(),
            client: None,
            term: 0,
            master: None,
            lost: None,
            leads: false,
            votes: BTreeSet::new(),
            page: 0,
            log: 0,
            writing: None,
            bug,
        }
    }

    #[on(Joining)]
    fn join(&mut self, join: Join, cx: &mut Context<Self>) {
        self.client = Some(join.client);
        self.term = 1;
        let me = cx.me();
        let others = join.replicas.iter().filter(|replica| **replica != me);
        self.others = others.cloned().collect();
        match join.replicas.first() {
            Some(master) if *master != me => self.follow(master.clone(), cx),
            _ => {
                self.client_hears(self.master_now(cx));
                cx.goto(To::Master);
            }
        }
    }

    // ANCHOR: writing
    /// Sends the page first, and the log record, which commits the page, later.
    #[on(Master)]
    fn put(&mut self, put: Put) {
        if put.number > self.log {
            self.page = put.number;
            self.tell_others(self.page_now());
        } else {
            self.tell_others(self.log_now());
        }
        self.writing = Some(put);
    }

    #[on(Master)]
    fn page_kept(&mut self, kept: PageKept) {
        if kept.term == self.term && kept.number == self.page && self.log < self.page {
            self.log = self.page;
            self.tell_others(self.log_now());
        }
    }

    #[on(Master)]
    fn log_kept(&mut self, kept: LogKept) {
        let is_safe = |put: &mut Put| kept.term == self.term && put.number <= kept.number;
        if let Some(put) = self.writing.take_if(is_safe) {
            put.client.tell(Done(put.number));
        }
    }

    #[on(Following)]
    fn page(&mut self, page: Page) {
        let Page { term, number } = page;
        if let Some(master) = self.master_of(term) {
            master.tell(PageKept { term, number });
            self.page = number;
        }
    }

    #[on(Following)]
    fn log(&mut self, log: Log) {
        let Log { term, number } = log;
        if let Some(master) = self.master_of(term) {
            master.tell(LogKept { term, number });
            self.log = number;
            self.page = self.page.max(number);
        }
    }
    // ANCHOR_END: writing

    // ANCHOR: election
    /// Handles the loss of the connection to the master, which may still be alive.
    #[on(Following)]
    fn lost(&mut self, lost: Terminated, cx: &mut Context<Self>) {
        if self.master.as_ref().map(ActorRef::id) == Some(lost.actor) {
            self.lost = Some(lost.actor);
            self.stand(cx);
            cx.goto(To::Electing);
        }
    }

    #[on(Joining, Electing, Master)]
    fn lost_another(&mut self, _: Terminated) {}

    /// Discards a page without a log record: the page is not committed.
    #[entry(Electing)]
    fn begin_election(&mut self, cx: &mut Context<Self>) {
        self.writing = None;
        if self.bug != Some(Bug::RecoveringNotElectable) {
            self.page = self.log;
        }
        self.pause(cx);
    }

    #[on(Electing)]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        self.stand(cx);
        self.pause(cx);
    }

    fn pause(&mut self, cx: &mut Context<Self>) {
        let pauses = 1 + cx.choose(3) as u32;
        cx.timer().until_state_left().after(pauses * PAUSE, Again);
    }

    /// Asks for votes. The first attempt leaves out the replica whose connection was lost.
    fn stand(&mut self, cx: &mut Context<Self>) {
        let is_recovering = self.page > self.log;
        if is_recovering && self.bug == Some(Bug::RecoveringNotElectable) {
            return;
        }
        self.term += 1;
        self.votes = [cx.me().id()].into();
        let lost = self.lost.take();
        for other in self.others.iter().filter(|it| Some(it.id()) != lost) {
            other.tell(Stand {
                term: self.term,
                log: self.log,
                from: cx.me(),
            });
        }
    }

    /// Joins the election of a later term; a master steps down.
    #[on(Following, Electing, Master)]
    fn vote(&mut self, stand: Stand, cx: &mut Context<Self>) {
        if stand.term <= self.term {
            return;
        }
        self.term = stand.term;
        if stand.log >= self.log {
            let vote = Vote {
                term: self.term,
                from: cx.me(),
            };
            stand.from.tell(vote);
        }
        cx.goto(To::Electing);
    }

    #[on(Electing)]
    fn voted(&mut self, vote: Vote, cx: &mut Context<Self>) {
        if vote.term == self.term {
            self.votes.insert(vote.from.id());
            if self.votes.len() == 2 {
                let new_master = self.master_now(cx);
                self.client
                    .iter()
                    .for_each(|it| it.tell(new_master.clone()));
                self.tell_others(new_master);
                cx.goto(To::Master);
            }
        }
    }

    #[on(Following, Electing)]
    fn new_master(&mut self, new: NewMaster, cx: &mut Context<Self>) {
        if new.term >= self.term {
            self.term = new.term;
            self.follow(new.master, cx);
        }
    }
    // ANCHOR_END: election

    fn follow(&mut self, master: ActorRef<Replica>, cx: &mut Context<Self>) {
        if let Some(last) = self.master.replace(master.clone()) {
            cx.unwatch(&last);
        }
        cx.watch(&master);
        master.tell(UpdateReq { from: cx.me() });
        cx.goto(To::Following);
    }

    #[entry(Master)]
    fn begin_term(&mut self) {
        self.leads = true;
    }

    #[exit(Master)]
    fn end_term(&mut self) {
        self.leads = false;
    }

    // ANCHOR: two_masters
    /// Handles the news of a second master: neither of the two remains master.
    #[on(Master)]
    fn another_master(&mut self, new: NewMaster, cx: &mut Context<Self>) {
        self.term = self.term.max(new.term);
        self.tell_others(DupMaster);
        cx.goto(To::Electing);
    }

    #[on(Following, Master)]
    fn dup_master(&mut self, _: DupMaster, cx: &mut Context<Self>) {
        cx.goto(To::Electing);
    }

    #[on(Master)]
    fn bring_up_to_date(&mut self, request: UpdateReq) {
        request.from.tell(self.log_now());
        if self.page > self.log {
            request.from.tell(self.page_now());
        }
    }

    /// The sender of the request will hear of a new master soon.
    #[on(Following, Electing)]
    fn is_no_master(&mut self, _: UpdateReq) {
        assert!(
            self.bug != Some(Bug::UnexpectedUpdateReq),
            "an update is requested of a replica that is not the master"
        );
    }
    // ANCHOR_END: two_masters

    fn master_of(&self, term: u64) -> Option<&ActorRef<Replica>> {
        self.master.as_ref().filter(|_| term == self.term)
    }

    fn page_now(&self) -> Page {
        let (term, number) = (self.term, self.page);
        Page { term, number }
    }

    fn log_now(&self) -> Log {
        let (term, number) = (self.term, self.log);
        Log { term, number }
    }

    fn master_now(&self, cx: &Context<Self>) -> NewMaster {
        NewMaster {
            term: self.term,
            log: self.log,
            master: cx.me(),
        }
    }

    fn client_hears(&self, new_master: NewMaster) {
        if let Some(client) = &self.client {
            client.tell(new_master);
        }
    }

    fn tell_others<E: AcceptedBy<Self> + Clone>(&self, event: E) {
        for other in &self.others {
            other.tell(event.clone());
        }
    }
}
