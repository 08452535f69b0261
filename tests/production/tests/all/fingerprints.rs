//! Equal and different fingerprints, and the fingerprints that actors, events and monitors offer.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::specification::Monitor;
use actor_core::{Actor, Event, Fingerprinter, Handler, Reply};

fn of<T: actor_core::Fingerprint + ?Sized>(value: &T) -> u128 {
    Fingerprinter::of(value)
}

#[test]
fn what_it_is_fed_decides_and_nothing_else() {
    assert_eq!(of("ab"), of(&String::from("ab")));
    assert_ne!(of("ab"), of("ba"));
    assert_ne!(of(&0_u64), of(&1_u64));
    assert_ne!(of(&[1_u8, 0][..]), of(&[1_u8][..]));
    assert_ne!(of(&("a", "bc")), of(&("ab", "c")));
    assert_ne!(of(&vec![vec![1_u8], vec![]]), of(&vec![vec![], vec![1_u8]]));
    assert_ne!(of(&Some(0_u64)), of(&None::<u64>));
    assert_ne!(of(&Ok::<u8, u8>(1)), of(&Err::<u8, u8>(1)));
    assert_ne!(of(&Duration::from_secs(1)), of(&Duration::from_millis(1)));
    assert_ne!(of(&0.0_f64), of(&-0.0_f64));
    assert_eq!(of(&VecDeque::from([1_u8, 2])), of(&vec![1_u8, 2]));
    assert_ne!(
        of(&BTreeMap::from([(1_u8, 'a')])),
        of(&BTreeMap::from([(1_u8, 'b')]))
    );
}

/// The output is fixed: decisions that depend on it must not differ from run to run.
#[test]
fn it_is_the_same_in_every_run() {
    assert_eq!(of(&(7_u64, "seven", [1_u16, 2])), FIXED);
}

const FIXED: u128 = 46_561_054_165_291_245_468_536_325_435_234_726_206;

/// No two of 2^16 related inputs collide, in either half: a random hash has a collision once in 2^32 times.
#[test]
fn near_inputs_are_kept_apart() {
    let mut low = HashSet::new();
    let mut high = HashSet::new();
    for a in 0..1_u64 << 8 {
        for b in 0..1_u64 << 8 {
            let value = of(&(a, b << 56));
            assert!(low.insert(value as u64) && high.insert((value >> 64) as u64));
        }
    }
}

#[test]
fn maps_and_sets_have_no_order() {
    // Two maps with hashers of their own, filled in opposite orders, have different iteration orders.
    let up: HashMap<u64, Vec<u8>> = (0..100).map(|key| (key, vec![key as u8])).collect();
    let mut down: HashMap<u64, Vec<u8>> =
        (0..100).rev().map(|key| (key, vec![key as u8])).collect();
    assert!(!up.keys().eq(down.keys()), "100! to 1");
    assert_eq!(of(&up), of(&down));
    down.insert(7, vec![8]);
    down.insert(8, vec![7]);
    assert_ne!(of(&up), of(&down), "values belong to their keys");
    let set: HashSet<u64> = (0..100).collect();
    let other: HashSet<u64> = (0..100).rev().collect();
    assert_eq!(of(&set), of(&other));
    assert_ne!(of(&set), of(&(0..99).collect::<HashSet<u64>>()));
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Token(u32);

#[derive(Debug, Fingerprint)]
enum Phase<T> {
    Idle,
    Busy {
        with: T,
        since: u32,
    },
    Broken(
        T,
        #[allow(dead_code)]
        #[fingerprint(skip)]
        u64,
    ),
}

#[derive(Debug, Fingerprint)]
struct Machine<A: Actor, T> {
    phase: Phase<T>,
    jobs: HashMap<u64, Token>,
    peer: Option<ActorRef<A>>,
    marker: PhantomData<fn(A)>,
    #[allow(dead_code)]
    #[fingerprint(skip)]
    started: std::time::SystemTime,
}

#[derive(Fingerprint)]
struct Unit;

#[derive(Fingerprint)]
enum Never {}

struct Idler;

#[actor]
impl Idler {
    #[on]
    fn token(&mut self, _: Token) {}
}

fn machine() -> Machine<Idler, u64> {
    Machine {
        phase: Phase::Idle,
        jobs: HashMap::from([(1, Token(1))]),
        peer: None,
        marker: PhantomData,
        started: std::time::SystemTime::now(),
    }
}

#[test]
fn a_derived_fingerprint_is_that_of_the_fields() {
    assert_eq!(of(&machine()), of(&machine()), "the start is skipped");
    let jobs = HashMap::from([(1, Token(2))]);
    assert_ne!(of(&machine()), of(&Machine { jobs, ..machine() }));
    let phases = [
        Phase::Idle,
        Phase::Busy { with: 1, since: 0 },
        Phase::Busy { with: 0, since: 1 },
        Phase::Broken(0, 0),
        Phase::Broken(1, 0),
    ];
    let all: HashSet<u128> = phases.iter().map(of).collect();
    assert_eq!(all.len(), phases.len());
    let broken = |number| Phase::Broken(1_u64, number);
    assert_eq!(of(&broken(2)), of(&broken(3)));
    assert_eq!(of(&Unit), of(&()));
    let _: Option<Never> = None;
}

/// Hashes to nothing, so that its fingerprint shows which of the two implementations was used.
#[derive(Debug, Fingerprint)]
struct Both(u32);
impl Hash for Both {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}
#[derive(Debug)]
struct Neither(#[allow(dead_code)] u32);
#[derive(Debug)]
struct Nothing;

#[derive(Hash)]
struct Hashed(u32);
#[actor]
impl Hashed {
    #[on]
    fn both(&mut self, _: Both) {}
    #[on]
    fn token(&mut self, _: Token) -> u32 {
        self.0
    }
    #[on]
    fn neither(&mut self, _: Neither) {}
    #[on]
    fn nothing(&mut self, _: Nothing) {}
}

#[derive(Default)]
struct Bare(#[allow(dead_code)] u32);
#[actor]
impl Bare {
    #[on]
    fn nothing(&mut self, _: Nothing) {}
}

struct Generic<T>(T);
#[actor]
impl<T: Send + Debug + 'static> Generic<T> {
    #[on]
    fn put(&mut self, put: Vec<T>) {
        self.0 = put.into_iter().next().expect("something is put");
    }
}

#[derive(Hash)]
struct Promising<T>(T);
#[actor]
impl<T: Send + Debug + Hash + 'static> Promising<T> {
    #[on]
    fn put(&mut self, put: Vec<T>) {
        self.0 = put.into_iter().next().expect("something is put");
    }
}

fn offered<A: Actor>(actor: &A) -> Option<u128> {
    let mut to = Fingerprinter::new();
    actor.__offer(&mut to).then(|| to.value())
}

fn offered_event<A: Handler<E>, E: Event>(event: E) -> Option<u128> {
    let mut to = Fingerprinter::new();
    A::__offer_event(&A::__message(event, Reply::nobody()), &mut to).then(|| to.value())
}

#[test]
fn an_actor_offers_what_its_type_does() {
    assert!(offered(&Hashed(1)).is_some());
    assert_ne!(offered(&Hashed(1)), offered(&Hashed(2)));
    assert_eq!(offered(&Bare(1)), None);
    assert!(offered(&Idler).is_some(), "there is nothing to it");
    assert_eq!(offered(&Generic(1_u8)), None, "the block promises nothing");
    assert_ne!(offered(&Promising(1_u8)), offered(&Promising(2_u8)));
}

#[test]
fn an_event_offers_what_its_type_does() {
    assert_ne!(
        offered_event::<Hashed, _>(Both(1)),
        offered_event::<Hashed, _>(Both(2)),
        "a fingerprint goes before a hash"
    );
    assert_ne!(
        offered_event::<Hashed, _>(Token(1)),
        offered_event::<Hashed, _>(Token(2))
    );
    assert_eq!(offered_event::<Hashed, _>(Neither(1)), None);
    assert!(offered_event::<Hashed, _>(Nothing).is_some());
    assert_eq!(offered_event::<Generic<u8>, _>(vec![1]), None);
    assert!(offered_event::<Promising<u8>, _>(vec![1]).is_some());
}

#[derive(Fingerprint, Default)]
struct Counts {
    open: u32,
    #[fingerprint(skip)]
    seen: u64,
}
#[monitor(hot(Owed), cold(Paid))]
impl Counts {
    #[on]
    fn nothing(&mut self, _: &Nothing) {
        self.open ^= 1;
        self.seen += 1;
    }
}
#[derive(Default)]
struct Silent(#[allow(dead_code)] u32);
#[monitor]
impl Silent {
    #[on]
    fn nothing(&mut self, _: &Nothing) {}
}

#[test]
fn a_monitor_offers_what_its_type_does() {
    let offered = |counts: Counts| {
        let mut to = Fingerprinter::new();
        assert!(counts.__offer(&mut to));
        to.value()
    };
    assert_eq!(
        offered(Counts { open: 1, seen: 1 }),
        offered(Counts { open: 1, seen: 3 })
    );
    assert_ne!(
        offered(Counts { open: 1, seen: 1 }),
        offered(Counts { open: 0, seen: 1 })
    );
    assert!(!Silent(1).__offer(&mut Fingerprinter::new()));
}
