//! Symmetry reduction: states up to permutations of interchangeable actors,
//! against the orbits of a model, by brute force over all permutations.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{ActorId, Fingerprint, actor, monitor};
use actor_test::Report;
use actor_test::strategy::Gap;
use actor_test::strategy::{Reduction, Unjudged};
use behaviour::automata::Dice;
use behaviour::closures::machine;
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{permutations, whole};

use crate::search::{programs, reduction, search};

/// Returns true if the search has merged states that differ by a permutation of actors.
fn is_up_to_symmetry(report: &Report) -> bool {
    match reduction(report) {
        Reduction::States { symmetric, .. } => *symmetric,
        other => panic!("{other:?}"),
    }
}

/// The receiver of an event, or the actor that it mentions.
#[derive(Clone, Copy, Debug)]
enum Whom {
    Me,
    /// The actor that the handled event mentions.
    About,
    /// One of the known peers, or the actor itself.
    Peer(usize),
}

#[derive(Clone, Debug)]
struct Outcome {
    state: u8,
    /// The receiver, the kind of the event, and the mentioned actor.
    sends: Option<(Whom, u8, Whom)>,
}

#[derive(Clone, Debug)]
struct Rule {
    outcomes: Vec<Outcome>,
    fails: bool,
}

const KINDS: usize = 2;
const PEERS_MAX: usize = 2;
const STATES_MAX: usize = 500;

/// A program: all members follow the same rules, and some get to know others.
#[derive(Clone, Debug)]
struct Program {
    members: usize,
    rules: Vec<Vec<Rule>>,
    tells: Vec<(usize, Said)>,
}

/// An event: an introduction, or one of a kind that mentions an actor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Said {
    Meet(usize),
    Act(u8, usize),
}

impl Said {
    fn renamed(self, names: &[usize]) -> Self {
        match self {
            Self::Meet(who) => Self::Meet(names[who]),
            Self::Act(kind, who) => Self::Act(kind, names[who]),
        }
    }
}

impl Program {
    fn random(number: u64) -> Self {
        let mut dice = Dice::new(number);
        let members = 2 + dice.roll(3);
        let whom = |dice: &mut Dice| match dice.roll(4) {
            0 => Whom::Me,
            1 => Whom::About,
            _ => Whom::Peer(dice.roll(PEERS_MAX)),
        };
        let outcome = |dice: &mut Dice| Outcome {
            state: dice.roll(KINDS) as u8,
            sends: (dice.roll(4) > 0).then(|| (whom(dice), dice.roll(KINDS) as u8, whom(dice))),
        };
        let rule = |dice: &mut Dice| Rule {
            outcomes: (0..1 + dice.roll(8) / 7).map(|_| outcome(dice)).collect(),
            fails: dice.roll(16) == 0,
        };
        let rules = (0..KINDS)
            .map(|_| (0..KINDS).map(|_| rule(&mut dice)).collect())
            .collect();
        // All members get the same events, or some get random ones.
        let next = |who: usize| (who + 1) % members;
        let kind = dice.roll(KINDS) as u8;
        let meets = (0..members).map(|who| (who, Said::Meet(next(who))));
        let acts = (0..members).map(|who| (who, Said::Act(kind, who)));
        let all: Vec<(usize, Said)> = match dice.roll(3) {
            0 => meets.chain(acts).collect(),
            1 => acts.collect(),
            _ => Vec::new(),
        };
        let some = match all.is_empty() {
            true => 1 + dice.roll(4),
            false => 0,
        };
        let tells = (0..some).map(|_| {
            let to = dice.roll(members);
            let who = dice.roll(members);
            let said = match dice.roll(2) {
                0 => Said::Meet(who),
                _ => Said::Act(dice.roll(KINDS) as u8, who),
            };
            (to, said)
        });
        let tells = tells.chain(all).collect();
        Self {
            members,
            rules,
            tells,
        }
    }

    fn set_up(&self, sys: &System) {
        let rules = Arc::new(self.rules.clone());
        let spawn = |_| {
            sys.spawn(Member {
                state: 0,
                peers: Vec::new(),
                rules: rules.clone(),
            })
        };
        let all: Vec<ActorRef<Member>> = (0..self.members).map(spawn).collect();
        for (to, said) in &self.tells {
            match *said {
                Said::Meet(who) => all[*to].tell(Meet(all[who].clone())),
                Said::Act(kind, who) => all[*to].tell(Act(kind, all[who].clone())),
            }
        }
    }

    /// Returns the number of states, the number of orbits, and the distance of the nearest failure.
    fn model(&self) -> Option<(usize, usize, Option<u64>)> {
        let begun = World {
            unborn: (0..self.members).collect(),
            tells: self.tells.clone(),
            members: vec![Inside::default(); self.members],
        };
        let (mut known, mut orbits) = (BTreeSet::from([begun.clone()]), BTreeSet::new());
        let mut queue = VecDeque::from([(begun, 1)]);
        let mut failure = None;
        while let Some((world, depth)) = queue.pop_front() {
            orbits.insert(world.least());
            if known.len() > STATES_MAX {
                return None;
            }
            for next in self.steps(&world) {
                match next {
                    None => {
                        failure.get_or_insert(depth + 1);
                    }
                    Some(next) if known.insert(next.clone()) => queue.push_back((next, depth + 1)),
                    Some(_) => {}
                }
            }
        }
        // Plus the state before the set-up.
        Some((known.len() + 1, orbits.len() + 1, failure))
    }

    fn steps(&self, world: &World) -> Vec<Option<World>> {
        let mut steps = Vec::new();
        let body = self.members;
        if !world.unborn.is_empty() {
            let mut next = world.clone();
            next.unborn.remove(0);
            steps.push(Some(next));
        } else if let Some((to, said)) = world.tells.first().copied() {
            let mut next = world.clone();
            next.tells.remove(0);
            next.members[to].inbox.push((body, said));
            steps.push(Some(next));
        }
        for me in (0..self.members).filter(|me| !world.unborn.contains(me)) {
            let inside = &world.members[me];
            if let Some((to, said)) = inside.outbox {
                let mut next = world.clone();
                next.members[me].outbox = None;
                next.members[to].inbox.push((me, said));
                steps.push(Some(next));
            } else if let Some((_, said)) = inside.inbox.first().copied() {
                let mut next = world.clone();
                next.members[me].inbox.remove(0);
                let (kind, about) = match said {
                    Said::Meet(who) => {
                        let peers = &mut next.members[me].peers;
                        if peers.len() < PEERS_MAX {
                            peers.push(who);
                        }
                        steps.push(Some(next));
                        continue;
                    }
                    Said::Act(kind, about) => (kind, about),
                };
                let rule = &self.rules[usize::from(inside.state)][usize::from(kind)];
                if rule.fails {
                    steps.push(None);
                    continue;
                }
                for outcome in &rule.outcomes {
                    let mut next = next.clone();
                    let mean = |whom: Whom| match whom {
                        Whom::Me => me,
                        Whom::About => about,
                        Whom::Peer(nth) => inside.peers.get(nth).copied().unwrap_or(me),
                    };
                    next.members[me].state = outcome.state;
                    let sends = outcome.sends;
                    next.members[me].outbox =
                        sends.map(|(to, kind, of)| (mean(to), Said::Act(kind, mean(of))));
                    steps.push(Some(next));
                }
            }
        }
        steps
    }
}

/// A state of the model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct World {
    unborn: Vec<usize>,
    tells: Vec<(usize, Said)>,
    members: Vec<Inside>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Inside {
    state: u8,
    peers: Vec<usize>,
    inbox: Vec<(usize, Said)>,
    outbox: Option<(usize, Said)>,
}

impl World {
    /// Returns the canonical form: the least state of the orbit.
    fn least(&self) -> Self {
        let names: Vec<usize> = (0..self.members.len()).collect();
        let all = permutations(&names);
        let all = all.iter().map(|names| self.renamed(names));
        all.min().expect("there is one")
    }

    fn renamed(&self, names: &[usize]) -> Self {
        let send = |(to, said): &(usize, Said)| (names[*to], said.renamed(names));
        let mut members = vec![Inside::default(); names.len()];
        for (inside, name) in self.members.iter().zip(names) {
            // The body keeps its number.
            let sender = |who: usize| names.get(who).copied().unwrap_or(who);
            let inbox = inside.inbox.iter();
            members[*name] = Inside {
                state: inside.state,
                peers: inside.peers.iter().map(|who| names[*who]).collect(),
                inbox: inbox
                    .map(|(who, said)| (sender(*who), said.renamed(names)))
                    .collect(),
                outbox: inside.outbox.as_ref().map(send),
            };
        }
        Self {
            unborn: self.unborn.iter().map(|who| names[*who]).collect(),
            tells: self.tells.iter().map(send).collect(),
            members,
        }
    }
}

#[derive(Clone, Hash, Debug)]
struct Meet(ActorRef<Member>);
#[derive(Clone, Hash, Debug)]
struct Act(u8, ActorRef<Member>);

#[derive(Fingerprint)]
#[fingerprint(interchangeable)]
struct Member {
    state: u8,
    peers: Vec<ActorRef<Member>>,
    #[fingerprint(skip)]
    rules: Arc<Vec<Vec<Rule>>>,
}

#[actor]
impl Member {
    #[on]
    fn meet(&mut self, meet: Meet) {
        if self.peers.len() < PEERS_MAX {
            self.peers.push(meet.0);
        }
    }

    #[on]
    fn act(&mut self, act: Act, cx: &mut Context<Self>) {
        let rules = self.rules.clone();
        let rule = &rules[usize::from(self.state)][usize::from(act.0)];
        assert!(!rule.fails, "it fails");
        let chosen = match rule.outcomes.len() {
            1 => 0,
            several => cx.choose(several),
        };
        let outcome = &rule.outcomes[chosen];
        let mean = |whom: Whom| match whom {
            Whom::Me => cx.me(),
            Whom::About => act.1.clone(),
            Whom::Peer(nth) => self.peers.get(nth).cloned().unwrap_or_else(|| cx.me()),
        };
        if let Some((to, kind, of)) = outcome.sends {
            mean(to).tell(Act(kind, mean(of)));
        }
        self.state = outcome.state;
    }
}

/// The search visits one state per orbit, and the first failure is as near as in the full graph.
#[test]
fn states_are_the_orbits_of_a_model() {
    let (mut all, mut merged, mut failing) = (0, 0, 0);
    for number in 0..programs("SYMMETRY", 30) {
        let program = Program::random(number);
        let Some((states, orbits, failure)) = program.model() else {
            continue;
        };
        let case = || format!("program {number}: {program:#?}");
        for name in ["states:order=breadth", "states"] {
            let report = search(name, |sys| program.set_up(sys));
            let busy = Gap::Cycles(Unjudged::Busy);
            let gaps = &report.verdict.gaps;
            assert!(gaps.iter().all(|gap| *gap == busy), "{gaps:?}, {}", case());
            let met = report.verdict.states();
            assert_eq!(met, Some(orbits as u64), "of {states}, {name}, {}", case());
            assert_eq!(report.bugs().is_empty(), failure.is_none(), "{}", case());
            assert!(is_up_to_symmetry(&report), "{}", case());
        }
        let first = whole("states:order=breadth").check_every(0);
        let first = first.run(|sys| program.set_up(&sys));
        let steps = first.bugs().first().map(|bug| bug.step());
        assert_eq!(steps, failure, "{}", case());
        all += states;
        merged += orbits;
        failing += u32::from(failure.is_some());
    }
    assert!(merged * 4 < all * 3 && failing > 2, "{merged} of {all}");
}

#[derive(Clone, Hash, Debug)]
struct Enter(ActorRef<Guest>);
#[derive(Clone, Copy, Hash, Debug)]
struct Welcome;

/// Admits every guest.
#[derive(Hash)]
struct Host;

#[actor]
impl Host {
    #[on]
    fn enter(&mut self, enter: Enter) {
        enter.0.tell(Welcome);
    }
}

// ANCHOR: guest
#[derive(Fingerprint)]
#[fingerprint(interchangeable)]
struct Guest {
    host: ActorRef<Host>,
    is_inside: bool,
}
// ANCHOR_END: guest

#[actor]
impl Guest {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.host.tell(Enter(cx.me()));
    }

    #[on]
    fn welcome(&mut self, _: Welcome) {
        self.is_inside = true;
    }
}

fn guests(sys: &System) -> Vec<ActorRef<Guest>> {
    let host = sys.spawn(Host);
    let spawn = |_| {
        sys.spawn(Guest {
            host: host.clone(),
            is_inside: false,
        })
    };
    (0..3).map(spawn).collect()
}

/// A predicate over all actors of a type keeps the symmetry. A predicate about
/// one actor breaks the symmetry, and must be found false for exactly that actor.
#[test]
fn a_predicate_that_means_one_tells_them_apart() {
    let any = search("states:order=breadth", |sys| {
        guests(sys);
        sys.always("no two", |w| {
            w.all::<Guest>().filter(|guest| guest.is_inside).count() < 4
        });
    });
    any.assert_clean();
    assert!(any.verdict.is_exhaustive(), "{:?}", any.verdict);
    assert!(is_up_to_symmetry(&any));

    for last in 0..3 {
        let first = search("states:order=breadth", |sys| {
            let all = guests(sys);
            sys.always("this one is not the first", move |w| {
                let is_inside =
                    |guest: &ActorRef<Guest>| w.get(guest).is_some_and(|guest| guest.is_inside);
                !is_inside(&all[last]) || all.iter().filter(|guest| is_inside(guest)).count() > 1
            });
        });
        assert!(!is_up_to_symmetry(&first));
        assert_eq!(first.bugs().len(), 1, "{last}: {:?}", first.verdict);
    }

    let one = search("states:order=breadth", |sys| {
        let all = guests(sys);
        let first = all[0].id();
        sys.always("nothing is wrong", move |w| {
            w.all_with_ids::<Guest>().all(|(id, _)| id >= first)
        });
    });
    assert!(!is_up_to_symmetry(&one));
    let states = |report: &Report| report.verdict.states();
    assert_eq!((states(&one), states(&any)), (Some(265), Some(79)));
}

/// Records the order of requests, and fails if guests are welcomed in another order.
#[derive(Default, Hash)]
struct InOrder {
    entering: Vec<ActorId>,
}

#[monitor]
impl InOrder {
    #[on]
    fn enter(&mut self, enter: &Enter) {
        self.entering.push(enter.0.id());
    }

    #[on]
    fn welcome(&mut self, _: &Welcome, cx: &mut MonitorContext<Self>) {
        let first = self.entering.remove(0);
        assert_eq!(cx.target(), Some(first), "it is not its turn");
    }
}

/// A monitor with actor identities is renamed together with the state.
#[test]
fn a_monitor_may_know_them() {
    let without = search("states:order=breadth", |sys| drop(guests(sys)));
    let with = search("states:order=breadth", |sys| {
        sys.monitor::<InOrder>();
        guests(sys);
    });
    with.assert_clean();
    assert!(with.verdict.is_exhaustive() && is_up_to_symmetry(&with));
    // The inbox of the host has the same order already.
    assert_eq!(with.verdict.states(), without.verdict.states());
}

/// Cycles are not checked under symmetry reduction, and the report says so.
#[test]
fn no_cycle_is_judged_whoever_is_who() {
    let report = search("states", |sys| {
        guests(sys);
        sys.eventually("all are inside", |w| {
            w.all::<Guest>().filter(|guest| guest.is_inside).count() == 3
        });
    });
    report.assert_clean();
    let unjudged = Gap::Cycles(Unjudged::PendingObligations);
    assert_eq!(report.verdict.gaps, [unjudged]);
}

/// Other activities beside the members, which refer to actors by number.
const BESIDE: [&str; 9] = [
    "watch", "link", "trap", "oversee", "lend", "ask", "node", "disk", "faults",
];

/// Begins an activity. After "unwatch", it ends with the last action of the warden.
#[derive(Clone, Copy, Hash, Debug)]
struct Begin(&'static str);
#[derive(Clone, Copy, Hash, Debug)]
struct Whether;
#[derive(Clone, Fingerprint, Debug)]
struct Keep(Timer);

/// Is watched, linked and holds a timer; never receives `Go`, so it never answers.
#[derive(Fingerprint, Default)]
struct Guard(Option<Timer>);

#[actor(states(Waiting(defer(Whether)), Going))]
impl Guard {
    #[on]
    fn keep(&mut self, keep: Keep) {
        self.0 = Some(keep.0);
    }

    #[on(Waiting)]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(GuardState::Going);
    }

    #[on(Going)]
    fn whether(&mut self, _: Whether) -> bool {
        true
    }
}

/// Starts the activity, and then sends `Go` to the members.
#[derive(Hash)]
struct Warden {
    guard: ActorRef<Guard>,
    members: Vec<Recipient<Go>>,
}

#[actor]
impl Warden {
    #[on]
    fn begin(&mut self, begin: Begin, cx: &mut Context<Self>) {
        match begin.0 {
            "watch" => cx.watch(&self.guard),
            "link" => cx.link(&self.guard),
            "trap" => cx.trap_links(),
            "oversee" => cx.supervise(actor_core::Supervision::one_for_one()),
            "lend" => {
                let timer = cx.after(Duration::from_secs(1), Tick);
                self.guard.tell(Keep(timer));
            }
            "ask" => drop(self.guard.ask(Whether)),
            _ => {}
        }
        // From here on, nothing refers to the order of the members.
        for member in std::mem::take(&mut self.members) {
            member.tell(Go);
        }
        if begin.0 == "unwatch" {
            cx.unwatch(&self.guard);
        }
    }

    #[on]
    fn tick(&mut self, _: Tick) {}

    #[on]
    fn terminated(&mut self, _: Terminated) {}
}

/// An interchangeable actor, whose number occurs only in the order of creation.
#[derive(Fingerprint)]
#[fingerprint(interchangeable)]
struct InterchangeableMember(u8);

#[actor]
impl InterchangeableMember {
    #[on]
    fn go(&mut self, _: Go) {
        self.0 += 1;
    }
}

/// Returns the number of states with three members, of one type or the other.
fn beside(beside: &'static str, are_interchangeable: bool) -> u64 {
    let faults = match beside {
        "faults" => "drop=1",
        _ => "none",
    };
    let tester = whole("states").check_every(0).keep_going();
    let tester = tester.faults(faults.parse().expect("faults"));
    let report = tester.run(move |sys| {
        // The path to every state is re-executed in each case, so that no send waits.
        sys.always("nothing is wrong", |_| true);
        match beside {
            "node" => sys.node("n1", |_| {}),
            "disk" => sys.disk().faults().expect("under test").tear_writes(1),
            _ => {}
        }
        let guard = sys.spawn(Guard::default());
        let member = |_| match are_interchangeable {
            true => Recipient::from(&sys.spawn(InterchangeableMember(0))),
            // The same actor without interchangeability.
            false => machine(&sys, 0_u8, |count, _: Go, _| *count += 1).recipient(),
        };
        let members = (0..3).map(member).collect();
        sys.spawn(Warden { guard, members }).tell(Begin(beside));
    });
    report
        .verdict
        .states()
        .unwrap_or_else(|| panic!("{beside}: {:?}", report.verdict))
}

/// While something refers to actors by number, all actors are distinguished, whatever their type declares.
#[test]
fn what_knows_actors_by_number_tells_them_apart() {
    let [interchangeable, apart] = [true, false].map(|is| beside("nothing", is));
    assert_eq!((interchangeable, apart), (18, 23));
    // More states are possible, since a timer may be lent or not.
    for what in BESIDE {
        let [interchangeable, apart] = [true, false].map(|is| beside(what, is));
        assert!(
            interchangeable >= apart,
            "{what}: {interchangeable}, {apart}"
        );
    }
    // The warden's remaining action refers to actors by number; after that action, states are merged again.
    let meanwhile = beside("unwatch", true);
    let is_between = interchangeable < meanwhile && meanwhile < apart;
    assert!(is_between, "{meanwhile}");
}

/// A candidate that may be chosen.
#[derive(Debug, Fingerprint, Default)]
#[fingerprint(interchangeable)]
struct Candidate {
    is_chosen: bool,
    fails_if: Option<bool>,
}

#[derive(Debug, Clone, Fingerprint)]
struct Choose;

#[derive(Debug, Clone, Fingerprint)]
struct Judge;

#[actor]
impl Candidate {
    #[on]
    fn choose(&mut self, _: Choose) {
        self.is_chosen = true;
    }

    #[on]
    fn judge(&mut self, _: Judge) {
        assert_ne!(self.fails_if, Some(self.is_chosen), "it has the name");
    }
}

/// Which of two equal actors has a name distinguishes states in which they have changed places.
#[test]
fn a_name_tells_equal_actors_apart() {
    for fails_if in [None, Some(false), Some(true)] {
        let report = whole("states").run(move |sys| {
            let candidate = || Candidate {
                fails_if,
                ..Candidate::default()
            };
            let [one, other] = [sys.spawn(candidate()), sys.spawn(candidate())];
            sys.register("named", &one);
            match sys.choose_bool() {
                true => one.tell(Choose),
                false => other.tell(Choose),
            }
            sys.at::<Candidate>("named").tell(Judge);
        });
        // Not by the random executions that check a search.
        let found = report.bugs().iter().any(|bug| bug.strategy == "states");
        assert_eq!(found, fails_if.is_some(), "{fails_if:?}");
        assert!(fails_if.is_some() || is_up_to_symmetry(&report));
    }
}
