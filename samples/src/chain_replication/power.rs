//! The power switch: whoever it switches off has failed for certain.

use std::time::Duration;

use actor_core::prelude::*;

use super::{Fail, Fence, HowManyAreOn, ServerRef};

/// How long it waits before it may strike.
const PAUSE: Duration = Duration::from_millis(20);
/// It does so once in as many times.
const ODDS: usize = 4;

/// Time for a failure, or for another pause.
#[derive(Debug)]
pub struct Strike;

/// Switches servers off, at random or because it is asked to, as long as more than one is on.
#[derive(Debug)]
pub struct PowerSwitch {
    on: Vec<ServerRef>,
    failures_left: u32,
}

#[actor]
impl PowerSwitch {
    /// The switch of these servers, so many of which fail.
    pub fn new(servers: Vec<ServerRef>, failures: u32) -> Self {
        Self {
            on: servers,
            failures_left: failures,
        }
    }

    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.pause(cx);
    }

    fn pause(&mut self, cx: &mut Context<Self>) {
        if self.failures_left > 0 {
            cx.after(PAUSE, Strike);
        }
    }

    #[on]
    fn strike(&mut self, _: Strike, cx: &mut Context<Self>) {
        if cx.choose(ODDS) == 0 {
            self.failures_left -= 1;
            let victim = cx.choose(self.on.len());
            self.switch_off(victim);
        }
        self.pause(cx);
    }

    #[on]
    fn fence(&mut self, fence: Fence) {
        let server = self.on.iter().position(|on| on.id() == fence.server);
        if let Some(server) = server {
            self.switch_off(server);
        }
    }

    #[on]
    fn how_many_are_on(&mut self, _: HowManyAreOn) -> usize {
        self.on.len()
    }

    fn switch_off(&mut self, server: usize) {
        if self.on.len() > 1 {
            self.on.remove(server).tell(Fail);
        }
    }
}
