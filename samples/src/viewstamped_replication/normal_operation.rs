//! Normal operation: the primary orders the commands, and a majority stores them.

use actor_core::Context;
use actor_core::Scope;

use super::replica::{Kept, primary};
use super::storage::Record;
use super::{
    Answer, Bug, Command, Commit, Executed, OpNumber, Prepare, PrepareOk, Replica, Request, View,
};

impl Replica {
    pub(super) async fn on_request(&mut self, request: Request, cx: &mut Context<Self>) -> Kept {
        let command = request.command;
        self.clients.insert(command.client, request.client);
        if !self.is_normal_in(self.view) {
            return Ok(());
        }
        if !self.leads() {
            self.suspects = true;
            self.look_at_the_clock(cx);
            return Ok(());
        }
        let (last, balance) = self.service.last_of(command.client);
        if command.number < last {
            return Ok(());
        }
        if command.number == last {
            self.answer(command, balance);
            self.say_commit();
            return Ok(());
        }
        match self.is_under_way(command) {
            true => self.prepare_again(),
            false => self.prepare_new(command).await?,
        }
        Ok(())
    }

    /// Returns true if the command is in the log and not executed.
    fn is_under_way(&self, command: Command) -> bool {
        let taken = self.taken.get(&command.client);
        let is_taken = taken.is_some_and(|taken| command.number <= *taken);
        self.log[self.commit_number..].contains(&command)
            || is_taken && self.bug == Some(Bug::TableAtPrepare)
    }

    async fn prepare_new(&mut self, command: Command) -> Kept {
        self.take(command).await?;
        self.others.tell_all(&self.prepare_of(self.log.len()));
        Ok(())
    }

    /// Appends a command to the log.
    pub(super) async fn take(&mut self, command: Command) -> Kept {
        self.log.push(command);
        self.taken.insert(command.client, command.number);
        self.storage.write(Record::Takes(command)).await
    }

    /// A client asks again: sends the prepare messages that may be lost.
    fn prepare_again(&self) {
        for op_number in self.commit_number + 1..=self.log.len() {
            self.others.tell_all(&self.prepare_of(op_number));
        }
        self.say_commit();
    }

    fn prepare_of(&self, op_number: OpNumber) -> Prepare {
        Prepare {
            view: self.view,
            op_number,
            command: self.log[op_number - 1],
            commit_number: self.commit_number,
        }
    }

    pub(super) async fn on_prepare(&mut self, prepare: Prepare, cx: &mut Context<Self>) -> Kept {
        if !self.hears_primary_of(prepare.view, cx) {
            return Ok(());
        }
        let next = self.log.len() + 1;
        if prepare.op_number > next {
            self.catch_up();
            return Ok(());
        }
        if prepare.op_number == next {
            self.take(prepare.command).await?;
        }
        self.say_prepared();
        self.execute_to(prepare.commit_number, cx);
        Ok(())
    }

    /// Acknowledges the backup's log to the primary.
    pub(super) fn say_prepared(&self) {
        let ok = PrepareOk {
            from: self.me,
            view: self.view,
            op_number: self.log.len(),
        };
        self.others.tell(primary(self.view), ok);
    }

    pub(super) fn on_prepare_ok(&mut self, ok: &PrepareOk, cx: &mut Context<Self>) {
        if !self.is_normal_in(ok.view) || !self.leads() {
            return;
        }
        let prepared = self.prepared.entry(ok.from.number).or_default();
        *prepared = ok.op_number.max(*prepared);
        // This number of backups and the primary are a majority.
        let mut prepared: Vec<_> = self.prepared.values().copied().collect();
        prepared.sort_unstable_by(|one, other| other.cmp(one));
        let Some(committed) = prepared.get(self.threshold() - 1).copied() else {
            return;
        };
        if committed > self.commit_number {
            self.execute_to(committed, cx);
            self.say_commit();
        }
    }

    fn say_commit(&self) {
        self.others.tell_all(&Commit {
            view: self.view,
            commit_number: self.commit_number,
        });
    }

    pub(super) fn on_commit(&mut self, commit: &Commit, cx: &mut Context<Self>) {
        if !self.hears_primary_of(commit.view, cx) {
            return;
        }
        if commit.commit_number > self.log.len() {
            self.catch_up();
        }
        self.execute_to(commit.commit_number, cx);
    }

    /// Returns true if the replica is a backup in this view. Joins a later view.
    fn hears_primary_of(&mut self, view: View, cx: &mut Context<Self>) -> bool {
        if self.is_normal_in(self.view) && view > self.view {
            self.join_later(view, cx);
        }
        let hears = self.is_normal_in(view) && !self.leads();
        if hears {
            self.suspects = false;
            self.waited = 0;
        }
        hears
    }

    /// Executes the committed commands, in order.
    pub(super) fn execute_to(&mut self, commit_number: OpNumber, cx: &mut Context<Self>) {
        while self.commit_number < commit_number.min(self.log.len()) {
            let command = self.log[self.commit_number];
            self.commit_number += 1;
            let balance = self.service.execute(command);
            cx.announce(Executed {
                view: self.view,
                op_number: self.commit_number,
                command,
                balance,
            });
            if self.leads() {
                self.answer(command, balance);
            }
        }
    }

    fn answer(&self, command: Command, balance: u64) {
        if let Some(client) = self.clients.get(&command.client) {
            client.tell(Answer {
                view: self.view,
                number: command.number,
                balance,
            });
        }
    }
}
