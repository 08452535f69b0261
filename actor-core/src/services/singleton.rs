//! A singleton: an actor of which at most one runs, wherever the lease is held: [`Singleton`].

use std::fmt;
use std::future::Future;

use actor_macros::actor;

use super::lease::{Fence, Lease, LeaseError, LeaseTerms, LeasesRef};
use crate::actor::{Actor, ActorRef, Context, Scope};
use crate::identity::ActorId;
use crate::supervision::ending::Terminated;

/// An actor of which at most one runs among all that compete for one lease, one competitor on each node.
///
/// The competitor that gets the lease starts the actor, with the [fence](Fence) of the grant, and renews the lease. When it
/// is lost, the actor is [killed](ActorRef::kill). Another competitor gets it once it has expired at the store.
/// If the actor ends by itself, the lease is released, and the competitors ask for it again.
///
/// A competitor renews, or asks again, three times in a [term](LeaseTerms::term). The end of the competitor, or
/// of its node, releases nothing, since the actor may go on for a moment: the lease expires.
///
/// A kill takes time: a handler that is busy goes on until it returns or waits, a process may be paused, and a
/// message that was sent before the end may arrive after it. So two may overlap for a moment, of which one does
/// not know that its lease is over. The work of that one has the smaller fence: send it along, and refuse it.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::services::{Fence, LeaseStore, LeaseTerms, LeasesRef, Singleton};
/// use std::time::Duration;
///
/// #[derive(Debug)]
/// struct Number;
///
/// struct Leader(Fence);
///
/// #[actor]
/// impl Leader {
///     #[on]
///     fn number(&mut self, _: Number) -> u64 {
///         self.0.number()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let data = std::env::temp_dir().join(format!("actor-core-singleton-{}", std::process::id()));
/// let sys = System::new();
/// sys.as_live().unwrap().disk_at(&data)?;
/// let store = LeasesRef::from(sys.spawn(LeaseStore::new(Duration::from_secs(60))));
/// let terms = LeaseTerms::new(Duration::from_secs(10));
/// let leader = Singleton::new(&sys, &store, "leader", terms, Leader);
/// // The lease is granted soon.
/// let running = loop {
///     match leader.running().await {
///         Some(running) => break running,
///         None => sys.sleep(Duration::from_millis(1)).await,
///     }
/// };
/// assert!(running.ask(Number).await? > 0);
/// # sys.shutdown().await?;
/// # std::fs::remove_dir_all(&data)?;
/// # Ok(())
/// # }
/// ```
pub struct Singleton<A: Actor> {
    competitor: ActorRef<Competitor<A>>,
}

impl<A: Actor> Singleton<A> {
    /// Competes for the lease of that name, and starts the actor that `make` returns whenever it is granted.
    pub fn new(
        scope: &impl Scope,
        store: &LeasesRef,
        name: &str,
        terms: LeaseTerms,
        make: impl FnMut(Fence) -> A + Send + 'static,
    ) -> Self {
        let competitor = Competitor {
            store: store.clone(),
            name: name.into(),
            terms,
            make: Box::new(make),
            running: None,
        };
        Self {
            competitor: scope.spawner().name(name).spawn(competitor),
        }
    }

    /// Returns the actor if it runs here and its lease is held.
    pub fn running(&self) -> impl Future<Output = Option<ActorRef<A>>> + Send + use<A> {
        let asked = self.competitor.ask(WhoRuns);
        async move { asked.await.ok().flatten() }
    }

    /// The identity of the actor that competes for the lease.
    pub fn id(&self) -> ActorId {
        self.competitor.id()
    }
}

impl<A: Actor> Clone for Singleton<A> {
    fn clone(&self) -> Self {
        Self {
            competitor: self.competitor.clone(),
        }
    }
}

impl<A: Actor> fmt::Debug for Singleton<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.competitor.fmt(f)
    }
}

/// The actor behind a [`Singleton`].
struct Competitor<A: Actor> {
    store: LeasesRef,
    name: Box<str>,
    terms: LeaseTerms,
    make: Box<dyn FnMut(Fence) -> A + Send>,
    running: Option<Running<A>>,
}

/// The actor that runs under a lease.
struct Running<A: Actor> {
    lease: Lease,
    actor: ActorRef<A>,
    /// True once the lease was lost, so that the actor is being killed.
    is_lost: bool,
}

#[derive(Debug)]
struct WhoRuns;
/// The time has come to ask for the lease, or to renew it.
#[derive(Debug)]
struct Turn;
/// The term of the lease is over, unless it was renewed.
#[derive(Debug)]
struct Expire;
#[derive(Debug)]
struct Acquired(Result<Lease, LeaseError>);
#[derive(Debug)]
struct Renewed(Result<Lease, LeaseError>);

const TURN: &str = "turn";
const EXPIRY: &str = "expiry";

#[actor(crate = crate)]
impl<A: Actor> Competitor<A> {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.turn(Turn, cx);
    }

    #[on]
    fn turn(&mut self, _: Turn, cx: &mut Context<Self>) {
        match &self.running {
            None => {
                let asked = Lease::acquire(cx, &self.store, &self.name, self.terms);
                cx.pipe_to_self(asked, Acquired);
            }
            Some(running) if !running.is_lost => {
                let asked = running.lease.renew(cx);
                cx.pipe_to_self(asked, Renewed);
            }
            Some(_) => {}
        }
    }

    #[on]
    fn acquired(&mut self, acquired: Acquired, cx: &mut Context<Self>) {
        match acquired.0 {
            Ok(lease) if lease.is_held(cx) => self.run(lease, cx),
            Ok(lease) => lease.release(),
            Err(LeaseError::TooLong) => cx.report(&LeaseError::TooLong.to_string()),
            Err(_) => {}
        }
        self.take_turn(cx);
    }

    #[on]
    fn renewed(&mut self, renewed: Renewed, cx: &mut Context<Self>) {
        let Some(running) = &mut self.running else {
            return;
        };
        match renewed.0 {
            // The answer may be for an earlier lease.
            Ok(lease) if lease.fence() == running.lease.fence() => running.lease = lease,
            Err(LeaseError::Lost) => return self.lose(cx),
            Ok(_) | Err(_) => {}
        }
        self.take_turn(cx);
    }

    #[on]
    fn expire(&mut self, _: Expire, cx: &mut Context<Self>) {
        let Some(running) = &self.running else {
            return;
        };
        let left = running.lease.left(cx);
        match left.is_zero() {
            true => self.lose(cx),
            false => drop(cx.timer().named(EXPIRY).after(left, Expire)),
        }
    }

    #[on]
    fn terminated(&mut self, ended: Terminated, cx: &mut Context<Self>) {
        let is_it = |running: &mut Running<A>| running.actor.id() == ended.actor;
        if let Some(running) = self.running.take_if(is_it) {
            running.lease.release();
            self.take_turn(cx);
        }
    }

    #[on]
    fn who_runs(&mut self, _: WhoRuns, cx: &mut Context<Self>) -> Option<ActorRef<A>> {
        let held = |running: &&Running<A>| !running.is_lost && running.lease.is_held(cx);
        let running = self.running.as_ref().filter(held)?;
        Some(running.actor.clone())
    }
}

impl<A: Actor> Competitor<A> {
    /// Starts the actor under a lease.
    fn run(&mut self, lease: Lease, cx: &mut Context<Self>) {
        let actor = cx.spawn((self.make)(lease.fence()));
        cx.watch(&actor);
        let left = lease.left(cx);
        cx.timer().named(EXPIRY).after(left, Expire);
        let is_lost = false;
        self.running = Some(Running {
            lease,
            actor,
            is_lost,
        });
    }

    /// Arms the timer for the next turn.
    fn take_turn(&self, cx: &mut Context<Self>) {
        cx.timer().named(TURN).after(self.terms.interval(), Turn);
    }

    /// Kills the actor, whose lease is lost. The notification of the end comes later.
    fn lose(&mut self, cx: &mut Context<Self>) {
        if let Some(running) = &mut self.running {
            running.is_lost = true;
            drop(running.actor.kill());
            cx.cancel(EXPIRY);
        }
    }
}
