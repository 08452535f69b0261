//! State machines: entry and exit, `goto`, `raise`, `halt`, `defer` and `ignore`.

use crate::support::{Journal, idle};
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

struct Door {
    journal: Journal,
}

#[actor(states(Shut(defer(Enter), ignore(Leave)), Ajar))]
impl Door {
    #[start]
    fn start(&mut self) {
        self.journal.note("start");
    }

    #[entry(Shut)]
    fn enter_shut(&mut self, cx: &mut Context<Self>) {
        self.journal.note(format!("entry {:?}", cx.state()));
    }

    #[exit(Shut)]
    fn exit_shut(&mut self, cx: &mut Context<Self>) {
        self.journal.note(format!("exit {:?}", cx.state()));
    }

    #[entry(Ajar)]
    fn enter_ajar(&mut self, cx: &mut Context<Self>) {
        self.journal.note(format!("entry {:?}", cx.state()));
    }

    #[exit(Ajar)]
    async fn exit_ajar(&mut self, cx: &mut Context<Self>) {
        self.journal.note(format!("exit {:?}", cx.state()));
    }

    #[on(Shut)]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        self.journal.note("open");
        cx.goto(DoorState::Ajar);
    }

    #[on(Ajar)]
    fn walk_in(&mut self, enter: Enter) {
        self.journal.note(format!("walk in {}", enter.0));
    }

    #[on(Ajar)]
    fn walk_out(&mut self, _: Leave) {
        self.journal.note("walk out");
    }

    #[on(Ajar)]
    fn knock_ajar(&mut self, _: Knock, cx: &mut Context<Self>) {
        self.journal.note("knock");
        cx.raise(Slam);
    }

    #[on(Shut)]
    fn knock_shut(&mut self, _: Knock, cx: &mut Context<Self>) {
        self.journal.note("knock");
        cx.goto(DoorState::Shut);
    }

    #[on(Ajar)]
    fn slam(&mut self, _: Slam, cx: &mut Context<Self>) {
        self.journal.note("slam");
        cx.goto(DoorState::Shut);
    }

    #[on]
    fn remove(&mut self, _: Remove, cx: &mut Context<Self>) {
        self.journal.note("remove");
        cx.halt();
        self.journal.note("still removing");
    }

    #[stop]
    fn stop(&mut self) {
        self.journal.note("stop");
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.journal.note("dropped");
    }
}

fn door(sys: &System) -> (ActorRef<Door>, Journal) {
    let journal = Journal::new();
    let door = sys.spawn(Door {
        journal: journal.clone(),
    });
    (door, journal)
}

#[tokio::test(start_paused = true)]
async fn it_starts_in_the_first_state() {
    let sys = System::new();
    let (_door, journal) = door(&sys);
    idle().await;
    journal.expect(["start", "entry Shut"]);
}

#[tokio::test(start_paused = true)]
async fn goto_exits_then_enters() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Open);
    idle().await;
    journal.expect(["start", "entry Shut", "open", "exit Shut", "entry Ajar"]);
}

#[tokio::test(start_paused = true)]
async fn goto_to_the_same_state_exits_and_enters() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Knock);
    idle().await;
    journal.expect(["start", "entry Shut", "knock", "exit Shut", "entry Shut"]);
}

#[tokio::test(start_paused = true)]
async fn deferred_events_come_first_and_in_order_in_the_next_state() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Enter(1));
    door.tell(Leave); // ignored
    door.tell(Enter(2));
    door.tell(Open);
    door.tell(Enter(3));
    idle().await;
    let before = ["start", "entry Shut", "open", "exit Shut", "entry Ajar"];
    let walks = ["walk in 1", "walk in 2", "walk in 3"];
    journal.expect([&before[..], &walks[..]].concat());
}

#[tokio::test(start_paused = true)]
async fn a_deferred_event_waits_through_several_states() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Enter(1));
    door.tell(Knock); // Shut to Shut: still deferred
    idle().await;
    journal.expect(["start", "entry Shut", "knock", "exit Shut", "entry Shut"]);
    door.tell(Open);
    idle().await;
    journal.expect(["open", "exit Shut", "entry Ajar", "walk in 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_raised_event_goes_before_the_inbox() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Open);
    idle().await;
    journal.expect(["start", "entry Shut", "open", "exit Shut", "entry Ajar"]);
    door.tell(Knock); // raises Slam, which shuts
    door.tell(Leave); // so this is ignored
    idle().await;
    journal.expect(["knock", "slam", "exit Ajar", "entry Shut"]);
}

#[tokio::test(start_paused = true)]
async fn halt_takes_effect_when_the_handler_returns() {
    let sys = System::new();
    let (door, journal) = door(&sys);
    door.tell(Remove);
    door.tell(Open);
    idle().await;
    let removal = ["remove", "still removing", "stop", "dropped"];
    journal.expect([&["start", "entry Shut"][..], &removal[..]].concat());
    assert_eq!(sys.as_live().unwrap().dead_letters(), 1);
    assert_eq!(sys.as_live().unwrap().actor_count(), 0);
}

struct Elsewhere {
    journal: Journal,
}

#[actor(states(Here, There))]
impl Elsewhere {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        self.journal.note("start");
        cx.goto(ElsewhereState::There);
    }

    #[entry(Here)]
    fn here(&mut self) {
        self.journal.note("here");
    }

    #[entry(There)]
    fn there(&mut self, cx: &mut Context<Self>) {
        self.journal.note("there");
        cx.halt();
    }

    #[on(Here)]
    fn open(&mut self, _: Open) {}
}

#[tokio::test(start_paused = true)]
async fn a_start_hook_chooses_the_state_to_start_in() {
    let sys = System::new();
    let journal = Journal::new();
    sys.spawn(Elsewhere {
        journal: journal.clone(),
    });
    idle().await;
    journal.expect(["start", "there"]);
    assert_eq!(sys.as_live().unwrap().actor_count(), 0);
}
