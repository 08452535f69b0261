//! Small programs whose numbers of distinct behaviours are known.

use actor_core::actor;
use actor_core::prelude::*;

use crate::node::{Acts, Message, Rule, spawn};

fn rule(act: impl FnMut(&mut Acts<'_>, Option<Message>) + Send + 'static) -> Rule {
    Box::new(act)
}

/// `senders` nodes send `messages` each to one sink: (N·K)! / (K!)^N orders.
pub fn fan_in(sys: &System, senders: usize, messages: u64) {
    let mut rules = vec![rule(|_, _| {})];
    for _ in 0..senders {
        rules.push(rule(move |acts, message| {
            if message.is_none() {
                (0..messages).for_each(|number| acts.send(0, "item", number));
            }
        }));
    }
    spawn(sys, rules);
}

/// `pairs` senders, each with a receiver of its own: one behaviour.
pub fn pairs(sys: &System, pairs: usize) {
    let rules = (0..2 * pairs).map(|number| {
        rule(move |acts, message| {
            if message.is_none() && number % 2 == 0 {
                acts.send(number + 1, "hello", 0);
            }
        })
    });
    spawn(sys, rules.collect());
}

/// Two-phase commit with random votes, all of which are collected: 2^N · N!.
pub fn two_phase_commit(sys: &System, participants: usize) {
    let mut votes = Vec::new();
    let mut rules = vec![rule(move |acts, message| match message {
        None => (1..=participants).for_each(|to| acts.send(to, "prepare", 0)),
        Some(vote) => {
            votes.push(vote.value);
            if votes.len() == participants {
                let commit = u64::from(votes.iter().all(|vote| *vote == 1));
                (1..=participants).for_each(|to| acts.send(to, "decide", commit));
            }
        }
    })];
    for _ in 0..participants {
        rules.push(rule(|acts, message| {
            if message.is_some_and(|message| message.kind == "prepare") {
                let vote = acts.choose(2) as u64;
                acts.send(0, "vote", vote);
            }
        }));
    }
    spawn(sys, rules);
}

/// `clients` make `calls` one after another: (N·K)! / (K!)^N.
pub fn client_server(sys: &System, clients: usize, calls: u64) {
    let mut rules = vec![rule(|acts, message| {
        if let Some(call) = message {
            acts.send(call.from, "reply", call.value);
        }
    })];
    for _ in 0..clients {
        rules.push(rule(move |acts, message| {
            let next = message.map_or(0, |reply| reply.value + 1);
            if next < calls {
                acts.send(0, "call", next);
            }
        }));
    }
    spawn(sys, rules);
}

/// Two nodes, `rounds` round trips: one behaviour.
pub fn ping_pong(sys: &System, rounds: u64) {
    client_server(sys, 1, rounds);
}

/// A sends to C and then to B, which sends to C: one behaviour, since mailboxes
/// keep the causal order of sends. Two behaviours if A sends to B first.
pub fn triangle(sys: &System, b_first: bool) {
    let (b, c) = (1, 2);
    let rules = vec![
        rule(move |acts, _| {
            let order = if b_first { [b, c] } else { [c, b] };
            order.into_iter().for_each(|to| acts.send(to, "from a", 0));
        }),
        rule(move |acts, message| {
            if message.is_some() {
                acts.send(c, "from b", 0);
            }
        }),
        rule(|_, _| {}),
    ];
    spawn(sys, rules);
}

/// `readers` and one writer call a cell: (N+1)!.
pub fn readers_writer(sys: &System, readers: usize) {
    let mut cell = 0;
    let mut rules = vec![rule(move |acts, message| match message {
        Some(message) if message.kind == "write" => cell = message.value,
        Some(message) => acts.send(message.from, "value", cell),
        None => {}
    })];
    for number in 0..=readers {
        rules.push(rule(move |acts, message| {
            if message.is_none() {
                acts.send(0, if number == 0 { "write" } else { "read" }, 7);
            }
        }));
    }
    spawn(sys, rules);
}

/// Each node sends to every other one: ((N-1)!)^N.
pub fn flood(sys: &System, nodes: usize) {
    let rules = (0..nodes).map(|number| {
        rule(move |acts, message| {
            if message.is_none() {
                (0..nodes)
                    .filter(|to| *to != number)
                    .for_each(|to| acts.send(to, "hello", 0));
            }
        })
    });
    spawn(sys, rules.collect());
}

/// A lock server that grants in order of arrival.
fn lock() -> Rule {
    let mut holder = None;
    let mut waiting = std::collections::VecDeque::new();
    rule(move |acts, message| {
        let Some(message) = message else { return };
        match message.kind {
            "acquire" if holder.is_none() => {
                holder = Some(message.from);
                acts.send(message.from, "granted", 0);
            }
            "acquire" => waiting.push_back(message.from),
            _ => {
                holder = waiting.pop_front();
                if let Some(next) = holder {
                    acts.send(next, "granted", 0);
                }
            }
        }
    })
}

/// `clients` acquire and release one lock: N! · Catalan(N).
pub fn lock_server(sys: &System, clients: usize) {
    let mut rules = vec![lock()];
    for _ in 0..clients {
        rules.push(rule(|acts, message| match message {
            None => acts.send(0, "acquire", 0),
            Some(_) => acts.send(0, "release", 0),
        }));
    }
    spawn(sys, rules);
}

/// Dining philosophers who take the left fork first; forks are lock servers.
pub fn philosophers(sys: &System, philosophers: usize) {
    let mut rules: Vec<Rule> = (0..philosophers).map(|_| lock()).collect();
    for number in 0..philosophers {
        let (left, right) = (number, (number + 1) % philosophers);
        rules.push(rule(move |acts, message| match message {
            None => acts.send(left, "acquire", 0),
            Some(granted) if granted.from == left => acts.send(right, "acquire", 0),
            Some(_) => [left, right]
                .into_iter()
                .for_each(|fork| acts.send(fork, "release", 0)),
        }));
    }
    spawn(sys, rules);
}

/// A pipeline: `stages` pass on `items`. One behaviour.
pub fn pipeline(sys: &System, stages: usize, items: u64) {
    let rules = (0..stages).map(|number| {
        rule(move |acts, message| match message {
            None if number == 0 => (0..items).for_each(|item| acts.send(1, "item", item)),
            Some(item) if number + 1 < stages => acts.send(number + 1, "item", item.value),
            _ => {}
        })
    });
    spawn(sys, rules.collect());
}

/// Chang and Roberts' election in a ring of nodes with these numbers: one behaviour.
pub fn ring_election(sys: &System, numbers: &[u64]) {
    let of = numbers.len();
    let rules = numbers.iter().enumerate().map(|(place, own)| {
        let (next, own) = ((place + 1) % of, *own);
        rule(move |acts, message| match message {
            None => acts.send(next, "candidate", own),
            Some(other) if other.value > own => acts.send(next, "candidate", other.value),
            Some(_) => {}
        })
    });
    spawn(sys, rules.collect());
}

/// Single-decree Paxos without retries and without negative answers.
pub fn paxos(sys: &System, proposers: usize, acceptors: usize) {
    let quorum = acceptors / 2 + 1;
    let mut rules = Vec::new();
    for _ in 0..acceptors {
        let (mut promised, mut accepted) = (0, 0);
        rules.push(rule(move |acts, message| {
            let Some(message) = message else { return };
            let ballot = message.value;
            if message.kind == "prepare" && ballot > promised {
                promised = ballot;
                acts.send(message.from, "promise", accepted);
            } else if message.kind == "accept" && ballot >= promised {
                promised = ballot;
                accepted = ballot;
                acts.send(message.from, "accepted", ballot);
            }
        }));
    }
    for number in 0..proposers {
        let ballot = number as u64 + 1;
        let mut promises = 0;
        rules.push(rule(move |acts, message| match message {
            None => (0..acceptors).for_each(|to| acts.send(to, "prepare", ballot)),
            Some(message) if message.kind == "promise" => {
                promises += 1;
                if promises == quorum {
                    (0..acceptors).for_each(|to| acts.send(to, "accept", ballot));
                }
            }
            Some(_) => {}
        }));
    }
    spawn(sys, rules);
}

/// The set-up sends one event to each of `actors` actors.
pub fn one_event_each(sys: &System, actors: usize) {
    let quiet: Vec<_> = (0..actors).map(|_| sys.spawn(Quiet)).collect();
    quiet.iter().for_each(|actor| actor.tell(Hello));
}

/// The event of [`Quiet`].
#[derive(Debug)]
pub struct Hello;

/// Handles an event and does nothing.
#[derive(Debug)]
pub struct Quiet;

#[actor]
impl Quiet {
    #[on]
    fn hello(&mut self, _: Hello) {}
}
