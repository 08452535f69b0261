//! Specimens of the same names in two packages.

use actor_core::prelude::*;
use actor_test::actor_test;

#[derive(Debug)]
struct Go;

struct Kid;

#[actor(states(Asleep, Awake))]
impl Kid {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(KidState::Awake);
    }
}

#[actor_test]
fn wakes(sys: &System) {
    sys.spawn(Kid).tell(Go);
}

#[actor_test]
fn fails(sys: &System) {
    sys.spawn(Kid).tell(Go);
    panic!("as all of its twins do");
}
