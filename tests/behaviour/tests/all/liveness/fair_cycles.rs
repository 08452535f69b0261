//! Fair cycles: liveness bugs are found in the graph of all states,
//! under each level of fairness, and without false reports.

use std::time::Duration;

use actor_core::prelude::*;
use actor_test::report::Demand;
use actor_test::strategy::Gap;
use actor_test::strategy::Unjudged;
use actor_test::{Bug, BugKind, Report};
use behaviour::automata::{Automata, Edge, Model, ModelState};
use behaviour::closures::tells;
use behaviour::harness::{only_bug, whole};

use crate::search::{programs, search};

/// Returns the liveness bugs.
fn pending(report: &Report) -> Vec<&Bug> {
    let bugs = report.bugs().iter();
    bugs.filter(|bug| bug.kind() == BugKind::Liveness).collect()
}

fn demand(bug: &Bug) -> Demand {
    bug.trace.cycle.expect("there is a cycle").demand()
}

/// The state graph of the model, and the states in which the first actor still has to rest.
struct Graph {
    edges: Vec<Vec<Edge>>,
    is_pending: Vec<bool>,
    operations: usize,
}

impl Graph {
    fn new(model: &Model) -> Self {
        let is_pending = |point: &ModelState| match point {
            ModelState::Root => false,
            ModelState::World(world) => world.started[0] && world.states[0] != 0,
        };
        let operations = model.edges.iter().flatten().map(|edge| edge.who);
        Self {
            edges: model.edges.clone(),
            is_pending: model.points.iter().map(is_pending).collect(),
            operations: 1 + operations.max().unwrap_or(0),
        }
    }

    fn is_enabled(&self, state: usize, who: usize) -> bool {
        self.edges[state].iter().any(|edge| edge.who == who)
    }

    /// Returns the states of `among` from which an execution can stay in `among` and
    /// let each operation in `who` take a step infinitely often, or, with `or_cannot`,
    /// be disabled infinitely often. A nested fixed point, one operation after another.
    fn again_and_again(&self, mut among: Vec<bool>, who: &[usize], or_cannot: bool) -> Vec<bool> {
        loop {
            let mut left = among.clone();
            for who in who {
                let serves = |state: usize, edge: &Edge| {
                    edge.who == *who || or_cannot && !self.is_enabled(state, *who)
                };
                // The states with a step that serves the operation.
                let does = |state: usize| {
                    let mut edges = self.edges[state].iter();
                    left[state] && edges.any(|edge| left[edge.to as usize] && serves(state, edge))
                };
                let mut reaching: Vec<bool> = (0..left.len()).map(does).collect();
                loop {
                    let before = reaching.clone();
                    let leads = |state: usize| {
                        let mut edges = self.edges[state].iter();
                        before[state] || left[state] && edges.any(|edge| before[edge.to as usize])
                    };
                    reaching = (0..left.len()).map(leads).collect();
                    if before == reaching {
                        break;
                    }
                }
                left = reaching;
            }
            if left == among {
                return left;
            }
            among = left;
        }
    }

    fn any_weakly(&self) -> bool {
        let all: Vec<usize> = (0..self.operations).collect();
        let fair = self.again_and_again(self.is_pending.clone(), &all, true);
        fair.contains(&true)
    }

    /// Strong fairness: tries each set of operations that step infinitely often, with all others disabled.
    fn any_strongly(&self) -> bool {
        (1..1_usize << self.operations).any(|set| {
            let takes = |who: &usize| set >> who & 1 == 1;
            let stays = |state: usize| {
                let mut edges = self.edges[state].iter();
                self.is_pending[state] && edges.all(|edge| takes(&edge.who))
            };
            let among = (0..self.edges.len()).map(stays).collect();
            let who: Vec<usize> = (0..self.operations).filter(takes).collect();
            self.again_and_again(among, &who, false).contains(&true)
        })
    }

    /// Returns true if some state with the obligation reaches only such states, for ever.
    fn any_for_certain(&self) -> bool {
        let mut stays = self.is_pending.clone();
        loop {
            let before = stays.clone();
            let leads = |state: usize| {
                let mut edges = self.edges[state].iter();
                let is_end = self.edges[state].is_empty();
                before[state] && !is_end && edges.all(|edge| before[edge.to as usize])
            };
            stays = (0..before.len()).map(leads).collect();
            if before == stays {
                return stays.contains(&true);
            }
        }
    }

    /// Returns the strongest fairness under which the obligation can still stay pending.
    fn demand(&self) -> Option<Demand> {
        match () {
            () if self.any_for_certain() => Some(Demand::Random),
            () if self.any_strongly() => Some(Demand::Strong),
            () if self.any_weakly() => Some(Demand::Weak),
            () => None,
        }
    }
}

/// Compares the search with the model's graph, by fixed points and by enumeration of sets of operations.
#[test]
fn what_stays_owed_in_a_model_is_found_and_nothing_else() {
    let mut found = [0; 4];
    // Three of four programs are live, so fewer would hardly test the others.
    for number in 0..programs("FAIR_CYCLES", 160) {
        let program = Automata::random(number).infallible().without_choices();
        let model = program.model();
        if model.points.len() > 1_500 {
            continue;
        }
        let expected = Graph::new(&model).demand();
        let report = search("states", |sys| {
            let first = program.set_up(sys)[0].clone();
            sys.always_eventually("the first is at rest", move |w| {
                w.get(&first).is_none_or(|first| first.state == 0)
            });
        });
        let case = format!("program {number}: {program:#?}");
        let states = model.points.len() as u64;
        assert_eq!(report.verdict.states(), Some(states), "{case}");
        let bugs = pending(&report);
        assert_eq!(bugs.first().map(|bug| demand(bug)), expected, "{case}");
        found[expected.map_or(0, |demand| demand as usize)] += 1;
        for bug in bugs {
            let replayed = bug.trace.story.steps.len() as u64;
            let cycle = bug.trace.cycle.expect("there is a cycle");
            assert_eq!(replayed, cycle.to, "{case}");
        }
    }
    assert!(found[0] > 5 && found[3] > 5, "{found:?}");
}

// Three algorithms that are live at one size and not at another.

// ANCHOR: ring
#[derive(Clone, Copy, Hash, Debug)]
struct Token;
#[derive(Clone, Copy, Hash, Debug)]
struct Pass;
#[derive(Clone, Hash, Debug)]
struct Next(ActorRef<Member>);

/// Passes a token on to the member two places further.
#[derive(Hash)]
struct Member {
    next: Option<ActorRef<Member>>,
    has_token: bool,
}

#[actor]
impl Member {
    #[on]
    fn next(&mut self, next: Next) {
        self.next = Some(next.0);
    }

    #[on]
    fn token(&mut self, _: Token, cx: &mut Context<Self>) {
        self.has_token = true;
        cx.me().tell(Pass);
    }

    #[on]
    fn pass(&mut self, _: Pass) {
        self.has_token = false;
        if let Some(next) = &self.next {
            next.tell(Token);
        }
    }
}

// ANCHOR_END: ring

// ANCHOR: owed
fn ring(sys: &System, members: usize) {
    let spawn = |_| {
        sys.spawn(Member {
            next: None,
            has_token: false,
        })
    };
    let all: Vec<ActorRef<Member>> = (0..members).map(spawn).collect();
    for (number, member) in all.iter().enumerate() {
        member.tell(Next(all[(number + 2) % members].clone()));
    }
    all[0].tell(Token);
    let second = all[1].clone();
    sys.always_eventually("the second has the token", move |w| {
        w.get(&second).is_some_and(|second| second.has_token)
    });
}
// ANCHOR_END: owed

#[derive(Clone, Hash, Debug)]
struct Raise(usize, ActorRef<Polite>);
#[derive(Clone, Copy, Hash, Debug)]
struct Lower(usize);
#[derive(Clone, Copy, Hash, Debug)]
struct Answer {
    others: bool,
}

/// Records the actors that want to enter.
#[derive(Hash)]
struct Board {
    raised: Vec<bool>,
}

#[actor]
impl Board {
    #[on]
    fn raise(&mut self, raise: Raise) {
        let others = self.raised.contains(&true);
        self.raised[raise.0] = true;
        raise.1.tell(Answer { others });
    }

    #[on]
    fn lower(&mut self, lower: Lower) {
        self.raised[lower.0] = false;
    }
}

/// Enters if no other actor wants to; otherwise it lets others go first.
#[derive(Hash)]
struct Polite {
    number: usize,
    board: ActorRef<Board>,
    is_inside: bool,
}

#[actor]
impl Polite {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.board.tell(Raise(self.number, cx.me()));
    }

    #[on]
    fn answer(&mut self, answer: Answer, cx: &mut Context<Self>) {
        self.is_inside = !answer.others;
        self.board.tell(Lower(self.number));
        self.board.tell(Raise(self.number, cx.me()));
    }
}

fn after_you(sys: &System, polite: usize) {
    let board = sys.spawn(Board {
        raised: vec![false; polite],
    });
    let spawn = |number| {
        let (board, is_inside) = (board.clone(), false);
        sys.spawn(Polite {
            number,
            board,
            is_inside,
        })
    };
    let all: Vec<_> = (0..polite).map(spawn).collect();
    let first = all[0].clone();
    sys.always_eventually("the first is inside", move |w| {
        w.get(&first).is_some_and(|first| first.is_inside)
    });
}

#[derive(Clone, Hash, Debug)]
struct Take(ActorRef<Philosopher>);
#[derive(Clone, Copy, Hash, Debug)]
struct Put;
#[derive(Clone, Copy, Hash, Debug)]
struct Taken(bool);

#[derive(Hash)]
struct Fork {
    is_taken: bool,
}

#[actor]
impl Fork {
    #[on]
    fn take(&mut self, take: Take) {
        take.0.tell(Taken(!self.is_taken));
        self.is_taken = true;
    }

    #[on]
    fn put(&mut self, _: Put) {
        self.is_taken = false;
    }
}

/// Takes the left fork, then the right one; puts the left one back if the right one is taken.
#[derive(Hash)]
struct Philosopher {
    forks: [ActorRef<Fork>; 2],
    held: usize,
    eats: bool,
}

#[actor]
impl Philosopher {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.forks[0].tell(Take(cx.me()));
    }

    #[on]
    fn taken(&mut self, taken: Taken, cx: &mut Context<Self>) {
        self.eats = taken.0 && self.held == 1;
        if self.eats || !taken.0 {
            let held = self.held + usize::from(taken.0);
            self.forks[..held].iter().for_each(|fork| fork.tell(Put));
            self.held = 0;
        } else {
            self.held = 1;
        }
        self.forks[self.held].tell(Take(cx.me()));
    }
}

/// Philosophers in a row, with a fork between two, and one at each end.
fn philosophers(sys: &System, philosophers: usize) {
    let fork = |_| sys.spawn(Fork { is_taken: false });
    let forks: Vec<ActorRef<Fork>> = (0..=philosophers).map(fork).collect();
    let spawn = |number: usize| {
        sys.spawn(Philosopher {
            forks: [forks[number].clone(), forks[number + 1].clone()],
            held: 0,
            eats: false,
        })
    };
    let all: Vec<ActorRef<Philosopher>> = (0..philosophers).map(spawn).collect();
    let first = all[0].clone();
    sys.always_eventually("the first eats", move |w| {
        w.get(&first).is_some_and(|first| first.eats)
    });
}

/// Returns `None` if the program is proved, and the fairness of the cycle if one is found.
fn is_live(program: impl Fn(&System, usize) + Sync, size: usize) -> Option<Demand> {
    let [_, report] = ["states:order=breadth", "states"].map(|strategy| {
        let report = search(strategy, |sys| program(sys, size));
        assert!(report.verdict.is_exhaustive(), "{:?}", report.verdict);
        report
    });
    if report.bugs().is_empty() {
        report.assert_clean();
        return None;
    }
    let bug = only_bug(&report);
    assert_eq!(bug.kind(), BugKind::Liveness, "{}", bug.message());
    Some(demand(bug))
}

#[test]
fn a_ring_is_live_where_its_stride_meets_all() {
    assert_eq!(is_live(ring, 3), None);
    assert_eq!(is_live(ring, 4), Some(Demand::Random));
    assert_eq!(is_live(ring, 5), None);
}

#[test]
fn after_you_is_live_for_one() {
    assert_eq!(is_live(after_you, 1), None);
    assert_eq!(is_live(after_you, 2), Some(Demand::Strong));
}

#[test]
fn a_philosopher_with_a_neighbour_may_starve() {
    assert_eq!(is_live(philosophers, 1), None);
    assert_eq!(is_live(philosophers, 2), Some(Demand::Strong));
}

// Cycles that fairness or chance leaves, and cycles that nothing leaves.

#[derive(Clone, Copy, Hash, Debug)]
struct Again;
#[derive(Clone, Copy, Hash, Debug)]
struct Rest;

/// Sends to itself until it receives `Rest`, or chooses to rest.
#[derive(Hash)]
struct Restless {
    chooses: bool,
    rests: bool,
}

#[actor]
impl Restless {
    #[on]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        self.rests |= self.chooses && cx.choose_bool();
        cx.me().tell(Again);
    }

    #[on]
    fn rest(&mut self, _: Rest) {
        self.rests = true;
    }
}

fn restless(sys: &System, chooses: bool, has_boss: bool) {
    let restless = sys.spawn(Restless {
        chooses,
        rests: false,
    });
    restless.tell(Again);
    if has_boss {
        tells(sys, &restless, Rest);
    }
    sys.eventually("it rests", move |w| {
        w.get(&restless).is_some_and(|restless| restless.rests)
    });
}

/// Only an unfair schedule never runs the boss, and
/// only an unfair coin always chooses the same.
#[test]
fn what_leaves_a_cycle_in_the_end_is_no_bug() {
    for (chooses, has_boss) in [(false, false), (false, true), (true, false), (true, true)] {
        let report = search("states", |sys| restless(sys, chooses, has_boss));
        // The actor handles only its own events.
        assert_eq!(report.verdict.gaps, [Gap::Cycles(Unjudged::Busy)]);
        let is_live = chooses || has_boss;
        assert_eq!(pending(&report).is_empty(), is_live, "{chooses} {has_boss}");
    }
}

/// Sends to itself on a timer, while another actor is always enabled.
#[derive(Hash)]
struct Dozing {
    rests: bool,
}

#[actor]
impl Dozing {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::ZERO, Again);
        cx.after(Duration::ZERO, Rest);
    }

    #[on]
    fn again(&mut self, _: Again, cx: &mut Context<Self>) {
        cx.after(Duration::ZERO, Again);
    }

    #[on]
    fn rest(&mut self, _: Rest) {
        self.rests = true;
    }
}

/// A patient timer can't fire while an event is unread. The timer is enabled infinitely often, but not
/// continuously, so a weakly fair schedule may never fire it. A timer that is not patient is always enabled.
#[test]
fn what_can_again_and_again_is_left_by_a_weakly_fair_schedule() {
    for is_patient in [false, true] {
        let report = whole("states")
            .check_every(0)
            .keep_going()
            .patient_timers(is_patient)
            .run(|sys| {
                let dozing = sys.spawn(Dozing { rests: false });
                sys.eventually("it rests", move |w| {
                    w.get(&dozing).is_some_and(|dozing| dozing.rests)
                });
            });
        let demands = pending(&report).into_iter().map(demand).collect::<Vec<_>>();
        let expected = [Demand::Weak];
        assert_eq!(demands, if is_patient { &expected[..] } else { &[] });
    }
}

#[derive(Clone, Copy, Hash, Debug)]
struct Job;

/// Handles its job after an event has opened it.
#[derive(Hash)]
struct Shop;

#[actor(states(Shut(defer(Job)), Open))]
impl Shop {
    #[on(Open)]
    fn job(&mut self, _: Job) {}

    #[on]
    fn rest(&mut self, _: Rest, cx: &mut Context<Self>) {
        cx.goto(ShopState::Open);
    }
}

/// Beside actors that never stop, a deferred event leads to neither a bug nor a proof.
#[test]
fn what_is_deferred_for_ever_is_not_proved_to_be_well() {
    for opens in [false, true] {
        let report = search("states", |sys| {
            let shop = sys.spawn(Shop);
            shop.tell(Job);
            if opens {
                shop.tell(Rest);
            }
            ring(sys, 3);
        });
        report.assert_clean();
        let gaps = [Gap::Cycles(Unjudged::Deferred)];
        assert_eq!(report.verdict.gaps, if opens { &gaps[..0] } else { &gaps });
    }
}

/// With local steps first, the search does not check cycles.
#[test]
fn local_steps_first_prove_nothing_of_what_is_owed() {
    let report = search("states:local", |sys| ring(sys, 3));
    let gaps = [Gap::Cycles(Unjudged::PendingObligations)];
    assert_eq!(report.verdict.gaps, gaps);
}
