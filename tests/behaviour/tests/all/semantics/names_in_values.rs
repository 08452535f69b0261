//! Actors inside events, states and answers are shown by their names.

use actor_core::prelude::*;
use actor_test::{Report, Tester};
use behaviour::harness::events::Halt;
use behaviour::harness::failure_text;

#[derive(Clone, Debug)]
struct Meet(ActorRef<Guest>);

#[derive(Clone, Debug)]
struct Later(ActorRef<Guest>);

#[derive(Clone, Debug)]
struct Who;

/// Stores the actor that it has met, and defers an early event.
#[derive(Debug, Default)]
struct Guest {
    met: Option<ActorRef<Guest>>,
}

#[actor(states(Alone(defer(Later)), Together))]
impl Guest {
    #[on]
    fn meet(&mut self, meet: Meet, cx: &mut Context<Self>) {
        self.met = Some(meet.0);
        cx.goto(GuestState::Together);
    }

    #[on]
    fn who(&mut self, _: Who) -> Option<ActorRef<Guest>> {
        self.met.clone()
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[on(Together)]
    fn later(&mut self, later: Later) {
        self.met = Some(later.0);
    }
}

/// Fails at every meeting, and shows it.
#[derive(Debug, Default)]
struct Host {
    last: Option<Meet>,
}

#[monitor(hot, cold)]
impl Host {
    #[on]
    fn meet(&mut self, meet: &Meet, cx: &mut MonitorContext<Self>) {
        self.last = Some(meet.clone());
        cx.goto(HostState::Hot);
    }
}

#[track_caller]
fn assert_named(report: &Report, value: &str) {
    let texts = [failure_text(report), format!("{report:?}")];
    let has = |part| texts.iter().any(|text| text.contains(part));
    assert!(has(value), "{}", texts[0]);
    for raw in ["\u{fac70}", "\\u{fac70}"] {
        assert!(!has(raw), "{texts:?}");
    }
}

fn guests(sys: &System) -> [ActorRef<Guest>; 2] {
    [(); 2].map(|()| sys.spawn(Guest::default()))
}

#[test]
fn in_an_event_that_is_deferred_to_the_end() {
    let report = Tester::new().run(|sys| {
        let [one, other] = guests(&sys);
        one.tell(Later(other));
    });
    assert_named(&report, "Later(Guest#2)");
}

#[test]
fn in_what_a_monitor_has_seen() {
    let report = Tester::new().run(|sys| {
        sys.monitor::<Host>();
        let [one, other] = guests(&sys);
        one.tell(Meet(other));
    });
    assert_named(&report, "Meet(Guest#2)");
}

#[test]
fn in_a_letter_that_nobody_takes() {
    let report = Tester::new().run(async |sys| {
        let [one, other] = guests(&sys);
        one.tell(Halt);
        one.stopped().await;
        one.tell(Meet(other.clone()));
        panic!("{:?}", other.ask(Who).await);
    });
    assert_named(&report, "Meet(Guest#2)");
}

/// In a state and an answer, and in a panic message of the program.
#[test]
fn in_an_answer_and_in_what_the_body_says_of_it() {
    let report = Tester::new().run(async |sys| {
        let [one, other] = guests(&sys);
        one.tell(Meet(other));
        let met = one.ask(Who).await.expect("it answers");
        panic!("it has met {met:?}");
    });
    assert_named(&report, "it has met Some(Guest#2)");
    assert_named(&report, "met: None → Some(Guest#2)");
}
