//! State transfer: a replica that has missed commands gets them from another one.

use actor_core::Context;

use super::replica::{Kept, Status};
use super::{Bug, GetState, NewState, OpNumber, Replica, View};

impl Replica {
    /// Asks for the commands of the current view that the replica has missed.
    pub(super) fn catch_up(&self) {
        self.ask_state(self.view, self.log.len());
    }

    /// Asks for the log of a later view that has begun. Until the replica has that log,
    /// it stays in its own view, with the commands that it has acknowledged to a primary.
    pub(super) fn join_later(&mut self, view: View, cx: &mut Context<Self>) {
        self.later_view = view;
        self.waited = 0;
        self.status = Status::Transfer;
        self.look_at_the_clock(cx);
        match self.bug {
            Some(Bug::TruncatedAtTransfer) => self.log.truncate(self.commit_number),
            Some(Bug::EagerView) => {
                self.view = view;
                self.normal_view = view;
            }
            _ => {}
        }
        self.ask_state(view, self.commit_number);
    }

    pub(super) fn ask_for_state(&self) {
        self.ask_state(self.later_view, self.commit_number);
    }

    fn ask_state(&self, view: View, after: OpNumber) {
        self.others.tell_all(&GetState {
            from: self.me,
            view,
            after,
        });
    }

    pub(super) fn on_get_state(&mut self, get: &GetState) {
        if self.status != Status::Normal || self.view < get.view || self.log.len() < get.after {
            return;
        }
        let state = NewState {
            view: self.view,
            after: get.after,
            commands: self.log[get.after..].to_vec(),
            commit_number: self.commit_number,
        };
        self.others.tell(get.from.number, state);
    }

    pub(super) async fn on_new_state(&mut self, state: NewState, cx: &mut Context<Self>) -> Kept {
        if self.is_normal_in(state.view) && self.bug != Some(Bug::TransferAtAnyTime) {
            return self.append(state, cx).await;
        }
        let is_wanted = self.status == Status::Transfer && state.view >= self.later_view
            || self.bug == Some(Bug::TransferAtAnyTime) && state.view >= self.view;
        if !is_wanted || state.after > self.commit_number {
            return Ok(());
        }
        let mut log = self.log[..state.after].to_vec();
        log.extend(state.commands);
        self.enter(state.view, log).await?;
        self.execute_to(state.commit_number, cx);
        self.say_prepared();
        Ok(())
    }

    /// Appends the missing part of the log of the current view.
    async fn append(&mut self, state: NewState, cx: &mut Context<Self>) -> Kept {
        let known = self.log.len().saturating_sub(state.after);
        if self.leads() || state.after > self.log.len() || known >= state.commands.len() {
            return Ok(());
        }
        for command in &state.commands[known..] {
            self.take(*command).await?;
        }
        self.execute_to(state.commit_number, cx);
        self.say_prepared();
        Ok(())
    }
}
