//! Status reports of a system about its actors.

use actor_core::mailbox::{Mailbox, Overflow};
use actor_core::prelude::*;

use crate::support::{Break, Go, Mortal, Wait, fallible, idle, later, live};

struct Machine;

#[actor(states(Off, On))]
impl Machine {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(MachineState::On);
    }
}

fn statuses(sys: &System) -> Vec<String> {
    let statuses = live(sys).actors();
    statuses.iter().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn every_actor_is_shown_as_it_is() {
    let sys = fallible();
    let machine = sys.spawn_named("machine", Machine);
    let plain = sys.spawn_named("plain", Mortal);
    let fragile = sys.spawner().name("fragile").spawn_with(|| Mortal);
    let unread = "plain (Mortal), 1 unread";
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
        "plain (Mortal), awaits in Wait, 1 unread",
        "fragile (Mortal), 0 unread, brought back 2 times",
    ];
    assert_eq!(statuses(&sys), expected);
    plain.kill();
    idle().await;
    assert_eq!(statuses(&sys), [expected[0], expected[2]]);
}

/// There are more actors than fit one report, and some reuse the slots of others.
#[tokio::test(start_paused = true)]
async fn they_come_in_the_order_of_their_spawns() {
    let sys = System::new();
    let actors: Vec<_> = (0..3_000).map(|_| sys.spawn(Mortal)).collect();
    for actor in actors.iter().step_by(3) {
        actor.kill();
    }
    idle().await;
    let late: Vec<_> = (0..1_500).map(|_| sys.spawn(Mortal)).collect();
    let living = actors.iter().enumerate().filter(|(at, _)| at % 3 > 0);
    let living = living.map(|(_, actor)| actor);
    let expected: Vec<_> = living.chain(&late).map(ActorRef::id).collect();
    let shown = live(&sys).actors().into_iter().map(|status| status.actor);
    let shown: Vec<_> = shown.collect();
    assert_eq!(shown, expected);
}

fn ages(sys: &System) -> Vec<Option<u64>> {
    let statuses = live(sys).actors();
    let ages = statuses.iter().map(|status| status.oldest);
    ages.map(|age| age.map(|age| age.as_secs())).collect()
}

#[tokio::test(start_paused = true)]
async fn the_oldest_unread_event_has_an_age() {
    let sys = System::new();
    let plain = sys.spawn(Mortal);
    let bounded = Mailbox::bounded(8).overflow(Overflow::DropOldest);
    let bounded = sys.spawner().mailbox(bounded).spawn(Mortal);
    for actor in [&plain, &bounded] {
        actor.tell(Wait);
        actor.tell(Go);
    }
    later(1).await;
    // Ages were not requested before.
    assert_eq!(ages(&sys), [None, None]);
    live(&sys).keep_ages();
    let late = sys.spawn(Mortal);
    // The first event is being handled, and so no longer unread.
    for event in 0..3 {
        match event {
            0 => late.tell(Wait),
            _ => late.tell(Go),
        }
        later(1).await;
    }
    assert_eq!(ages(&sys)[2], Some(2));
    assert!(statuses(&sys)[2].ends_with(", the oldest for 2.0s"));
    for actor in [&plain, &bounded] {
        actor.tell(Go);
    }
    later(4).await;
    // The previous event was sent before ages were requested.
    assert_eq!(ages(&sys), [Some(4), Some(4), Some(6)]);
    let rested = sys.spawn(Mortal);
    rested.tell(Go);
    later(1).await;
    assert_eq!(ages(&sys)[3], None);
}

/// A deferred event is unread, and the oldest of all.
#[tokio::test(start_paused = true)]
async fn what_is_deferred_has_an_age() {
    struct Slow;
    #[actor(states(Closed(defer(Go)), Open))]
    impl Slow {
        #[on(Open)]
        fn go(&mut self, _: Go) {}

        #[on(Closed)]
        fn stay(&mut self, _: Break) {}

        #[on]
        fn open(&mut self, _: Wait, cx: &mut Context<Self>) {
            cx.goto(SlowState::Open);
        }
    }
    let sys = System::new();
    live(&sys).keep_ages();
    let slow = sys.spawn(Slow);
    slow.tell(Go);
    later(3).await;
    slow.tell(Break);
    later(2).await;
    assert_eq!(ages(&sys), [Some(5)]);
    slow.tell(Wait);
    idle().await;
    assert_eq!(ages(&sys), [None]);
}
