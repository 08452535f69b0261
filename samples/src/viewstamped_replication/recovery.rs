//! Recovery: a replica that has lost its state gets it from the others.

use actor_core::Context;
use actor_core::Scope;

use super::replica::{Kept, Status, primary};
use super::{Bug, Recovering, Recovery, RecoveryResponse, Replica};

impl Replica {
    pub(super) fn ask_for_recovery(&self) {
        self.others.tell_all(&Recovery { from: self.me });
    }

    pub(super) async fn on_recovery(
        &mut self,
        recovery: &Recovery,
        cx: &mut Context<Self>,
    ) -> Kept {
        if self.is_over(recovery.from) || self.status != Status::Normal {
            return Ok(());
        }
        let response = RecoveryResponse {
            life: recovery.from.life,
            from: self.me,
            view: self.view,
            state: self.leads().then(|| (self.log.clone(), self.commit_number)),
        };
        self.others.tell(recovery.from.number, response);
        // A recovering primary must wait for the primary of a later view.
        match primary(self.view) == recovery.from.number {
            true => self.change_to(self.view + 1, cx).await,
            false => Ok(()),
        }
    }

    pub(super) async fn on_recovery_response(
        &mut self,
        response: RecoveryResponse,
        cx: &mut Context<Self>,
    ) -> Kept {
        if self.status != Status::Recovering || response.life != self.me.life {
            return Ok(());
        }
        let known = self.responses.get(&response.from.number);
        if known.is_none_or(|known| known.view <= response.view) {
            self.responses.insert(response.from.number, response);
        }
        if self.responses.len() <= self.threshold() {
            return Ok(());
        }
        let latest = self.responses.values().max_by_key(|response| {
            let leads = response.state.is_some();
            match self.bug {
                Some(Bug::AnyPrimary) => (u32::from(leads), false),
                _ => (response.view, leads),
            }
        });
        let Some(latest) = latest.cloned() else {
            return Ok(());
        };
        let Some((log, commit_number)) = latest.state else {
            return Ok(());
        };
        self.enter(latest.view, log).await?;
        cx.announce(Recovering {
            from: self.me,
            is_over: true,
        });
        self.execute_to(commit_number, cx);
        self.say_prepared();
        Ok(())
    }
}
