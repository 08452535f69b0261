//! State machines: entry and exit, `goto`, `raise`, `halt`, `defer` and `ignore`, on both executors.

use actor_core::prelude::*;
use behaviour::harness::events::{Go, Halt};
use behaviour::harness::{Journal, contract};

use super::{assert_lost, follows};

#[derive(Debug)]
struct Enter(u32);
#[derive(Debug)]
struct Knock;
#[derive(Debug)]
struct Slam;
#[derive(Debug)]
struct Leave;

/// Opens at `Go`.
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
    fn open(&mut self, _: Go, cx: &mut Context<Self>) {
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
    fn remove(&mut self, _: Halt, cx: &mut Context<Self>) {
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

#[test]
fn a_door_follows_its_states() {
    follows(
        Door,
        &[
            (
                "`goto` exits, then enters",
                |door| door.tell(Go),
                "start, entry Shut, open, exit Shut, entry Ajar, stop, dropped",
            ),
            (
                "`goto` to the same state exits and enters",
                |door| door.tell(Knock),
                "start, entry Shut, knock, exit Shut, entry Shut, stop, dropped",
            ),
            (
                "deferred events come first and in order in the next state; others are ignored",
                |door| {
                    door.tell(Enter(1));
                    door.tell(Leave);
                    door.tell(Enter(2));
                    door.tell(Go);
                    door.tell(Enter(3));
                },
                "start, entry Shut, open, exit Shut, entry Ajar, \
                 walk in 1, walk in 2, walk in 3, stop, dropped",
            ),
            (
                "a deferred event waits through several states",
                |door| {
                    door.tell(Enter(1));
                    door.tell(Knock);
                    door.tell(Go);
                },
                "start, entry Shut, knock, exit Shut, entry Shut, \
                 open, exit Shut, entry Ajar, walk in 1, stop, dropped",
            ),
            (
                "a raised event goes before the inbox: the door is shut when somebody leaves",
                |door| {
                    door.tell(Go);
                    door.tell(Knock);
                    door.tell(Leave);
                },
                "start, entry Shut, open, exit Shut, entry Ajar, \
                 knock, slam, exit Ajar, entry Shut, stop, dropped",
            ),
        ],
    );
}

#[test]
fn halt_takes_effect_when_the_handler_returns() {
    let expected = "start, entry Shut, remove, still removing, stop, dropped: Halted";
    contract(&[expected], async |sys| {
        let journal = Journal::default();
        let door = sys.spawn(Door(journal.clone()));
        door.tell(Halt);
        door.tell(Go);
        let end = door.stopped().await;
        assert_lost(&sys, 1);
        let live = sys.as_live();
        assert!(live.is_none_or(|live| live.actor_count() == 0));
        format!("{}: {end:?}", journal.take().join(", "))
    });
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
    fn go(&mut self, _: Go) {}
}

#[test]
fn a_start_hook_chooses_the_state_to_start_in() {
    contract(&["start, there: Halted"], async |sys| {
        let journal = Journal::default();
        let end = sys.spawn(Elsewhere(journal.clone())).stopped().await;
        format!("{}: {end:?}", journal.take().join(", "))
    });
}
