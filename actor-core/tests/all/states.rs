//! State machines: entry and exit, `goto`, `raise`, `halt`, `defer` and `ignore`.

use crate::support::{Journal, idle, journaled};
use actor_core::prelude::*;

#[derive(Debug)]
struct Open;
#[derive(Debug)]
struct Enter(u32);
#[derive(Debug)]
struct Knock;
#[derive(Debug)]
struct Slam;
#[derive(Debug)]
struct Leave;
#[derive(Debug)]
struct Remove;

struct Door(Journal);

#[actor(states(Shut(defer(Enter), ignore(Leave)), Ajar))]
impl Door {
    #[start]
    fn start(&mut self) {
        self.0.note("start");
    }

    #[entry(Shut, Ajar)]
    fn enter(&mut self, cx: &mut Context<Self>) {
        self.0.note(format!("entry {:?}", cx.state()));
    }

    #[exit(Shut)]
    fn exit_shut(&mut self, cx: &mut Context<Self>) {
        self.0.note(format!("exit {:?}", cx.state()));
    }

    #[exit(Ajar)]
    async fn exit_ajar(&mut self, cx: &mut Context<Self>) {
        self.0.note(format!("exit {:?}", cx.state()));
    }

    #[on(Shut)]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        self.0.note("open");
        cx.goto(DoorState::Ajar);
    }

    #[on(Ajar)]
    fn walk_in(&mut self, enter: Enter) {
        self.0.note(format!("walk in {}", enter.0));
    }

    #[on(Ajar)]
    fn walk_out(&mut self, _: Leave) {
        self.0.note("walk out");
    }

    #[on(Ajar)]
    fn knock_ajar(&mut self, _: Knock, cx: &mut Context<Self>) {
        self.0.note("knock");
        cx.raise(Slam);
    }

    #[on(Shut)]
    fn knock_shut(&mut self, _: Knock, cx: &mut Context<Self>) {
        self.0.note("knock");
        cx.goto(DoorState::Shut);
    }

    #[on(Ajar)]
    fn slam(&mut self, _: Slam, cx: &mut Context<Self>) {
        self.0.note("slam");
        cx.goto(DoorState::Shut);
    }

    #[on]
    fn remove(&mut self, _: Remove, cx: &mut Context<Self>) {
        self.0.note("remove");
        cx.halt();
        self.0.note("still removing");
    }

    #[stop]
    fn stop(&mut self) {
        self.0.note("stop");
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

/// Spawns a door, which has entered its first state.
async fn door() -> (System, ActorRef<Door>, Journal) {
    let (sys, door, journal) = journaled(Door);
    idle().await;
    journal.expect(["start", "entry Shut"]);
    (sys, door, journal)
}

#[tokio::test(start_paused = true)]
async fn goto_exits_then_enters() {
    let (_sys, door, journal) = door().await;
    door.tell(Open);
    idle().await;
    journal.expect(["open", "exit Shut", "entry Ajar"]);
}

#[tokio::test(start_paused = true)]
async fn goto_to_the_same_state_exits_and_enters() {
    let (_sys, door, journal) = door().await;
    door.tell(Knock);
    idle().await;
    journal.expect(["knock", "exit Shut", "entry Shut"]);
}

#[tokio::test(start_paused = true)]
async fn deferred_events_come_first_and_in_order_in_the_next_state() {
    let (_sys, door, journal) = door().await;
    door.tell(Enter(1));
    door.tell(Leave); // ignored
    door.tell(Enter(2));
    door.tell(Open);
    door.tell(Enter(3));
    idle().await;
    let walks = ["walk in 1", "walk in 2", "walk in 3"];
    journal.expect([&["open", "exit Shut", "entry Ajar"][..], &walks].concat());
}

#[tokio::test(start_paused = true)]
async fn a_deferred_event_waits_through_several_states() {
    let (_sys, door, journal) = door().await;
    door.tell(Enter(1));
    door.tell(Knock); // Shut to Shut: still deferred
    idle().await;
    journal.expect(["knock", "exit Shut", "entry Shut"]);
    door.tell(Open);
    idle().await;
    journal.expect(["open", "exit Shut", "entry Ajar", "walk in 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_raised_event_goes_before_the_inbox() {
    let (_sys, door, journal) = door().await;
    door.tell(Open);
    idle().await;
    journal.expect(["open", "exit Shut", "entry Ajar"]);
    door.tell(Knock); // raises Slam, which shuts
    door.tell(Leave); // so this is ignored
    idle().await;
    journal.expect(["knock", "slam", "exit Ajar", "entry Shut"]);
}

#[tokio::test(start_paused = true)]
async fn halt_takes_effect_when_the_handler_returns() {
    let (sys, door, journal) = door().await;
    door.tell(Remove);
    door.tell(Open);
    idle().await;
    journal.expect(["remove", "still removing", "stop", "dropped"]);
    assert_eq!(sys.as_live().unwrap().dead_letters(), 1);
    assert_eq!(sys.as_live().unwrap().actor_count(), 0);
}

struct Elsewhere(Journal);

#[actor(states(Here, There))]
impl Elsewhere {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        self.0.note("start");
        cx.goto(ElsewhereState::There);
    }

    #[entry(Here)]
    fn here(&mut self) {
        self.0.note("here");
    }

    #[entry(There)]
    fn there(&mut self, cx: &mut Context<Self>) {
        self.0.note("there");
        cx.halt();
    }

    #[on(Here)]
    fn open(&mut self, _: Open) {}
}

#[tokio::test(start_paused = true)]
async fn a_start_hook_chooses_the_state_to_start_in() {
    let (sys, _elsewhere, journal) = journaled(Elsewhere);
    idle().await;
    journal.expect(["start", "there"]);
    assert_eq!(sys.as_live().unwrap().actor_count(), 0);
}
