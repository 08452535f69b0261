//! What a system says of its actors.

use actor_core::prelude::*;

use crate::support::idle;

#[derive(Debug)]
struct Go;
#[derive(Debug)]
struct Wait;
#[derive(Debug)]
struct Break;

struct Plain;

#[actor]
impl Plain {
    #[on]
    fn go(&mut self, _: Go) {}

    #[on]
    async fn wait(&mut self, _: Wait) {
        std::future::pending::<()>().await;
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("smashed");
    }
}

struct Machine;

#[actor(states(Off, On))]
impl Machine {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(MachineState::On);
    }
}

fn statuses(sys: &System) -> Vec<String> {
    let statuses = sys.as_live().unwrap().actors();
    statuses.iter().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn every_actor_is_shown_as_it_is() {
    let sys = System::new();
    sys.as_live().unwrap().on_failure(|_| {});
    let machine = sys.spawn_named("machine", Machine);
    let plain = sys.spawn_named("plain", Plain);
    let fragile = sys.spawner().name("fragile").spawn_with(|| Plain);
    let unread = "plain (Plain), 1 unread";
    plain.tell(Go);
    assert_eq!(statuses(&sys)[1], unread);
    machine.tell(Go);
    plain.tell(Wait);
    plain.tell(Go);
    fragile.tell(Break);
    fragile.tell(Break);
    idle().await;
    let expected = [
        "machine (Machine) in state On, 0 unread",
        "plain (Plain), awaits in Wait, 1 unread",
        "fragile (Plain), 0 unread, brought back 2 times",
    ];
    assert_eq!(statuses(&sys), expected);
    sys.kill(&plain);
    idle().await;
    assert_eq!(statuses(&sys), [expected[0], expected[2]]);
}

/// More than are shown at a time, and some of them at places that others have left.
#[tokio::test(start_paused = true)]
async fn they_come_in_the_order_of_their_spawns() {
    let sys = System::new();
    let actors: Vec<_> = (0..3_000).map(|_| sys.spawn(Plain)).collect();
    for actor in actors.iter().step_by(3) {
        sys.kill(actor);
    }
    idle().await;
    let late: Vec<_> = (0..1_500).map(|_| sys.spawn(Plain)).collect();
    let living = actors.iter().enumerate().filter(|(at, _)| at % 3 > 0);
    let living = living.map(|(_, actor)| actor);
    let expected: Vec<_> = living.chain(&late).map(ActorRef::id).collect();
    let shown = sys.as_live().unwrap().actors();
    let shown: Vec<_> = shown.iter().map(|status| status.actor).collect();
    assert_eq!(shown, expected);
}
