//! In how many schedules the samples' bugs are found, for ten seeds each; and that the programs
//! without them are clean.
//!
//! `cargo run --profile actor-test -p samples --example odds [SCHEDULES [SAMPLE]]`

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Bounds, Report, Search, Semantics, Settings, Tester};
use samples::{
    ab_fairness, boot_spin, bounded_buffer, coffee_machine, failure_detector, lite_event,
    ping_pong, port_cancellation,
};

const SEEDS: u64 = 10;

fn main() {
    let schedules = std::env::args()
        .nth(1)
        .map_or(1_000, |text| text.parse().expect("a number"));
    let only = std::env::args().nth(2);
    let wanted = |sample: &str| only.as_deref().is_none_or(|only| only == sample);
    for strategy in ["random", "weighted"] {
        let odds = Odds {
            strategy: strategy.parse().expect("the name of a strategy"),
            schedules,
        };
        if wanted("ping_pong") {
            ping_pongs(&odds);
        }
        if wanted("ab_fairness") {
            fairness(&odds);
        }
        if wanted("coffee_machine") {
            coffee_machines(&odds);
        }
        if wanted("failure_detector") {
            failure_detectors(&odds);
        }
        if wanted("bounded_buffer") {
            buffers(&odds);
        }
        if wanted("port_cancellation") {
            ports(&odds);
        }
        if wanted("lite_event") {
            events(&odds);
        }
        if wanted("boot_spin") {
            boots(&odds);
        }
    }
}

struct Odds {
    strategy: StrategySpec,
    schedules: u64,
}

impl Odds {
    fn of(&self, name: &str, max_steps: u64, patient: bool, run: impl Fn(&Tester) -> Report) {
        let mut found = Vec::new();
        let mut first = String::new();
        for seed in 0..SEEDS {
            let mut settings = Settings::default();
            settings.seed = seed;
            settings.iterations = self.schedules;
            settings.search = Search::Strategies(vec![self.strategy.clone()]);
            settings.bounds = Bounds::new(max_steps);
            settings.semantics = Semantics::default();
            settings.semantics.patient_timers = patient;
            settings.keep_going = true;
            let report = run(&Tester::with(settings));
            found.push(report.strategies[0].bugs);
            if let Some(bug) = report.bugs().first() {
                first = bug.message().lines().next().unwrap_or_default().to_owned();
            }
        }
        let strategy = &self.strategy;
        println!(
            "{strategy:9} {name:42} {found:?} of {} each  {first}",
            self.schedules
        );
    }
}

fn ping_pongs(odds: &Odds) {
    for bug in [None, Some(ping_pong::Bug::OneAsker)] {
        odds.of(&format!("ping_pong {bug:?}"), 1_000, false, |tester| {
            tester.run(|sys| {
                ping_pong::set_up(sys, 3, 5, bug);
            })
        });
    }
}

fn fairness(odds: &Odds) {
    for bug in [None, Some(ab_fairness::Bug::DropStop)] {
        odds.of(&format!("ab_fairness {bug:?}"), 100, false, |tester| {
            tester.run(|sys| {
                ab_fairness::set_up(sys, bug);
            })
        });
    }
}

fn coffee_machines(odds: &Odds) {
    use coffee_machine::Bug::{HopperEqZero, NoHaltHandshake, RefillSilent};
    let run = |max_steps, bug| {
        odds.of(
            &format!("coffee_machine N={max_steps} {bug:?}"),
            max_steps,
            false,
            |tester| {
                tester.run(|sys| {
                    coffee_machine::set_up(sys, bug);
                })
            },
        );
    };
    run(200, None);
    for bug in [
        None,
        Some(HopperEqZero),
        Some(NoHaltHandshake),
        Some(RefillSilent),
    ] {
        run(1_000, bug);
    }
}

fn failure_detectors(odds: &Odds) {
    use failure_detector::Bug::{CountPings, EarlyVerdict, LateRegister};
    use failure_detector::{Accuracy, Backlog, Timing, set_up};
    let hurry = Timing {
        pause: Duration::from_millis(50),
        ..Timing::default()
    };
    for bug in [None, Some(LateRegister)] {
        odds.of(
            &format!("failure_detector {bug:?}"),
            1_000,
            false,
            |tester| {
                tester.run(|sys| {
                    set_up(sys, 2, hurry, bug);
                })
            },
        );
    }
    for (patient, bug) in [
        (false, None),
        (true, None),
        (false, Some(CountPings)),
        (true, Some(CountPings)),
    ] {
        let name = format!("failure_detector backlog patient={patient} {bug:?}");
        odds.of(&name, 1_000, patient, |tester| {
            tester.run(|sys| {
                sys.monitor::<Backlog>();
                set_up(sys, 2, hurry, bug);
            })
        });
    }
    for bug in [None, Some(EarlyVerdict)] {
        odds.of(
            &format!("failure_detector accuracy {bug:?}"),
            1_000,
            true,
            |tester| {
                tester.run(|sys| {
                    sys.monitor::<Accuracy>();
                    set_up(sys, 2, Timing::default(), bug);
                })
            },
        );
    }
}

fn buffers(odds: &Odds) {
    use bounded_buffer::{Bug, Load, everyone_works, set_up};
    let load = Load {
        capacity: 1,
        producers: 1,
        puts: 10,
        consumers: 2,
        takes: 5,
    };
    let smallest = Load {
        puts: 2,
        takes: 1,
        ..load
    };
    for (name, load) in [("", load), (" smallest", smallest)] {
        for bug in [None, Some(Bug::WakeOne)] {
            odds.of(
                &format!("bounded_buffer{name} {bug:?}"),
                1_000,
                false,
                |tester| {
                    tester.run_async(move |sys: System| async move {
                        everyone_works(&set_up(&sys, load, bug)).await;
                    })
                },
            );
        }
    }
}

fn ports(odds: &Odds) {
    use port_cancellation::{AllOrNone, Bug, both_work, set_up};
    for (tasks, bug) in [
        (2, None),
        (1, Some(Bug::FlagNotSet)),
        (2, Some(Bug::FlagNotSet)),
    ] {
        let name = format!("port_cancellation {tasks} tasks {bug:?}");
        odds.of(&name, 1_000, false, |tester| {
            tester.run_async(move |sys: System| async move {
                sys.monitor::<AllOrNone>();
                let (receiver, canceller) = set_up(&sys, tasks, bug);
                both_work(&receiver, &canceller).await;
            })
        });
    }
}

fn events(odds: &Odds) {
    use lite_event::{Bug, everyone_waits, set_up};
    for (waiters, bug) in [
        (3, None),
        (1, Some(Bug::DisposedByTheFirst)),
        (2, Some(Bug::DisposedByTheFirst)),
    ] {
        let name = format!("lite_event {waiters} waiters {bug:?}");
        odds.of(&name, 1_000, false, |tester| {
            tester.run_async(move |sys: System| async move {
                everyone_waits(&set_up(&sys, waiters, bug)).await;
            })
        });
    }
}

fn boots(odds: &Odds) {
    for bug in [None, Some(boot_spin::Bug::HaltReturnsIfAny)] {
        odds.of(&format!("boot_spin {bug:?}"), 100, false, |tester| {
            tester.run(|sys| {
                boot_spin::set_up(sys, 1, bug);
            })
        });
    }
}
