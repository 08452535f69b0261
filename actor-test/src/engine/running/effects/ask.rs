//! Replies: the reply of an ask, or its loss, is delivered to the asker.

use actor_core::AskError;

use crate::engine::running::execution::Engine;

impl Engine {
    /// Sends the reply of an ask, or its loss, to the asker, over the link if that is on another node.
    pub(super) fn reply(&mut self, by: u32, ask: u32, lost: Option<AskError>) {
        let apart = {
            let state = self.state();
            let asker = state.requests.asks[ask].asker;
            state.nodes.nodes_if_different(by, asker)
        };
        match apart {
            Some(nodes) => self.cross_reply(by, nodes, ask, lost),
            None => self.deliver_reply(by, ask, lost),
        }
    }

    /// Delivers the reply of an ask, or its loss, and shows it to the monitors.
    pub(super) fn deliver_reply(&mut self, by: u32, ask: u32, lost: Option<AskError>) {
        if !self.state().deliver_reply(ask, lost) {
            return;
        }
        let Some(slot) = self.arena().reply(ask).cloned() else {
            return;
        };
        self.show_reply(by, ask, &*slot, lost);
        drop(slot);
        self.hand_over(ask, lost);
    }

    /// Delivers a reply to its asker; the reply was shown to monitors when it left.
    pub(in crate::engine::running) fn bring_reply(&mut self, ask: u32, lost: Option<AskError>) {
        if self.state().deliver_reply(ask, lost) {
            self.hand_over(ask, lost);
        }
    }

    /// Completes an ask with its reply, or with the reason of its loss.
    fn hand_over(&mut self, ask: u32, lost: Option<AskError>) {
        let Some(slot) = self.arena().reply(ask).cloned() else {
            return;
        };
        slot.deliver(lost);
        let is_closed = self.state().requests.asks.close(ask);
        drop(slot);
        self.shared.drop_reply(ask, is_closed);
    }
}
