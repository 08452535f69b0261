//! Reports: kinds of bugs, stories, causes, minimised executions, coverage.

use actor_core::prelude::*;
use behaviour::closures::{Handles, handles};
use behaviour::harness::events::Go;

mod blocks;
mod bugs;
mod causes;
pub mod coverage;
mod following;
mod identity;
mod minimizing;
mod objects;
mod stories;

#[derive(Debug)]
struct Question;

/// Answers questions.
#[derive(Debug)]
struct Sink;

#[actor]
impl Sink {
    #[on]
    fn go(&mut self, _: Go) {}

    #[on]
    fn question(&mut self, _: Question) -> u32 {
        42
    }
}

/// Spawns an actor that sends a number several times at each `Go`.
fn client(
    sys: &System,
    sum: &ActorRef<Handles<u64>>,
    number: u64,
    times: u64,
) -> ActorRef<Handles<Go>> {
    let sum = sum.clone();
    handles(sys, move |_: Go, _| {
        (0..times).for_each(|_| sum.tell(number));
    })
}

/// Asks another, which asks back. Sends noise to itself before.
struct Asker {
    other: Option<ActorRef<Asker>>,
    noise: u64,
}

impl Asker {
    fn new(noise: u64) -> Self {
        let other = None;
        Self { other, noise }
    }
}

#[derive(Debug)]
struct Meet(ActorRef<Asker>);
#[derive(Debug)]
struct Noise;

#[actor]
impl Asker {
    #[on]
    fn meet(&mut self, meet: Meet) {
        self.other = Some(meet.0);
    }

    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        (0..self.noise).for_each(|_| cx.me().tell(Noise));
        if let Some(other) = self.other.clone() {
            let _ = other.ask(Question).await;
        }
    }

    #[on]
    fn noise(&mut self, _: Noise) {}

    #[on]
    fn question(&mut self, _: Question) -> u32 {
        1
    }
}
