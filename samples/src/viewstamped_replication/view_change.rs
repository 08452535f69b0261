//! View change: a majority leaves the old primary, and the new one takes over the committed commands.

use actor_core::Context;
use actor_core::Scope;

use super::replica::{Kept, Status, primary};
use super::storage::Record;
use super::{
    Bug, Command, DoViewChange, Member, Replica, StartView, StartViewChange, View, ViewStarted,
};

/// The number of ticks after which a silent primary is suspected.
const PATIENCE: u32 = 3;

impl Replica {
    /// Handles a tick in normal operation.
    pub(super) async fn suspect(&mut self, cx: &mut Context<Self>) -> Kept {
        if !self.suspects || self.leads() {
            self.waited = 0;
        } else if self.waited >= PATIENCE {
            self.change_to(self.view + 1, cx).await?;
        }
        Ok(())
    }

    /// Handles a tick during a view change. The replica waits longer
    /// each time, so that a change has enough time eventually.
    pub(super) async fn insist(&mut self, asks_again: bool, cx: &mut Context<Self>) -> Kept {
        let tried = (self.view - self.normal_view).min(8);
        if self.waited >= PATIENCE << tried {
            return self.change_to(self.view + 1, cx).await;
        }
        if asks_again {
            self.vote();
        }
        if asks_again && self.has_reported {
            self.hand_over(cx);
        }
        Ok(())
    }

    /// Leaves the current view for a later one.
    pub(super) async fn change_to(&mut self, view: View, cx: &mut Context<Self>) -> Kept {
        self.view = view;
        self.status = Status::ViewChange;
        self.suspects = false;
        self.waited = 0;
        self.votes.clear();
        self.has_reported = false;
        self.reports.clear();
        self.look_at_the_clock(cx);
        self.storage.write(Record::Joins(view)).await?;
        self.vote();
        Ok(())
    }

    fn vote(&self) {
        self.others.tell_all(&StartViewChange {
            from: self.me,
            view: self.view,
        });
    }

    pub(super) async fn on_start_view_change(
        &mut self,
        vote: StartViewChange,
        cx: &mut Context<Self>,
    ) -> Kept {
        if !self.may_vote() || self.is_over(vote.from) {
            return Ok(());
        }
        if vote.view > self.view {
            self.change_to(vote.view, cx).await?;
        }
        if vote.view != self.view {
            return Ok(());
        }
        match self.status {
            // The sender has missed that this view has begun.
            Status::Normal if self.leads() => {
                self.others.tell(vote.from.number, self.start_message())
            }
            Status::ViewChange => {
                self.votes.insert(vote.from.number);
                if self.votes.len() >= self.threshold() && !self.has_reported {
                    self.has_reported = true;
                    self.hand_over(cx);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn hand_over(&self, cx: &Context<Self>) {
        match self.leads() {
            true => cx.me().tell(self.report()),
            false => self.others.tell(primary(self.view), self.report()),
        }
    }

    fn report(&self) -> DoViewChange {
        DoViewChange {
            from: self.me,
            lives: self.lives.clone(),
            view: self.view,
            normal_view: self.normal_view,
            log: self.log.clone(),
            commit_number: self.commit_number,
        }
    }

    pub(super) async fn on_do_view_change(
        &mut self,
        report: DoViewChange,
        cx: &mut Context<Self>,
    ) -> Kept {
        if !self.may_vote() {
            return Ok(());
        }
        if report.view > self.view {
            self.change_to(report.view, cx).await?;
        }
        if report.view != self.view || self.status != Status::ViewChange {
            return Ok(());
        }
        self.is_over(report.from);
        for (number, life) in report.lives.clone() {
            self.is_over(Member { number, life });
        }
        self.reports.insert(report.from.number, report);
        // A replica that has lost its state since may have sent its report in another incarnation.
        let lives = &self.lives;
        self.reports
            .retain(|number, report| lives[number] == report.from.life);
        match self.reports.len() > self.threshold() {
            true => self.begin(cx).await,
            false => Ok(()),
        }
    }

    /// Begins the new view as its primary, with the log of the latest normal view.
    async fn begin(&mut self, cx: &mut Context<Self>) -> Kept {
        let reports = std::mem::take(&mut self.reports);
        let best = reports.values().max_by_key(|report| match self.bug {
            Some(Bug::LongestLog) => (0, report.log.len()),
            _ => (report.normal_view, report.log.len()),
        });
        let log = best.map(|report| report.log.clone()).unwrap_or_default();
        let committed = reports.values().map(|report| report.commit_number).max();
        self.enter(self.view, log).await?;
        cx.announce(ViewStarted {
            view: self.view,
            log: self.log.clone(),
        });
        self.execute_to(committed.unwrap_or(0), cx);
        self.others.tell_all(&self.start_message());
        Ok(())
    }

    fn start_message(&self) -> StartView {
        StartView {
            view: self.view,
            log: self.log.clone(),
            commit_number: self.commit_number,
        }
    }

    /// Enters a view with this log.
    pub(super) async fn enter(&mut self, view: View, log: Vec<Command>) -> Kept {
        self.view = view;
        self.normal_view = view;
        self.status = Status::Normal;
        self.log = log;
        self.suspects = false;
        self.waited = 0;
        self.prepared.clear();
        let record = Record::Enters(view, self.log.clone());
        self.storage.write(record).await
    }

    pub(super) async fn on_start_view(&mut self, start: StartView, cx: &mut Context<Self>) -> Kept {
        if self.status == Status::Recovering {
            return Ok(());
        }
        // In normal status the replica has the log of its view already, and may have acknowledged more.
        let is_new = start.view > self.view
            || start.view == self.view && self.status == Status::ViewChange
            || start.view == self.view && self.bug == Some(Bug::LateStartView);
        if !is_new || primary(start.view) == self.me.number {
            return Ok(());
        }
        self.enter(start.view, start.log).await?;
        if self.bug == Some(Bug::CommitNumberGoesBack) {
            self.commit_number = start.commit_number;
        }
        self.execute_to(start.commit_number, cx);
        self.say_prepared();
        Ok(())
    }

    fn may_vote(&self) -> bool {
        self.status != Status::Recovering || self.bug == Some(Bug::RecoveringVotes)
    }
}
