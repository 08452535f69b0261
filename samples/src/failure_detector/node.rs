//! A node, which answers pings until it is halted.

use std::time::Duration;

use actor_core::prelude::*;

use super::{Halt, Ping, Pong};

/// Answers pings one by one, sometimes slowly.
#[derive(Debug)]
pub struct Node {
    slowness: Duration,
}

// ANCHOR: node
#[actor]
impl Node {
    /// Creates a node that takes up to this time for an answer.
    pub fn new(slowness: Duration) -> Self {
        Self { slowness }
    }

    #[on]
    async fn ping(&mut self, ping: Ping, cx: &mut Context<Self>) {
        if cx.choose_bool() {
            cx.sleep(self.slowness).await;
        }
        let node = cx.me().id();
        let round = ping.round;
        ping.from.tell(Pong { node, round });
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}
// ANCHOR_END: node
