//! A replica: its state, and the dispatch of messages to the parts of the protocol.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::Context;
use actor_core::actor;
use actor_core::journal::JournalError;
use actor_core::prelude::*;

use super::directory::{Directory, Found};
use super::service::Service;
use super::storage::{Saved, Storage};
use super::{
    Answer, Bug, Command, Commit, DoViewChange, GetState, Group, Lives, Member, NewState, OpNumber,
    Prepare, PrepareOk, REPLICAS, Recovering, Recovery, RecoveryResponse, Request, StartView,
    StartViewChange, TICK, Tick, View,
};

/// The status of a replica.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Normal operation.
    Normal,
    /// A view change is in progress.
    ViewChange,
    /// Waits for missed commands, in order to join a later view.
    Transfer,
    /// Waits for its lost state.
    Recovering,
}

/// The result of a write to disk.
pub(super) type Kept = Result<(), JournalError>;

/// Keeps the log, together with the others.
#[derive(Debug)]
pub struct Replica {
    pub(super) me: Member,
    pub(super) group: Group,
    pub(super) bug: Option<Bug>,
    pub(super) status: Status,
    pub(super) view: View,
    /// The last view in which the replica's status was normal.
    pub(super) normal_view: View,
    pub(super) log: Vec<Command>,
    /// The number of committed commands that the replica knows of; all of them are executed.
    pub(super) commit_number: OpNumber,
    pub(super) service: Service,
    pub(super) storage: Storage,
    pub(super) others: Directory,
    pub(super) lives: Lives,
    /// The recipients of answers.
    pub(super) clients: BTreeMap<u32, Recipient<Answer>>,
    /// True if a tick is scheduled.
    pub(super) ticks: bool,
    /// The number of ticks that the replica has waited for something.
    pub(super) waited: u32,
    /// True if a client has asked, and the primary is silent.
    pub(super) suspects: bool,
    /// For the primary: the position up to which each backup has the log.
    pub(super) prepared: BTreeMap<u32, OpNumber>,
    /// The other replicas that vote for this view.
    pub(super) votes: BTreeSet<u32>,
    /// True if the replica has sent its state to the next primary.
    pub(super) has_reported: bool,
    /// For the next primary: the states that it has received.
    pub(super) reports: BTreeMap<u32, DoViewChange>,
    /// The later view that the replica is about to join.
    pub(super) later_view: View,
    /// The answers received during recovery.
    pub(super) responses: BTreeMap<u32, RecoveryResponse>,
    /// The requests that a primary has taken, with [`Bug::TableAtPrepare`].
    pub(super) taken: BTreeMap<u32, u32>,
}

impl Replica {
    /// Creates a replica; the incarnations count from one.
    pub fn new(me: Member, group: Group, bug: Option<Bug>) -> Self {
        let others = (0..REPLICAS.len() as u32).filter(|other| *other != me.number);
        Self {
            me,
            group,
            bug,
            status: Status::Normal,
            view: 0,
            normal_view: 0,
            log: Vec::new(),
            commit_number: 0,
            service: Service::default(),
            storage: Storage::default(),
            others: Directory::of(others),
            lives: Lives::new(),
            clients: BTreeMap::new(),
            ticks: false,
            waited: 0,
            suspects: false,
            prepared: BTreeMap::new(),
            votes: BTreeSet::new(),
            has_reported: false,
            reports: BTreeMap::new(),
            later_view: 0,
            responses: BTreeMap::new(),
            taken: BTreeMap::new(),
        }
    }

    /// Returns the commands that the replica knows to be committed; none during recovery.
    pub fn committed(&self) -> &[Command] {
        &self.log[..self.commit_number]
    }

    /// Returns true if the replica would contribute its log to a view change.
    pub fn is_member(&self) -> bool {
        self.status != Status::Recovering
    }

    /// Returns the replica's log.
    pub fn log(&self) -> &[Command] {
        &self.log
    }

    /// Returns the number of replicas that may fail at a time.
    pub(super) fn threshold(&self) -> usize {
        REPLICAS.len() / 2
    }

    pub(super) fn leads(&self) -> bool {
        primary(self.view) == self.me.number
    }

    pub(super) fn is_normal_in(&self, view: View) -> bool {
        self.status == Status::Normal && self.view == view
    }

    /// Records an incarnation of another replica; returns true if a later one is known.
    pub(super) fn is_over(&mut self, life: Member) -> bool {
        let known = self.lives.entry(life.number).or_default();
        *known = life.life.max(*known);
        *known > life.life
    }
}

/// Returns the number of the primary of a view.
pub(super) fn primary(view: View) -> u32 {
    view % REPLICAS.len() as u32
}

// ANCHOR: replica
#[actor]
impl Replica {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) -> Kept {
        self.others.look_up(cx);
        let mut saved = None;
        if self.group.journal {
            (self.storage, saved) = Storage::open(cx.disk(), self.bug).await?;
        }
        match saved {
            Some(saved) => self.go_on(saved),
            None if self.me.life > 1 => self.recover(cx),
            None => {}
        }
        self.look_at_the_clock(cx);
        Ok(())
    }

    #[on]
    fn found(&mut self, found: Found, cx: &mut Context<Self>) {
        self.others.found(found, cx);
    }

    #[on]
    fn terminated(&mut self, ended: Terminated, cx: &mut Context<Self>) {
        self.others.terminated(&ended, cx);
        self.look_at_the_clock(cx);
    }

    #[on]
    async fn tick(&mut self, _: Tick, cx: &mut Context<Self>) -> Kept {
        self.ticks = false;
        self.waited += 1;
        self.others.look_up(cx);
        // Exponential back-off: more requests do not help a slow replica.
        let asks_again = self.waited.is_power_of_two();
        match self.status {
            Status::Normal => self.suspect(cx).await?,
            Status::ViewChange => self.insist(asks_again, cx).await?,
            Status::Transfer if asks_again => self.ask_for_state(),
            Status::Recovering if asks_again => self.ask_for_recovery(),
            Status::Transfer | Status::Recovering => {}
        }
        self.look_at_the_clock(cx);
        Ok(())
    }

    #[on]
    async fn request(&mut self, request: Request, cx: &mut Context<Self>) -> Kept {
        self.on_request(request, cx).await
    }

    #[on]
    async fn prepare(&mut self, prepare: Prepare, cx: &mut Context<Self>) -> Kept {
        self.on_prepare(prepare, cx).await
    }

    #[on]
    fn prepare_ok(&mut self, ok: PrepareOk, cx: &mut Context<Self>) {
        self.on_prepare_ok(&ok, cx);
    }

    #[on]
    fn commit(&mut self, commit: Commit, cx: &mut Context<Self>) {
        self.on_commit(&commit, cx);
    }

    #[on]
    async fn start_view_change(&mut self, vote: StartViewChange, cx: &mut Context<Self>) -> Kept {
        self.on_start_view_change(vote, cx).await
    }

    #[on]
    async fn do_view_change(&mut self, report: DoViewChange, cx: &mut Context<Self>) -> Kept {
        self.on_do_view_change(report, cx).await
    }

    #[on]
    async fn start_view(&mut self, start: StartView, cx: &mut Context<Self>) -> Kept {
        self.on_start_view(start, cx).await
    }

    #[on]
    fn get_state(&mut self, get: GetState) {
        self.on_get_state(&get);
    }

    #[on]
    async fn new_state(&mut self, state: NewState, cx: &mut Context<Self>) -> Kept {
        self.on_new_state(state, cx).await
    }

    #[on]
    async fn recovery(&mut self, recovery: Recovery, cx: &mut Context<Self>) -> Kept {
        self.on_recovery(&recovery, cx).await
    }

    #[on]
    async fn recovery_response(
        &mut self,
        response: RecoveryResponse,
        cx: &mut Context<Self>,
    ) -> Kept {
        self.on_recovery_response(response, cx).await
    }
}
// ANCHOR_END: replica

impl Replica {
    /// Schedules a tick while the replica waits for something.
    pub(super) fn look_at_the_clock(&mut self, cx: &mut Context<Self>) {
        let waits = self.status != Status::Normal || self.suspects || !self.others.are_all_known();
        if waits && !self.ticks {
            self.ticks = true;
            cx.after(TICK, Tick);
        }
    }

    /// Continues after a crash with the state on disk.
    fn go_on(&mut self, saved: Saved) {
        self.view = saved.view;
        self.normal_view = saved.normal_view;
        self.log = saved.log;
        if self.view > self.normal_view {
            self.status = Status::ViewChange;
        }
    }

    /// Begins recovery after a crash without a state on disk.
    fn recover(&mut self, cx: &mut Context<Self>) {
        self.status = Status::Recovering;
        cx.announce(Recovering {
            from: self.me,
            is_over: false,
        });
    }
}
