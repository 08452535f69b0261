//! Periodic timers in exhaustive searches: every order of ticks and other steps, up to a bound on ticks.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Timer, actor, task, thread};
use actor_test::Report;
use actor_test::strategy::{Gap, Reduction};
use behaviour::closures::at_start;
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{Journal, journals, whole};
use behaviour::players::FeatureProgram;

use crate::search::{programs, reduction, search};

/// Returns the number of behaviours that `dpor` has met.
fn behaviours(report: &Report) -> u64 {
    match reduction(report) {
        Reduction::Steps { behaviours, .. } => *behaviours,
        other => panic!("{other:?}"),
    }
}

/// Counts the ticks of its periodic timer, and cancels it at the last one.
#[derive(Default)]
struct Ticker {
    ticks: u32,
    last: u32,
    /// Fails if an event comes after this number of ticks.
    fails_at: Option<u32>,
    timer: Option<Timer>,
}

#[actor]
impl Ticker {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.timer = Some(cx.every(Duration::from_secs(1), Tick));
    }

    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.ticks += 1;
        if self.ticks == self.last
            && let Some(timer) = self.timer.take()
        {
            cx.cancel(timer);
        }
    }

    #[on]
    fn go(&mut self, _: Go) {
        assert_ne!(Some(self.ticks), self.fails_at, "it has ticked so often");
    }
}

/// Spawns actors that only start, and then a ticker.
fn starts_beside(starts: u32, ticker: Ticker) -> impl Fn(&System) {
    let last = ticker.last;
    move |sys| {
        for _ in 0..starts {
            at_start(sys, |_| ());
        }
        sys.spawn(Ticker {
            last,
            ..Ticker::default()
        });
    }
}

/// A start comes before, between or after the two free ticks. The ticks were cut unless the second one came
/// after all starts.
#[test]
fn each_start_comes_before_between_or_after_two_ticks() {
    for starts in 0..5 {
        let report = search("dpor", starts_beside(starts, Ticker::default()));
        let all = 3_u64.pow(starts);
        let (bound, executions) = (2, all - 2_u64.pow(starts));
        assert_eq!(behaviours(&report), all, "{starts} starts");
        let gap = Gap::Ticks { bound, executions };
        let gaps: Vec<Gap> = (executions > 0).then_some(gap).into_iter().collect();
        assert_eq!(report.verdict.gaps, gaps);
        assert_eq!(report.verdict.is_exhaustive(), starts == 0);
    }
}

#[test]
fn a_timer_that_ticks_once_is_proved() {
    let once = Ticker {
        last: 1,
        ..Ticker::default()
    };
    let program = starts_beside(3, once);
    for name in ["dpor", "dfs"] {
        let report = search(name, &program);
        assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    }
    assert_eq!(behaviours(&search("dpor", &program)), 8);
}

#[test]
fn patient_ticks_wait_for_everything() {
    let program = starts_beside(4, Ticker::default());
    let tester = whole("dpor").patient_timers(true);
    let report = tester.run(|sys| program(&sys));
    assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
    assert_eq!(behaviours(&report), 1);
}

/// Searches for the bug that the event to the ticker comes after this number of ticks.
fn after(name: &str, ticks: u32) -> Report {
    search(name, |sys| {
        let ticker = sys.spawn(Ticker {
            fails_at: Some(ticks),
            ..Ticker::default()
        });
        at_start(sys, move |_| ticker.tell(Go));
    })
}

#[test]
fn an_event_comes_after_at_most_two_ticks() {
    for name in ["dpor", "dfs", "dfs:local"] {
        for ticks in 0..4 {
            let report = after(name, ticks);
            assert_eq!(report.bugs().len(), usize::from(ticks <= 2), "{name}");
            let is_cut = |gap: &Gap| matches!(gap, Gap::Ticks { bound: 2, .. });
            assert!(report.verdict.gaps.iter().any(is_cut), "{name}: {report:?}");
        }
    }
}

/// Fails at its fourth tick.
#[derive(Hash)]
struct Fourth(u32);

#[actor]
impl Fourth {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_secs(1), Tick);
    }

    #[on]
    fn tick(&mut self, _: Tick) {
        self.0 += 1;
        assert_ne!(self.0, 4, "it has ticked too often");
    }
}

/// An execution ends after three ticks beside which nothing happens, so a fourth one is due to one that came
/// before a step of another actor, which may be local.
#[test]
fn a_tick_comes_before_a_local_step() {
    let names = [
        "dpor",
        "dfs",
        "dfs:local",
        "states",
        "states:local",
        "states:order=breadth",
    ];
    for name in names {
        for (starts, bugs) in [(0, 0), (1, 1)] {
            let report = whole(name).run(|sys| {
                for _ in 0..starts {
                    at_start(&sys, |_| ());
                }
                sys.spawn(Fourth(0));
            });
            assert_eq!(report.bugs().len(), bugs, "{name}");
        }
    }
}

/// True if the search has ended, and left out nothing but ticks.
fn is_over(report: &Report) -> bool {
    let mut gaps = report.verdict.gaps.iter();
    gaps.all(|gap| matches!(gap, Gap::Ticks { .. }))
}

/// Compares random programs with periodic timers with their enumeration over all schedules. Returns the
/// number of programs that were compared.
fn compared(programs: u64, schedules_max: u64) -> u64 {
    let compared = (0..programs).filter(|number| {
        let play = FeatureProgram::ticking(*number);
        let (all, dfs) = play.explore("dfs", schedules_max);
        if !is_over(&dfs) || !play.ticks() {
            return false;
        }
        let (found, dpor) = play.explore("dpor", u64::MAX);
        assert!(is_over(&dpor), "program {number}: {:?}", dpor.verdict.gaps);
        assert_eq!(found, all, "program {number}: {play:#?}");
        let is_cut = |report: &Report| !report.verdict.gaps.is_empty();
        assert_eq!(is_cut(&dpor), is_cut(&dfs), "program {number}: {play:#?}");
        let (local, _) = play.explore("dfs:local", u64::MAX);
        assert_eq!(local, all, "program {number}: {play:#?}");
        true
    });
    compared.count() as u64
}

#[test]
fn random_programs_that_tick_end_as_in_all_schedules() {
    let count = programs("DPOR", 60);
    let compared = compared(count, 1_000);
    assert!(compared > count / 8, "{compared}");
}

/// Waits for two ticks, and then answers.
struct Ticking(Journal);

async fn two_ticks() {
    let mut ticks = task::interval(Duration::from_millis(2));
    ticks.tick().await;
    ticks.tick().await;
}

#[actor]
impl Ticking {
    #[start]
    async fn start(&mut self) {
        two_ticks().await;
        self.0.note("ticked");
    }

    #[on]
    fn go(&mut self, _: Go) -> u64 {
        7
    }
}

/// The rounds in which only the first timer was enabled count where there is no timer, too: with three of them, the
/// execution ends before the second timer ticks, and with fewer it goes on.
#[test]
fn rounds_of_a_timer_that_is_gone_tell_states_apart() {
    for search in ["dfs", "states", "pb:by=hb", "ses:by=hb"] {
        let seen = journals(&whole(search).check_every(0), |sys, journal| {
            let ticking = sys.spawn(Ticking(journal.clone()));
            let journal = journal.clone();
            drop(thread::spawn(move || {
                task::block_on(async move {
                    ticking.ask(Go).await.expect("it answers");
                    journal.note("answered");
                    two_ticks().await;
                    journal.note("over");
                });
            }));
        });
        let ends: Vec<_> = ["answered", "over"]
            .into_iter()
            .filter(|end| {
                seen.keys()
                    .any(|notes| notes.last().is_some_and(|note| note == end))
            })
            .collect();
        assert_eq!(ends, ["answered", "over"], "{search}");
    }
}
