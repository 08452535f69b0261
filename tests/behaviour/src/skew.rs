//! Two unequal senders and a sink, as a program and as a model. The
//! exact probabilities of every sampler can be computed from the model.

use std::sync::atomic::{AtomicU64, Ordering};

use actor_core::prelude::*;

use crate::node::{Rule, spawn};

/// A sends one message, B sends `messages`, both to one sink.
/// Counts the executions in which A's message arrives last.
pub fn skew(sys: &System, messages: u32, hits: &'static AtomicU64) {
    let mut taken = 0;
    let sink: Rule = Box::new(move |_, message| {
        let Some(message) = message else { return };
        taken += 1;
        if taken == messages + 1 && message.kind == "a" {
            hits.fetch_add(1, Ordering::Relaxed);
        }
    });
    let sender = |kind, messages: u32| -> Rule {
        Box::new(move |acts, message| {
            if message.is_none() {
                (0..messages).for_each(|number| acts.send(0, kind, u64::from(number)));
            }
        })
    };
    spawn(sys, vec![sink, sender("b", messages), sender("a", 1)]);
}

/// The operations of [`skew`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Who {
    Body,
    Sink,
    B,
    A,
}

/// A state of [`skew`]: the remaining steps of each operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Skew {
    messages: u32,
    /// The remaining steps of the body: its start, and a flush for each of the sink, B and A.
    body: u32,
    /// The remaining step of the sink: its start.
    sink: u32,
    /// The remaining steps of B: its start, and a flush for each message.
    b: u32,
    a: u32,
    inbox: u32,
    handled: u32,
}

impl Skew {
    /// Returns the state before the first step.
    pub fn new(messages: u32) -> Self {
        Self {
            messages,
            body: 4,
            sink: 1,
            b: 1 + messages,
            a: 2,
            inbox: 0,
            handled: 0,
        }
    }

    /// Returns the enabled operations.
    pub fn enabled(&self) -> Vec<Who> {
        let spawned = |who| self.body <= who;
        let all = [
            (Who::Body, self.body > 0),
            (Who::Sink, spawned(2) && self.sink + self.inbox > 0),
            (Who::B, spawned(1) && self.b > 0),
            (Who::A, spawned(0) && self.a > 0),
        ];
        let enabled = all.into_iter().filter(|(_, enabled)| *enabled);
        enabled.map(|(who, _)| who).collect()
    }

    /// Returns true if the operation's next step is a flush into the sink.
    pub fn sends(&self, who: Who) -> bool {
        match who {
            Who::B => self.b <= self.messages,
            Who::A => self.a == 1,
            Who::Body | Who::Sink => false,
        }
    }

    /// Returns the number of steps that the operation takes until the end.
    pub fn left(&self, who: Who) -> u32 {
        match who {
            Who::Body => self.body,
            Who::Sink => self.sink + self.messages + 1 - self.handled,
            Who::B => self.b,
            Who::A => self.a,
        }
    }

    /// Returns the state after the operation's next step.
    #[must_use]
    pub fn step(mut self, who: Who) -> Self {
        self.inbox += u32::from(self.sends(who));
        match who {
            Who::Body => self.body -= 1,
            Who::Sink if self.sink > 0 => self.sink -= 1,
            Who::Sink => {
                self.inbox -= 1;
                self.handled += 1;
            }
            Who::B => self.b -= 1,
            Who::A => self.a -= 1,
        }
        self
    }

    /// Returns true if A's message is the last; `None` until it is sent.
    pub fn a_is_last(&self) -> Option<bool> {
        (self.a == 0).then_some(self.b == 0)
    }
}
