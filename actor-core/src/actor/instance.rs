//! A typed actor instance with its context, which both executors run through the trait [`AnyInstance`].

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::pin::pin;
use std::sync::Weak;

use super::{Actor, Call, Context, Flow};
use crate::dispatch::{RefCount, Target};
use crate::fingerprint::Fingerprinter;
use crate::seam::{
    ActorType, AnyInstance, AnyMail, CatchPanic, Driver, Mail, NextJob, NextWork, RunOutcome,
    Spawn, SpawnType, hand_back, mail_of,
};
use crate::table::State;

/// The [`Driver`] of one actor type, for an actor that has async handlers.
pub(crate) async fn drive<A: Actor>() {
    loop {
        let resting: Box<dyn Any + Send> = NextJob.await;
        let mut rest: Box<Instance<A>> = match resting.downcast() {
            Ok(rest) => rest,
            Err(_) => unreachable!("a driver serves actors of one type"),
        };
        let panic = {
            let Instance { actor, cx, .. } = &mut *rest;
            let call = cx.postponed();
            CatchPanic(pin!(actor.__call_async(call, cx))).await
        };
        let resting = rest;
        hand_back(resting, panic);
    }
}

/// An actor instance with its context.
struct Instance<A: Actor> {
    actor: A,
    /// Dropped after the actor, whose destructor may send.
    cx: Context<A>,
    /// The state after the last finished chain of calls.
    settled: A::State,
}

impl<A: Actor> Instance<A> {
    /// Runs one call after another, beginning with `call`, until nothing follows or one is async.
    fn run(&mut self, mut call: Call<A>) -> RunOutcome {
        let Self { actor, cx, settled } = self;
        loop {
            cx.enter_call(&call);
            if let Flow::Async(call) = actor.__call(call, cx) {
                cx.postpone(call);
                return RunOutcome::Suspended;
            }
            match cx.settle() {
                Some(next) => call = next,
                None => break,
            }
        }
        *settled = cx.state();
        cx.ran()
    }

    /// Runs the handler of an event and the calls that follow from it, of which mostly there are none.
    #[inline(always)]
    fn run_event(&mut self, message: A::Message) -> RunOutcome {
        let Self { actor, cx, .. } = self;
        cx.enter_handler();
        match actor.__call(Call::Event(message), cx) {
            Flow::Done => self.follow(),
            Flow::Async(call) => {
                cx.postpone(call);
                RunOutcome::Suspended
            }
        }
    }
}

impl<A: Actor> AnyInstance for Instance<A> {
    fn start(&mut self) -> RunOutcome {
        self.cx.begin();
        self.run(Call::Start)
    }

    fn handle(&mut self, mail: &dyn AnyMail, slot: u32) -> RunOutcome {
        let message = mail_of::<A>(mail).take(slot);
        self.run_event(message)
    }

    fn stop(&mut self) -> RunOutcome {
        self.run(Call::Stop)
    }

    #[inline]
    fn follow(&mut self) -> RunOutcome {
        match self.cx.settle() {
            Some(call) => self.run(call),
            None => {
                self.settled = self.cx.state();
                self.cx.ran()
            }
        }
    }

    fn work(&mut self) -> NextWork {
        self.cx.begin_work();
        loop {
            let message = match self.cx.next() {
                Ok(message) => message,
                Err(due) => return due,
            };
            match self.run_event(message) {
                RunOutcome::Done => {}
                ran => return NextWork::Ran(ran),
            }
        }
    }

    fn driver(&self) -> Option<Driver> {
        A::__driver()
    }

    fn state(&self) -> usize {
        self.settled.index()
    }

    fn actor(&self) -> &dyn Any {
        &self.actor
    }

    fn debug(&self) -> Option<&dyn fmt::Debug> {
        self.actor.__debug()
    }

    fn fingerprint(&self, to: &mut Fingerprinter) -> bool {
        self.cx.fingerprint(to);
        self.actor.__offer(to)
    }
}

/// An actor about to be spawned: a function that makes its value, or one value after another.
pub(crate) struct TypedSpawn<F> {
    make: F,
    count: Option<Weak<RefCount>>,
}

impl<F> TypedSpawn<F> {
    /// Describes the spawn of an actor whose references `count` counts, if they are counted.
    pub(crate) fn new(make: F, count: Option<Weak<RefCount>>) -> Self {
        Self { make, count }
    }
}

/// Describes the spawn of one value, as [`TypedSpawn::new`] does that of a factory's values.
pub(crate) fn spawn_of<A: Actor>(
    actor: A,
    count: Option<Weak<RefCount>>,
) -> TypedSpawn<impl FnMut() -> A> {
    let mut actor = Some(actor);
    TypedSpawn::new(
        move || actor.take().expect("an actor is spawned once"),
        count,
    )
}

impl<A: Actor, F: FnMut() -> A> SpawnType for TypedSpawn<F> {
    fn of(&self) -> ActorType {
        actor_type::<A>()
    }
}

pub(super) fn actor_type<A: Actor>() -> ActorType {
    ActorType {
        info: A::INFO,
        id: TypeId::of::<A>(),
        path: type_name::<A>(),
        mail: Mail::<A>::boxed,
    }
}

impl<A: Actor, F: FnMut() -> A, Me: Into<Target>> Spawn<Me> for TypedSpawn<F> {
    fn instance(&mut self, me: Me) -> Box<dyn AnyInstance> {
        instance((self.make)(), &me.into(), self.count.as_ref())
    }
}

/// Creates the instance, with a context in which the actor is `me`.
fn instance<A: Actor>(
    actor: A,
    me: &Target,
    count: Option<&Weak<RefCount>>,
) -> Box<dyn AnyInstance> {
    if let Some(count) = count.and_then(Weak::upgrade) {
        count.settle(me);
    }
    Box::new(Instance {
        actor,
        cx: Context::new(me, count.cloned()),
        settled: A::first_state(),
    })
}
