//! The tables of an actor and a monitor that the macros generate.

#![allow(dead_code)]

use actor_core::generated::{ActorInfo, Disposition, Moment};
use actor_core::prelude::*;
use actor_core::specification::{Monitor, Temperature};
use actor_core::{Actor, Handler, State};

use Disposition::{Defer, Handle, Ignore, Unhandled};

macro_rules! events {
    ($($name:ident),*) => {$(
        #[derive(Debug)]
        pub(crate) struct $name;
    )*};
}
events!(Ping, Pong, Stop, Tick, Go, Answer);

fn event_names(info: &ActorInfo) -> Vec<&str> {
    info.events.iter().map(|event| event.name).collect()
}

/// Returns the disposition of the event in each state, in the order of the states.
fn row<A: Handler<E>, E: actor_core::Event>() -> Vec<Disposition> {
    let states = A::INFO.states.len().max(1);
    (0..states)
        .map(|state| A::INFO.disposition(state, A::EVENT))
        .collect()
}

mod plain {
    use super::*;

    struct Server;

    #[actor(receive(Answer))]
    impl Server {
        #[on]
        fn ping(&mut self, _: Ping) {}

        #[on]
        fn pong(&self, _: Pong) -> u64 {
            1
        }
    }

    #[test]
    fn a_plain_actor_has_one_row() {
        assert_eq!(Server::INFO.name, "Server");
        assert_eq!(event_names(Server::INFO), ["Ping", "Pong", "Answer"]);
        assert!(Server::INFO.states.is_empty());
        assert_eq!(Server::INFO.dispositions, [Handle, Handle, Defer]);
        assert!(!Server::INFO.starts);
    }

    #[test]
    fn an_event_that_is_received_is_kept() {
        assert!(Server::INFO.defers);
        assert_eq!(row::<Server, Answer>(), [Defer]);
    }
}

mod precedence {
    use super::*;

    struct Machine;

    #[actor(
        states(
            First,
            Deferring(defer(Ping, Stop)),
            Ignoring(ignore(Ping, Tick), defer(Stop)),
            Own(defer(Ping), ignore(Stop, Tick)),
        ),
        receive(Answer)
    )]
    impl Machine {
        #[on]
        fn ping(&mut self, _: Ping) {}

        // Without a `cfg`, what a state handles by itself may not stand in its lists.
        #[cfg(test)]
        #[on(Own)]
        fn own_ping(&mut self, _: Ping) {}

        #[cfg(test)]
        #[on(First, Own)]
        fn stop(&mut self, _: Stop) {}

        #[on(Ignoring)]
        fn answer(&mut self, _: Answer) {}

        #[entry(Deferring)]
        fn enter(&mut self) {}
    }

    /// `#[on(S)]` beats what S defers or ignores, and that beats `#[on]`.
    #[test]
    fn the_nearest_word_counts() {
        assert_eq!(row::<Machine, Ping>(), [Handle, Defer, Ignore, Handle]);
        assert_eq!(row::<Machine, Stop>(), [Handle, Defer, Defer, Handle]);
        assert_eq!(
            row::<Machine, Tick>(),
            [Unhandled, Unhandled, Ignore, Ignore]
        );
    }

    #[test]
    fn what_is_received_is_kept_where_no_handler_takes_it() {
        assert_eq!(row::<Machine, Answer>(), [Defer, Defer, Handle, Defer]);
    }

    #[test]
    fn states_count_from_the_first() {
        assert_eq!(Machine::first_state(), MachineState::First);
        assert_eq!(
            Machine::INFO.states,
            ["First", "Deferring", "Ignoring", "Own"]
        );
        assert_eq!(MachineState::Own.index(), 3);
        assert!(Machine::INFO.defers);
        assert!(
            !Machine::INFO.starts,
            "only the first state's entry hook makes starting a step"
        );
    }
}

mod starting {
    use super::*;

    struct WithEntry;
    #[actor(states(First))]
    impl WithEntry {
        #[entry(First)]
        fn enter(&mut self) {}
    }

    struct WithStart;
    #[actor]
    impl WithStart {
        #[start]
        async fn start(&mut self, cx: &mut Context<Self>) {
            cx.halt();
        }
    }

    struct WithNeither;
    #[actor]
    impl WithNeither {
        #[stop]
        fn stop(&mut self) {}

        #[cfg(not(test))]
        #[start]
        fn start(&mut self) {}
    }

    #[test]
    fn starting_is_a_step_where_there_is_a_hook() {
        assert!(WithEntry::INFO.starts);
        assert!(WithStart::INFO.starts);
        assert!(!WithNeither::INFO.starts);
    }
}

mod names {
    use super::*;

    mod a {
        #[derive(Debug)]
        pub(super) struct Ping;
    }
    #[derive(Debug)]
    struct Put<T>(T);

    struct Many;

    #[actor]
    impl Many {
        #[on]
        fn ping(&mut self, _: Ping) {}
        #[on]
        fn other_ping(&mut self, _: a::Ping) -> u8 {
            1
        }
        #[on]
        fn put(&mut self, _: Put<u8>) {}
        #[on]
        fn put_more(&mut self, _: Put<Vec<u16>>) {}
        #[on]
        fn pair(&mut self, (_, _): (u8, u16)) {}
        #[on]
        fn number(&mut self, _: u64) {}
        #[on]
        fn path(&mut self, _: std::string::String) {}
    }

    #[test]
    fn events_are_named_as_shortly_as_can_be() {
        assert_eq!(
            event_names(Many::INFO),
            [
                "Ping",
                "a::Ping",
                "Put<u8>",
                "Put<Vec<u16>>",
                "(u8, u16)",
                "u64",
                "String"
            ]
        );
    }

    /// The message keeps apart what has the same name.
    #[test]
    fn each_event_comes_out_as_it_went_in() {
        let message = <Many as Handler<a::Ping>>::__message(a::Ping, actor_core::Reply::nobody());
        assert_eq!(
            Many::__event_index(&message),
            <Many as Handler<a::Ping>>::EVENT
        );
        let message = <Many as Handler<Ping>>::__unwrap(message).expect_err("it is the other ping");
        assert!(<Many as Handler<a::Ping>>::__unwrap(message).is_ok());
    }
}

/// Positions agree with the tables, whatever `cfg` leaves: here `test` holds.
mod conditions {
    use super::*;

    struct Some;

    #[actor(states(Up, Down(ignore(Ping))))]
    impl Some {
        #[cfg(not(test))]
        #[on]
        fn gone(&mut self, _: Gone) -> Gone {}

        #[cfg(test)]
        #[on]
        fn pong(&mut self, _: Pong) {}

        #[cfg(not(test))]
        #[on(Down)]
        fn ping_down(&mut self, _: Ping) {}

        #[on]
        fn ping(&mut self, _: Ping) {}

        #[cfg(test)]
        #[on(Down)]
        fn stop_down(&mut self, _: Stop) {}

        #[cfg(not(test))]
        #[on]
        fn stop(&mut self, _: Stop) -> () {}

        #[cfg(not(test))]
        #[on]
        fn tick(&mut self, _: Tick) -> u64 {
            compile_error!("not here")
        }

        #[cfg(test)]
        #[on]
        fn tick(&mut self, _: Tick) -> u64 {
            1
        }
    }

    #[test]
    fn handlers_that_are_left_out_leave_no_trace() {
        assert_eq!(event_names(Some::INFO), ["Pong", "Ping", "Stop", "Tick"]);
        assert_eq!(row::<Some, Pong>(), [Handle, Handle]);
        assert_eq!(row::<Some, Ping>(), [Handle, Ignore]);
        assert_eq!(row::<Some, Stop>(), [Unhandled, Handle]);
        assert_eq!(row::<Some, Tick>(), [Handle, Handle]);
        assert_eq!(<Some as Handler<Tick>>::EVENT, 3);
    }

    struct Watching;

    #[monitor(hot, cold)]
    impl Watching {
        #[cfg(not(test))]
        #[on]
        fn gone(&mut self, _: &Gone) {}

        #[on]
        fn ping(&mut self, _: &Ping) {}

        #[cfg(test)]
        #[on(handled)]
        fn pong(&mut self, _: &Pong) {}
    }

    #[test]
    fn so_do_observations() {
        let observed = Watching::INFO
            .observes
            .iter()
            .map(|seen| (seen.event.name, seen.moment));
        assert!(observed.eq([("Ping", Moment::Sent), ("Pong", Moment::Handled)]));
    }
}

mod monitors {
    use super::*;

    struct Answered;

    #[monitor(warm(Idle), hot(Pending, Late), cold(Quiet))]
    impl Answered {
        #[on]
        fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
            cx.goto(AnsweredState::Late);
        }

        #[on(handled, Pending, replied)]
        fn pong(&mut self, _: &Pong) {}

        #[on(Late, replied)]
        fn late(&mut self, _: &Pong) {}
    }

    struct TwoStates;
    #[monitor(hot, cold)]
    impl TwoStates {
        #[on]
        fn ping(&mut self, _: &Ping, cx: &mut MonitorContext<Self>) {
            cx.goto(TwoStatesState::Hot);
        }
    }

    struct NoStates;
    #[monitor]
    impl NoStates {}

    struct OnlyWarm;
    #[monitor(hot(Busy), warm(Idle))]
    impl OnlyWarm {}

    #[test]
    fn states_keep_their_order_and_the_first_cold_one_starts() {
        let states = [
            ("Idle", Temperature::Warm),
            ("Pending", Temperature::Hot),
            ("Late", Temperature::Hot),
            ("Quiet", Temperature::Cold),
        ];
        assert_eq!(Answered::INFO.states, states);
        assert_eq!(Answered::first_state(), AnsweredState::Quiet);
        assert_eq!(AnsweredState::Quiet.index(), 3);
        assert_eq!(OnlyWarm::first_state(), OnlyWarmState::Idle);
    }

    #[test]
    fn an_event_is_observed_once_a_moment() {
        let observed = Answered::INFO
            .observes
            .iter()
            .map(|seen| (seen.event.name, seen.moment));
        let expected = [
            ("Ping", Moment::Sent),
            ("Pong", Moment::Handled),
            ("Pong", Moment::Replied),
        ];
        assert!(observed.eq(expected));
    }

    #[test]
    fn the_bare_form_has_two_states() {
        let states = [("Hot", Temperature::Hot), ("Cold", Temperature::Cold)];
        assert_eq!(TwoStates::INFO.states, states);
        assert_eq!(TwoStates::first_state(), TwoStatesState::Cold);
    }

    #[test]
    fn a_monitor_without_states_only_asserts() {
        assert_eq!(NoStates::INFO.states, [("Watching", Temperature::Cold)]);
        assert!(NoStates::INFO.observes.is_empty());
    }
}
