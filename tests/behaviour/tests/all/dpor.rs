//! Inbox-DPOR runs each behaviour once, and leaves none out.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Mailbox, actor};
use actor_test::strategy::{Beyond, StrategySpec};
use actor_test::{Gap, Report, Tester};
use behaviour::programs::*;
use behaviour::talkers::{Talk, Uses};
use rand_core::Rng;

fn explore(program: impl Fn(&System) + Sync) -> Report {
    let report = Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dpor)
        .run(program);
    report.assert_clean();
    report
}

/// How many behaviours there are, each of which was run once.
fn count(program: impl Fn(&System) + Sync) -> u64 {
    let report = explore(program);
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!(report.executions, report.behaviours.seen, "one twice");
    report.executions
}

#[test]
fn known_programs_have_as_many_behaviours_as_they_should() {
    assert_eq!(count(|sys| fan_in(sys, 3, 1)), 6);
    assert_eq!(count(|sys| fan_in(sys, 4, 1)), 24);
    assert_eq!(count(|sys| fan_in(sys, 5, 1)), 120);
    assert_eq!(count(|sys| fan_in(sys, 2, 3)), 20);
    assert_eq!(count(|sys| fan_in(sys, 2, 4)), 70);
    assert_eq!(count(|sys| fan_in(sys, 3, 2)), 90);
    assert_eq!(count(|sys| fan_in(sys, 2, 6)), 924);
    assert_eq!(count(|sys| pairs(sys, 3)), 1);
    assert_eq!(count(|sys| two_phase_commit(sys, 2)), 8);
    assert_eq!(count(|sys| two_phase_commit(sys, 3)), 48);
    assert_eq!(count(|sys| two_phase_commit(sys, 4)), 384);
    assert_eq!(count(|sys| client_server(sys, 2, 2)), 6);
    assert_eq!(count(|sys| client_server(sys, 2, 4)), 70);
    assert_eq!(count(|sys| client_server(sys, 3, 2)), 90);
    assert_eq!(count(|sys| ping_pong(sys, 5)), 1);
    assert_eq!(count(|sys| triangle(sys, false)), 1);
    assert_eq!(count(|sys| triangle(sys, true)), 2);
    assert_eq!(count(|sys| readers_writer(sys, 2)), 6);
    assert_eq!(count(|sys| readers_writer(sys, 3)), 24);
    assert_eq!(count(|sys| readers_writer(sys, 4)), 120);
    assert_eq!(count(|sys| flood(sys, 2)), 1);
    assert_eq!(count(|sys| flood(sys, 3)), 8);
    assert_eq!(count(|sys| flood(sys, 4)), 1296);
    assert_eq!(count(|sys| lock_server(sys, 2)), 4);
    assert_eq!(count(|sys| lock_server(sys, 3)), 30);
    assert_eq!(count(|sys| lock_server(sys, 4)), 336);
    assert_eq!(count(|sys| philosophers(sys, 2)), 5);
    assert_eq!(count(|sys| philosophers(sys, 3)), 37);
    assert_eq!(count(|sys| pipeline(sys, 3, 3)), 1);
    assert_eq!(count(|sys| paxos(sys, 1, 3)), 72);
    assert_eq!(count(|sys| paxos(sys, 2, 2)), 100);
}

#[test]
fn paxos_with_two_proposers_and_three_acceptors() {
    assert_eq!(count(|sys| paxos(sys, 2, 3)), 26_136);
}

/// How many programs of each kind: `DPOR` says so, for a night.
fn programs(short: u64) -> u64 {
    let given = std::env::var("DPOR").ok();
    given.map_or(short, |given| given.parse().expect("a number"))
}

/// The behaviours that are found are those of all schedules, each once, and so are the ends and the bugs.
fn assert_as_brute_force(uses: Uses, programs: u64, schedules_max: u64) -> u64 {
    let spec = |name: &str| -> StrategySpec { name.parse().expect("a strategy") };
    let (mut compared, mut schedules, mut behaviours, mut most) = (0, 0, 0, 0);
    for number in 0..programs {
        let talk = Talk::random(number, uses);
        let (mut all, report) = talk.explore(&spec("dfs-local"), schedules_max);
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (mut found, dpor) = talk.explore(&spec("dpor"), u64::MAX);
        assert!(dpor.verdict.is_exhaustive(), "{talk:?}: {:?}", dpor.verdict);
        all.ends.dedup();
        if uses.monitor || uses.predicate {
            // What they note does not tell all that they have seen.
            found.ends.dedup();
        }
        assert_eq!(found.ends.len(), all.ends.len(), "{talk:?}");
        assert_eq!(found, all, "{talk:?}");
        compared += 1;
        schedules += report.executions;
        behaviours += found.ends.len();
        most = most.max(found.ends.len());
    }
    println!(
        "{uses:?}: {compared} programs, {schedules} schedules, {behaviours} behaviours, {most} at most"
    );
    compared
}

const TELLS: Uses = Uses {
    choices: false,
    spawns: false,
    halts: false,
    asks: false,
    panics: false,
    monitor: false,
    predicate: false,
};

/// Each of what programs may use by itself, and most of it together.
const ALL_USES: [Uses; 10] = [
    TELLS,
    Uses {
        choices: true,
        ..TELLS
    },
    Uses {
        spawns: true,
        ..TELLS
    },
    Uses {
        halts: true,
        ..TELLS
    },
    Uses {
        asks: true,
        ..TELLS
    },
    Uses {
        panics: true,
        ..TELLS
    },
    Uses {
        monitor: true,
        asks: true,
        ..TELLS
    },
    Uses {
        predicate: true,
        choices: true,
        ..TELLS
    },
    Uses {
        choices: true,
        spawns: true,
        halts: true,
        ..TELLS
    },
    Uses {
        choices: true,
        spawns: true,
        asks: true,
        ..TELLS
    },
];

#[test]
fn random_programs_have_the_behaviours_of_all_schedules() {
    let all = ALL_USES.map(|uses| assert_as_brute_force(uses, programs(40), 300));
    // Those with more schedules were not compared.
    assert!(all.iter().sum::<u64>() > 2 * programs(40), "{all:?}");
}

#[test]
#[ignore = "takes minutes: .ci/long runs it"]
fn ten_thousand_random_programs_have_the_behaviours_of_all_schedules() {
    let all = ALL_USES.map(|uses| assert_as_brute_force(uses, programs(1_250), 5_000));
    assert!(all.iter().sum::<u64>() > 2 * programs(1_250), "{all:?}");
}

/// Says what it can't follow and of whom, and claims nothing.
#[track_caller]
fn assert_outside(what: Beyond, who: &str, program: impl Fn(&System) + Sync) {
    let report = explore(program);
    let who = Some(who.to_owned());
    assert_eq!(report.verdict.gaps, [Gap::Outside { what, who }]);
}

#[derive(Debug)]
struct Go;

struct Clerk {
    act: fn(&mut Context<Clerk>),
}

#[actor]
impl Clerk {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        (self.act)(cx);
    }
}

fn clerk(sys: &System, act: fn(&mut Context<Clerk>)) {
    sys.spawn(Clerk { act }).tell(Go);
    // Something comes after it.
    sys.spawn(Clerk { act: |_| {} }).tell(Go);
}

#[test]
fn what_it_cannot_follow_is_named() {
    assert_outside(Beyond::Clock, "Clerk#1", |sys| {
        clerk(sys, |cx| assert!(cx.now().is_zero()));
    });
    assert_outside(Beyond::Timer, "Clerk#1", |sys| {
        clerk(sys, |cx| drop(cx.after(Duration::from_secs(1), Go)));
    });
    assert_outside(Beyond::Room, "test", |sys| {
        let one = sys.spawner().mailbox(Mailbox::bounded(1));
        one.spawn(Clerk { act: |_| {} }).tell(Go);
    });
    assert_outside(Beyond::Predicate, "test", |sys| {
        sys.always("they are few", |w| w.in_flight() < 9);
        clerk(sys, |_| {});
    });
    let report = explore(|sys| {
        clerk(sys, |cx| {
            let _ = cx.rng().next_u32();
        });
    });
    assert_eq!(report.verdict.gaps, [Gap::Seeds { executions: 1 }]);
}
