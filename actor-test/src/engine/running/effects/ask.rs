//! Replies: the reply of an ask, or its loss, is delivered to the asker.

use actor_core::AskError;

use crate::data::problem::Problem;
use crate::engine::running::effects::Effects;
use crate::engine::running::overdue::call_of;
use crate::engine::specs::cycle::WaitForGraph;

impl Effects<'_> {
    /// Sends the reply of an ask, or its loss, to the asker, over the link if that is on another node.
    pub(super) fn reply(&self, by: u32, ask: u32, lost: Option<AskError>) {
        let apart = {
            let state = self.shared.state();
            let asker = state.requests.asks[ask].asker;
            state.nodes.nodes_if_different(by, asker)
        };
        match apart {
            Some(nodes) => self.shared.network().cross_reply(by, nodes, ask, lost),
            None => self.deliver_reply(by, ask, lost),
        }
    }

    /// Delivers the reply of an ask, or its loss, and shows it to the monitors.
    pub(super) fn deliver_reply(&self, by: u32, ask: u32, lost: Option<AskError>) {
        if !self.complete(ask, lost) {
            return;
        }
        let Some(slot) = self.shared.arena().reply(ask).cloned() else {
            return;
        };
        self.shared.audience().show_reply(by, ask, &*slot, lost);
        drop(slot);
        self.hand_over(ask, lost);
    }

    /// Delivers a reply to its asker; the reply was shown to monitors when it left.
    pub(in crate::engine::running) fn bring_reply(&self, ask: u32, lost: Option<AskError>) {
        if self.complete(ask, lost) {
            self.hand_over(ask, lost);
        }
    }

    /// Records the reply of an ask, or its loss; returns whether it is still to be handed over.
    fn complete(&self, ask: u32, lost: Option<AskError>) -> bool {
        let state = &mut *self.shared.state();
        let asks = &mut state.requests.asks;
        asks.deliver(&mut state.operations, ask, lost)
    }

    /// Completes an ask with its reply, or with the reason of its loss.
    fn hand_over(&self, ask: u32, lost: Option<AskError>) {
        let Some(slot) = self.shared.arena().reply(ask).cloned() else {
            return;
        };
        slot.deliver(lost);
        let is_closed = self.shared.state().requests.asks.close(ask);
        drop(slot);
        self.shared.drop_reply(ask, is_closed);
    }

    /// Reports the cycle of asks that an operation has closed by waiting, if there is one.
    pub(crate) fn find_cycle(&self, operation: u32) {
        let problem = {
            let state = self.shared.state();
            let waits = WaitForGraph { state: &state };
            let Some(cycle) = waits.cycle(operation) else {
                return;
            };
            let names = cycle.iter().chain(cycle.first());
            let calls = cycle.iter().filter_map(|operation| {
                let ask = state.requests.asks.only_awaited(*operation)?;
                call_of(&state, ask)
            });
            Problem::CycleOfAsks {
                who: names.map(|operation| state.name(*operation)).collect(),
                calls: calls.collect(),
            }
        };
        self.shared.find(&problem, None);
    }

    /// Looks for a cycle of asks after a letter has arrived, which may have closed one.
    pub(crate) fn find_cycle_at(&self, receiver: u32, sender: u32) {
        let may_close = self
            .shared
            .state()
            .operations
            .may_close_cycle(receiver, sender);
        if may_close {
            self.find_cycle(sender);
        }
    }
}
