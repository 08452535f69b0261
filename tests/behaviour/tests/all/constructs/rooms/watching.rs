//! The rules of monitors, announcements and predicates.

use std::io;

use actor_core::monitor;
use actor_core::prelude::*;
use actor_core::specification::{MonitorContext, World};

use crate::constructs::actors::*;
use crate::constructs::kit::{Kit, Row};
use crate::constructs::rules::rules;

/// A monitor that records the observed events.
struct Sees(Row);

#[monitor(hot(Odd), cold(Even))]
impl Sees {
    #[on]
    fn note(&mut self, note: &Note, cx: &mut MonitorContext<Self>) {
        let (from, to) = (cx.sender().is_some(), cx.target().is_some());
        let is_odd = cx.state() == SeesState::Odd;
        self.0
            .note(8 * note.0 + 4 * u64::from(is_odd) + 2 * u64::from(from) + u64::from(to));
        cx.goto(if is_odd {
            SeesState::Even
        } else {
            SeesState::Odd
        });
    }
}

/// A monitor that fails if a note is less than an earlier one.
#[derive(Default)]
struct Rising(u64);

#[monitor(cold(Quiet))]
impl Rising {
    #[on]
    fn note(&mut self, note: &Note) {
        assert!(note.0 >= self.0, "a note is less than one before");
        self.0 = note.0;
    }
}

/// Returns the number of events that the server has handled.
fn handled(server: &ActorRef<Player>, world: &World<'_>) -> u64 {
    world.get(server).map_or(0, Player::handled)
}

impl Kit {
    fn is_handled(&self, count: u64) -> impl FnMut(&World<'_>) -> bool + use<> {
        let server = self.server();
        move |world| handled(&server, world) >= count
    }
}

rules! {
    "watching" {
        monitor BODY ["System::monitor_with", "MonitorContext::sender", "MonitorContext::target",
            "MonitorContext::state", "MonitorContext::goto"] |k, _n| {
            k.sys().monitor_with(Sees(k.row.other(600)));
            0
        };
        monitor_rising BODY ["System::monitor"] |k, _n| { k.sys().monitor::<Rising>(); 0


        };
        announce STACKED ["Scope::announce"] |k, n| { k.sys().announce(Note(n)); 0 };
        announce_in_a_handler ACTOR ["Scope::announce"] |_k, n, cx| { cx.announce(Note(n)); 0 };
        always BODY ["System::always", "World::get"] |k, n| {
            let mut is_handled = k.is_handled(1 + n % 2);
            k.sys().always("few are handled", move |world| !is_handled(world));
            0
        };
        always_few BODY ["World::inbox_len", "World::in_flight"] |k, n| {
            let server = k.server();
            k.sys().always("little is on its way", move |world| {
                world.inbox_len(&server) + world.in_flight() <= 1 + n as usize % 2
            });
            0
        };
        always_no_timers BODY ["World::timers"] |k, n| {
            k.sys().always("few timers are armed", move |world| world.timers() <= n as usize % 2);
            0
        };
        always_together BODY ["World::all"] |k, n| {
            k.sys().always("all together handle little", move |world| {
                world.all::<Player>().map(Player::handled).sum::<u64>() <= n % 2
            });
            0
        };
        always_in_order BODY ["World::all_with_ids"] |k, _n| {
            k.sys().always("those who came first handle as much", |world| {
                let mut all: Vec<_> = world.all_with_ids::<Player>().collect();
                all.sort_by_key(|(id, _)| *id);
                all.is_sorted_by(|(_, one), (_, other)| one.handled() >= other.handled())
            });
            0
        };
        always_open BODY ["World::state_of"] |k, n| {
            let peer = k.peer(n);
            k.sys().always("it is open", move |world| world.state_of(&peer) != Some("Closed"));
            0
        };
        eventually BODY ["System::eventually"] |k, n| {
            k.sys().eventually("some are handled", k.is_handled(1 + n % 2));
            0
        };
        always_eventually BODY ["System::always_eventually"] |k, n| {
            k.sys().always_eventually("some are handled in the end", k.is_handled(1 + n % 2));
            0
        };
        sometimes BODY ["System::sometimes"] |k, n| {
            k.sys().sometimes("some are handled at times", k.is_handled(1 + n % 2));
            0
        };
        supply BODY ["System::fails"] |k, _n| { k.sys().fails("call", || io::ErrorKind::Other); 0 };
        supply_after BODY ["System::fails_after"] |k, _n| { k.sys().fails_after("call", || io::ErrorKind::Other); 0 };
        call ACTOR ["Context::fallible"] |_k, n, cx| {
            match cx.fallible("call", || Ok::<u64, io::ErrorKind>(n)) {
                Ok(value) => 1 + value,
                Err(_) => 0,
            }
        };
    }
}
