//! Names and identities of actors across nodes: look-ups with a time limit, and `ActorId`s.

use std::time::Duration;

use actor_core::ActorId;
use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_test::{Report, Tester};
use behaviour::harness::events::Go;
use serde::{Deserialize, Serialize};

use super::boot;

/// Contains the sender twice: as an identity and as a reference.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Signed {
    by: ActorId,
    from: ActorRef<Caller>,
}

struct Registrar;

#[actor]
impl Registrar {
    #[on]
    fn signed(&mut self, signed: Signed) -> ActorId {
        assert_eq!(signed.by, signed.from.id(), "it is the same actor");
        signed.by
    }
}

/// Looks up the registrar, with a time limit of one second or without one.
struct Caller {
    has_limit: bool,
    found: Option<Result<(), LookupError>>,
    /// The time that the look-up took.
    waited: Duration,
}

#[actor]
impl Caller {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        let mut looked = cx.lookup::<Registrar>("n2/registrar");
        if self.has_limit {
            looked = looked.timeout(Duration::from_secs(1));
        }
        let start = cx.now();
        let found = looked.await;
        self.waited = cx.now() - start;
        if let Ok(registrar) = &found {
            let (by, from) = (cx.me().id(), cx.me());
            let limit = Duration::from_secs(1);
            let answer = registrar.ask(Signed { by, from }).timeout(limit).await;
            assert!(matches!(answer, Ok(it) if it == by) || answer == Err(AskError::TimedOut));
        }
        self.found = Some(found.map(drop));
    }
}

/// Starts a caller on one node, and the registrar on another.
fn call(sys: &System, has_limit: bool, is_cut: bool) {
    boot(sys, "n2", "registrar", || Registrar);
    sys.node("n1", move |node| {
        let caller = Caller {
            has_limit,
            found: None,
            waited: Duration::ZERO,
        };
        node.spawn(caller).tell(Go);
    });
    if is_cut {
        sys.faults().cut("n1", "n2");
    }
}

fn ended(world: &World<'_>, with: &Result<(), LookupError>) -> bool {
    let mut callers = world.all::<Caller>();
    callers.any(|caller| caller.found.as_ref() == Some(with))
}

fn calls(program: impl Fn(&System) + Sync) -> Report {
    Tester::new().iterations(300).run(|sys| program(&sys))
}

/// An `ActorId` is the same on the other node, and in the answer from there.
#[test]
fn an_identity_goes_to_other_nodes_and_back() {
    let report = calls(|sys| {
        call(sys, false, false);
        sys.eventually("it is found", |world| ended(world, &Ok(())));
    });
    report.assert_clean();
}

/// Over a cut link no answer comes: without a limit, the caller waits for ever.
#[test]
fn a_look_up_with_a_limit_ends() {
    let is_late = |world: &World<'_>| ended(world, &Err(LookupError::TimedOut));
    let report = calls(|sys| {
        call(sys, true, true);
        // The link may be cut after the look-up.
        sys.eventually("it ends", move |world| {
            is_late(world) || ended(world, &Ok(()))
        });
    });
    report.assert_clean();
    let report = calls(|sys| {
        call(sys, true, true);
        sys.always("it is in time", move |world| !is_late(world));
    });
    report.assert_bug("it is in time");
    calls(|sys| call(sys, false, true)).assert_bug("awaits");
}

/// The limit of the system is for a look-up on another node, unless the look-up has its own.
#[test]
fn the_limit_of_the_system_ends_a_look_up() {
    let ends_after = |of_system: u64, own: bool, expected: u64| {
        let report = calls(move |sys| {
            sys.ask_limit(Duration::from_secs(of_system));
            call(sys, own, true);
            sys.eventually("it ends", |world| {
                ended(world, &Err(LookupError::TimedOut)) || ended(world, &Ok(()))
            });
            sys.always("it waits until the limit", move |world| {
                let mut callers = world.all::<Caller>();
                callers.all(|caller| match caller.found {
                    Some(Err(_)) => caller.waited == Duration::from_secs(expected),
                    Some(Ok(())) | None => true,
                })
            });
        });
        report.assert_clean();
    };
    ends_after(5, false, 5);
    // The caller limits this one to a second.
    ends_after(5, true, 1);
}

#[tokio::test]
async fn in_production_a_look_up_with_a_limit_finds_what_is_there() {
    let sys = System::new();
    call(&sys, false, false);
    let limit = Duration::from_secs(60);
    let found = sys.lookup::<Registrar>("n2/registrar").timeout(limit).await;
    assert!(found.is_ok());
    let unknown = sys.lookup::<Registrar>("n3/registrar").timeout(limit).await;
    assert!(matches!(unknown, Err(LookupError::UnknownNode { .. })));
    sys.shutdown().await.expect("it shuts down");
}

/// The sent original panics when it is dropped; the received copy does not.
#[derive(Debug, Serialize, Deserialize)]
struct Fragile {
    #[serde(skip)]
    is_original: bool,
}

impl Drop for Fragile {
    fn drop(&mut self) {
        assert!(!self.is_original, "it breaks");
    }
}

struct Taker;

#[actor]
impl Taker {
    #[on]
    fn fragile(&mut self, _: Fragile) {}
}

struct Giver;

#[actor]
impl Giver {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let taker = cx.lookup::<Taker>("n2/taker").await.expect("it is up");
        taker.tell(Fragile { is_original: true });
    }
}

/// The original is dropped after it has been encoded; the panic is not attributed to the encoding.
#[test]
fn a_drop_that_panics_while_an_event_crosses_is_named_as_one() {
    let report = Tester::new().iterations(1).run(|sys| {
        boot(&sys, "n2", "taker", || Taker);
        sys.node("n1", |node| {
            node.spawn(Giver);
        });
    });
    report.assert_bug("a `Drop` panicked: it breaks");
    assert!(report.bugs()[0].message().ends_with("it breaks"));
}
