//! Tests of fingerprints: those that are kept up to date equal those computed from scratch.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use actor_core::mailbox::{Mailbox, Overflow};
use actor_core::prelude::*;
use actor_core::seam::Runtime;
use actor_core::supervision::{Backoff, Restart, Unread};
use actor_core::{Supervision, seam};

use crate::engine::panics;
use crate::engine::running::execution::{Engine, Program, RunOptions};
use crate::engine::seam::shared::CodePhase;
use crate::engine::states::fingerprint::EngineView;
use crate::engine::states::prints::IncrementalFingerprints;
use crate::settings::{Bounds, Semantics};
use crate::strategy::{Execution, Random, Source};

/// Does one of all that an actor can do, as a choice decides.
#[derive(Clone, Debug, Hash)]
struct Act;
#[derive(Clone, Debug)]
struct Unhashed(#[allow(dead_code)] u32);
#[derive(Clone, Debug, Fingerprint)]
struct Bell(BTreeMap<u32, u32>);
#[derive(Debug)]
struct Question;
#[derive(Debug)]
struct Wake;
#[derive(Debug)]
struct News(#[allow(dead_code)] u32);
#[derive(Debug)]
struct Meet(ActorRef<Actress>);

/// An actor with a fingerprint, which remembers its timers.
#[derive(Fingerprint)]
struct Actress {
    others: VecDeque<ActorRef<Actress>>,
    timers: Vec<Timer>,
    bells: BTreeMap<u32, u32>,
    strangers: Option<ActorRef<Stranger>>,
    /// True if the actor fails, and stops others.
    dramatic: bool,
}

/// An actor without a fingerprint.
#[derive(Default)]
struct Stranger(u32);
#[actor]
impl Stranger {
    #[on]
    fn unhashed(&mut self, _: Unhashed) {
        self.0 += 1;
    }
    #[on]
    fn question(&mut self, _: Question, cx: &mut Context<Self>) -> u32 {
        if cx.choose(8) == 0 {
            cx.halt();
        }
        self.0
    }
}

#[actor(states(Calm, Busy(defer(Unhashed, Meet))), receive(Wake))]
impl Actress {
    #[on]
    async fn act(&mut self, _: Act, cx: &mut Context<Self>) {
        let other = self.others.front().cloned().unwrap_or(cx.me());
        let second = Duration::from_secs(1);
        match cx.choose(if self.dramatic { 31 } else { 22 }) {
            0 => other.tell(Act),
            1 => other.tell(Unhashed(1)),
            2 => {
                other.tell(Act);
                cx.announce(News(2));
                other.tell(Wake);
                cx.announce(News(3));
            }
            3 => self
                .timers
                .push(cx.after(second, Bell(BTreeMap::from([(1, 2), (3, 4)])))),
            4 => self.timers.push(cx.every(second, Act)),
            5 | 6 => {
                if let Some(timer) = self.timers.pop() {
                    cx.cancel(timer);
                }
            }
            7 => {
                let stranger = self.stranger(cx);
                let _ = stranger.ask(Question).await;
            }
            8 => drop(self.stranger(cx).ask(Question)),
            9 => cx.sleep(second).await,
            10 => cx
                .receive::<Wake>()
                .await
                .eq(&Wake)
                .then_some(())
                .expect("woken"),
            11 => cx.watch(&other),
            12 => {
                let ask = other.ask(Question);
                cx.pipe_to_self(ask, |answer| Unhashed(answer.unwrap_or(0)));
            }
            13 => {
                let others = VecDeque::from([cx.me()]);
                let overflows = [
                    Overflow::Wait,
                    Overflow::Reject,
                    Overflow::DropNewest,
                    Overflow::DropOldest,
                ];
                let mailbox = Mailbox::bounded(2).overflow(overflows[cx.choose(4)]);
                let spawned = cx
                    .spawner()
                    .mailbox(mailbox)
                    .spawn(Self::new(others, self.dramatic));
                self.others.push_back(spawned);
            }
            22 | 23 => {
                let me = cx.me();
                let unread = [Unread::Keep, Unread::Drop][cx.choose(2)];
                let restart = [Restart::Permanent, Restart::Transient][cx.choose(2)];
                let mut spawner = cx.spawner().on_restart(unread).restart(restart);
                if self.bells.is_empty() {
                    spawner = spawner.backoff(Backoff::new(second, 8 * second).jitter(0.5));
                }
                let spawned = spawner.spawn_with(move || Self::new([me.clone()].into(), true));
                self.others.push_back(spawned);
            }
            24 | 25 => panic!("dramatically"),
            26 => drop(other.stop()),
            27 => drop(other.kill()),
            28 => cx.link(&other),
            29 => cx.supervise(if self.bells.is_empty() {
                Supervision::one_for_all().intensity(9, second)
            } else {
                Supervision::rest_for_one().intensity(9, second)
            }),
            30 => {
                cx.trap_links();
                other.stop().within(second);
            }
            14 if self.others.len() > 1 => cx.halt(),
            15 => cx.goto(ActressState::Busy),
            16 => cx.goto(ActressState::Calm),
            17 => drop(other.send(Act).await),
            18 => drop(other.try_send(Unhashed(2)).await),
            19 => cx.pipe_to_self(other.send(Wake), |sent| Unhashed(u32::from(sent.is_ok()))),
            20 => {
                let mut sending = pin!(other.send(Act));
                poll_fn(|task| {
                    let _ = sending.as_mut().poll(task);
                    Poll::Ready(())
                })
                .await;
            }
            _ => self
                .others
                .rotate_left(usize::from(!self.others.is_empty())),
        }
        other.tell(Act);
    }
    #[on]
    fn unhashed(&mut self, unhashed: Unhashed) {
        *self.bells.entry(unhashed.0 % 2).or_default() ^= 1;
    }
    #[on]
    fn bell(&mut self, bell: Bell) {
        self.bells = bell.0;
    }
    #[on]
    fn question(&mut self, _: Question) -> u32 {
        1
    }
    #[on]
    fn terminated(&mut self, end: Terminated) {
        self.others.retain(|other| other.id() != end.actor);
    }
    #[on]
    fn meet(&mut self, meet: Meet) {
        self.others.push_back(meet.0);
    }
}

impl PartialEq for Wake {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Actress {
    fn new(others: VecDeque<ActorRef<Self>>, dramatic: bool) -> Self {
        Self {
            others,
            timers: Vec::new(),
            bells: BTreeMap::new(),
            strangers: None,
            dramatic,
        }
    }

    fn stranger(&mut self, cx: &mut Context<Self>) -> ActorRef<Stranger> {
        if cx.choose(4) == 0 {
            self.strangers = None;
        }
        let spawn = || cx.spawn(Stranger::default());
        self.strangers.get_or_insert_with(spawn).clone()
    }
}

#[derive(Default)]
struct Reader(u32);
#[monitor(hot(Reading), cold(Idle), warm(Bored))]
impl Reader {
    #[on]
    fn news(&mut self, news: &News, cx: &mut MonitorContext<Self>) {
        self.0 += news.0;
        cx.goto(match self.0 % 3 {
            0 => ReaderState::Idle,
            1 => ReaderState::Bored,
            _ => ReaderState::Reading,
        });
    }
}

/// A program that does all that actors can do.
pub(crate) struct Theatre {
    pub(crate) dramatic: bool,
}

impl Program for Theatre {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        let sys = System::controlled();
        sys.monitor::<Reader>();
        sys.eventually("nobody is left", |w| w.all::<Actress>().next().is_none());
        let dramatic = self.dramatic;
        let first = sys.spawn_with(move || Actress::new(VecDeque::new(), dramatic));
        let other = first.clone();
        let spawner = sys.spawner().mailbox(Mailbox::bounded(1));
        let second = spawner.spawn_with(move || Actress::new([other.clone()].into(), dramatic));
        first.tell(Meet(second.clone()));
        first.tell(Act);
        second.tell(Act);
        Some(Box::pin(async move {
            for _ in 0..5 {
                sys.sleep(Duration::from_secs(1)).await;
                first.tell(Wake);
                let _ = second.ask(Question).await;
            }
        }))
    }
}

/// Returns the fingerprints of the states after each step; each is compared with one from scratch.
fn prints_of(semantics: Semantics, seed: u64) -> Vec<u128> {
    let mut engine = Engine::new(Source::new(Random::new()), Bounds::new(200), semantics);
    let execution = Execution {
        iteration: 0,
        seed,
        max_steps: 200,
        estimates: Default::default(),
        length: None,
        faults: crate::data::faults::FaultBudgets::none(),
    };
    engine
        .shared
        .strategy
        .borrow_mut()
        .strategy_mut()
        .begin(&execution);
    engine.begin(RunOptions::default());
    let runtime: Rc<dyn Runtime> = engine.shared.clone();
    let theatre = Theatre {
        dramatic: semantics.supervised,
    };
    seam::enter(&runtime, || prints_along(engine, &theatre))
}

fn prints_along(mut engine: Engine, theatre: &Theatre) -> Vec<u128> {
    let shared = engine.shared.clone();
    let _quiet = panics::quiet();
    shared.state.borrow_mut().footprint.record_touched(true);
    let mut kept = IncrementalFingerprints::default();
    let print_of = |engine: &Engine, prints: &mut IncrementalFingerprints, anew: bool| {
        let view = EngineView {
            bodies: &engine.executor.bodies,
            shared: &engine.shared,
        };
        if anew {
            let live = engine.shared.state.borrow().operations.count();
            prints.mark_all_changed(live);
        }
        prints.whole(&view)
    };
    let mut wrong = None;
    let mut all = vec![print_of(&engine, &mut kept, true)];
    loop {
        let mut state = shared.state.borrow_mut();
        let Ok((operation, kind)) = engine.pick(&shared, &mut state) else {
            break;
        };
        let pending = state
            .pending_of(operation)
            .expect("what is picked is enabled");
        let live = {
            state.footprint.begin_touched(&pending);
            state.operations.count()
        };
        let changed = engine
            .executor
            .step(&shared, operation, kind, state, theatre);
        engine.after_step(&shared, changed);
        let touched = {
            let state = shared.state.borrow();
            let spawned = live..state.operations.count();
            let touched = state.footprint.touched().iter().copied().chain(spawned);
            touched.collect::<Vec<u32>>()
        };
        touched
            .into_iter()
            .for_each(|operation| kept.touch(operation));
        let print = print_of(&engine, &mut kept, false);
        let from_scratch = print_of(&engine, &mut IncrementalFingerprints::default(), true);
        all.push(print);
        if print != from_scratch {
            wrong = Some((all.len(), pending));
            break;
        }
    }
    shared.phase.set(CodePhase::Over);
    assert_eq!(wrong, None, "this step has touched more than is known");
    all
}

/// Returns seeds, each under several semantics.
pub(crate) fn each_of(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (Semantics, u64)> {
    let plain = Semantics::default();
    let all = [
        plain,
        Semantics {
            atomic_handlers: true,
            ..plain
        },
        Semantics {
            patient_timers: true,
            ..plain
        },
        Semantics {
            supervised: true,
            ..plain
        },
    ];
    seeds.flat_map(move |seed| all.map(|semantics| (semantics, seed)))
}

/// The footprint of a step is all that it changes, in 560 executions of all that actors can do.
#[test]
fn what_was_not_touched_has_not_changed() {
    let mut steps = 0;
    for (semantics, seed) in each_of(0..140) {
        steps += prints_of(semantics, seed).len();
    }
    assert!(steps > 30_000, "{steps} steps are not many");
}

#[test]
fn the_same_schedule_has_the_same_fingerprints() {
    for (semantics, seed) in each_of(0..10) {
        let prints = prints_of(semantics, seed);
        assert_eq!(prints, prints_of(semantics, seed));
        // A state after a step of an opaque actor or of an async handler never recurs.
        let different: BTreeSet<u128> = prints.iter().copied().collect();
        assert!(different.len() > prints.len() / 4);
    }
}
