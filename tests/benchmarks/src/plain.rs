//! Ping-pong as a hand-written loop: two deques per actor, a random generator, and no
//! framework. The speed of this loop is a limit that an executor can only approach.

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One server and its clients, reused from one execution to the next.
#[derive(Debug)]
pub struct Plain {
    actors: Vec<Actor>,
    enabled: Vec<u32>,
    rng: Xoshiro256PlusPlus,
    /// The choices, as the tester records them.
    decisions: Vec<u32>,
}

#[derive(Debug, Default)]
struct Actor {
    inbox: VecDeque<u32>,
    outbox: VecDeque<(u32, u32)>,
    position: Option<u32>,
    count: u64,
    started: bool,
}

impl Plain {
    /// Creates a program with this number of clients.
    pub fn new(clients: usize) -> Self {
        Self {
            actors: (0..=clients).map(|_| Actor::default()).collect(),
            enabled: Vec::new(),
            rng: Xoshiro256PlusPlus::seed_from_u64(0),
            decisions: Vec::new(),
        }
    }

    fn refresh(&mut self, index: u32) {
        let actor = &mut self.actors[index as usize];
        let can = !actor.outbox.is_empty() || !actor.inbox.is_empty() || !actor.started;
        match (can, actor.position) {
            (true, None) => {
                actor.position = Some(self.enabled.len() as u32);
                self.enabled.push(index);
            }
            (false, Some(position)) => {
                actor.position = None;
                self.enabled.swap_remove(position as usize);
                if let Some(moved) = self.enabled.get(position as usize) {
                    self.actors[*moved as usize].position = Some(position);
                }
            }
            _ => {}
        }
    }

    /// Runs one execution with `rounds` round trips per client; returns its steps.
    pub fn run(&mut self, seed: u64, rounds: u64) -> u64 {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.decisions.clear();
        for actor in &mut self.actors {
            actor.count = 0;
            actor.started = false;
            actor.position = None;
        }
        self.actors[0].started = true;
        for index in 0..self.actors.len() as u32 {
            self.refresh(index);
        }
        let mut steps = 0;
        while !self.enabled.is_empty() {
            steps += 1;
            let drawn = ((self.rng.next_u64() >> 32) * self.enabled.len() as u64) >> 32;
            self.decisions.push(drawn as u32);
            let index = self.enabled[drawn as usize];
            let actor = &mut self.actors[index as usize];
            if let Some((to, from)) = actor.outbox.pop_front() {
                self.actors[to as usize].inbox.push_back(from);
                self.refresh(to);
            } else if !actor.started {
                actor.started = true;
                actor.outbox.push_back((0, index));
            } else if let Some(from) = actor.inbox.pop_front() {
                actor.count += 1;
                if index == 0 {
                    actor.outbox.push_back((from, 0));
                } else if actor.count < rounds {
                    actor.outbox.push_back((0, index));
                }
            }
            self.refresh(index);
        }
        assert_eq!(
            self.actors[0].count,
            rounds * (self.actors.len() as u64 - 1),
            "every ping is served"
        );
        steps
    }
}
