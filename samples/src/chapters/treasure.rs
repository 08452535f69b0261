//! Determinism: an actor that goes through a `HashMap`, whose order nobody decides.

// ANCHOR: treasure
use std::collections::HashMap;

use actor_core::prelude::*;

#[derive(Debug)]
pub struct Dig;
#[derive(Debug)]
pub struct Start;

#[derive(Debug, Default)]
pub struct Pirate {
    holes: u32,
}

#[actor]
impl Pirate {
    #[on]
    fn dig(&mut self, _: Dig) {
        self.holes += 1;
    }
}

#[derive(Debug)]
pub struct Captain {
    crew: HashMap<u32, ActorRef<Pirate>>,
}

#[actor]
impl Captain {
    #[on]
    fn start(&mut self, _: Start) {
        for pirate in self.crew.values() {
            pirate.tell(Dig);
        }
    }
}
// ANCHOR_END: treasure

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test(expect_bug = "nondeterminism")]
    fn everybody_digs(sys: &System) {
        let pirate = |name| (name, sys.spawn(Pirate::default()));
        let crew = (0..4).map(pirate).collect();
        sys.spawn(Captain { crew }).tell(Start);
    }
}
// ANCHOR_END: tests
