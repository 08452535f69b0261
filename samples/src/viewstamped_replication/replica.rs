//! A replica: what it knows, and who does what with each message.

use std::collections::{BTreeMap, BTreeSet};

use actor_core::actor;
use actor_core::prelude::*;
use actor_core::{Context, JournalError};

use super::directory::{Directory, Found};
use super::service::Service;
use super::storage::{Saved, Storage};
use super::{
    Answer, Bug, Command, Commit, DoViewChange, GetState, Group, Lives, Member, NewState, OpNumber,
    Prepare, PrepareOk, REPLICAS, Recovering, Recovery, RecoveryResponse, Request, StartView,
    StartViewChange, TICK, Tick, View,
};

/// What a replica is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Request processing.
    Normal,
    /// A change to the view that it is in.
    ViewChange,
    /// Waiting for what it has missed, to join a later view.
    Transfer,
    /// Waiting for what it has lost.
    Recovering,
}

/// Whether what was to be kept is safe.
pub(super) type Kept = Result<(), JournalError>;

/// Keeps the log, with the others.
#[derive(Debug)]
pub struct Replica {
    pub(super) me: Member,
    pub(super) group: Group,
    pub(super) bug: Option<Bug>,
    pub(super) status: Status,
    pub(super) view: View,
    /// The last view in which it was normal.
    pub(super) normal_view: View,
    pub(super) log: Vec<Command>,
    /// How many commands of the log are committed, as far as it knows; they are executed.
    pub(super) commit_number: OpNumber,
    pub(super) service: Service,
    pub(super) storage: Storage,
    pub(super) others: Directory,
    pub(super) lives: Lives,
    /// Where answers for clients go.
    pub(super) clients: BTreeMap<u32, Recipient<Answer>>,
    /// Whether it looks at the clock.
    pub(super) ticks: bool,
    /// For how many ticks it has waited for something.
    pub(super) waited: u32,
    /// A client asks, and the primary says nothing.
    pub(super) suspects: bool,
    /// As the primary: up to which position each backup has the log.
    pub(super) prepared: BTreeMap<u32, OpNumber>,
    /// Who else wants to change to this view.
    pub(super) votes: BTreeSet<u32>,
    /// Whether it has reported what it has to the primary to be.
    pub(super) has_reported: bool,
    /// As the primary to be: what was reported.
    pub(super) reports: BTreeMap<u32, DoViewChange>,
    /// The later view which it is about to join.
    pub(super) later_view: View,
    /// What it heard while it recovers.
    pub(super) responses: BTreeMap<u32, RecoveryResponse>,
    /// The requests that a primary has taken, with [`Bug::TableAtPrepare`].
    pub(super) taken: BTreeMap<u32, u32>,
}

impl Replica {
    /// A replica in a life of its, from one.
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

    /// What it says is committed; none while it recovers.
    pub fn committed(&self) -> &[Command] {
        &self.log[..self.commit_number]
    }

    /// Whether it would bring a log into a view change.
    pub fn is_member(&self) -> bool {
        self.status != Status::Recovering
    }

    /// Its log.
    pub fn log(&self) -> &[Command] {
        &self.log
    }

    /// How many replicas may fail at a time.
    pub(super) fn threshold(&self) -> usize {
        REPLICAS.len() / 2
    }

    pub(super) fn leads(&self) -> bool {
        primary(self.view) == self.me.number
    }

    pub(super) fn is_normal_in(&self, view: View) -> bool {
        self.status == Status::Normal && self.view == view
    }

    /// Takes note of a life of another replica; whether a later one is known.
    pub(super) fn is_over(&mut self, life: Member) -> bool {
        let known = self.lives.entry(life.number).or_default();
        *known = life.life.max(*known);
        *known > life.life
    }
}

/// Who leads in a view.
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
        // Less and less often: who is slow is not helped by more to do.
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
    /// It does so while it waits for something.
    pub(super) fn look_at_the_clock(&mut self, cx: &mut Context<Self>) {
        let waits = self.status != Status::Normal || self.suspects || !self.others.are_all_known();
        if waits && !self.ticks {
            self.ticks = true;
            cx.after(TICK, Tick);
        }
    }

    /// After a crash, with what was written before.
    fn go_on(&mut self, saved: Saved) {
        self.view = saved.view;
        self.normal_view = saved.normal_view;
        self.log = saved.log;
        if self.view > self.normal_view {
            self.status = Status::ViewChange;
        }
    }

    /// After a crash, with nothing.
    fn recover(&mut self, cx: &mut Context<Self>) {
        self.status = Status::Recovering;
        cx.announce(Recovering {
            from: self.me,
            is_over: false,
        });
    }
}
