//! A typed actor instance with its context, which both executors run through the trait `Resting`.

use std::any::{Any, TypeId};
use std::fmt;
use std::pin::pin;
use std::sync::Weak;

use super::{Actor, Call, Context, Flow};
use crate::fingerprint::Fingerprinter;
use crate::parts::{
    AnyMail, Contained, Driver, Due, Job, Mail, MakeMail, Ran, Resting, hand_back, mail_of,
};
use crate::production::{Count, Spawn, Target};
use crate::table::{ActorInfo, State};

/// The [`Driver`] of one actor type, for an actor that has async handlers.
pub(crate) async fn drive<A: Actor>() {
    loop {
        let resting: Box<dyn Any + Send> = Job.await;
        let mut rest: Box<Rest<A>> = match resting.downcast() {
            Ok(rest) => rest,
            Err(_) => unreachable!("a driver serves actors of one type"),
        };
        let panic = {
            let Rest { actor, cx, .. } = &mut *rest;
            let call = cx.postponed();
            Contained(pin!(actor.call_async(call, cx))).await
        };
        let resting = rest;
        hand_back(resting, panic);
    }
}

/// An actor instance with its context.
struct Rest<A: Actor> {
    actor: A,
    /// Dropped after the actor, whose destructor may send.
    cx: Context<A>,
    /// The state after the last finished chain of calls.
    settled: A::State,
}

impl<A: Actor> Rest<A> {
    /// Runs one call after another, beginning with `call`, until nothing follows or one is async.
    fn run(&mut self, mut call: Call<A>) -> Ran {
        let Self { actor, cx, settled } = self;
        loop {
            cx.enter_call(&call);
            if let Flow::Async(call) = actor.call(call, cx) {
                cx.postpone(call);
                return Ran::Suspended;
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
    fn run_event(&mut self, message: A::Message) -> Ran {
        let Self { actor, cx, .. } = self;
        cx.enter_handler();
        match actor.call(Call::Event(message), cx) {
            Flow::Done => self.follow(),
            Flow::Async(call) => {
                cx.postpone(call);
                Ran::Suspended
            }
        }
    }
}

impl<A: Actor> Resting for Rest<A> {
    fn start(&mut self) -> Ran {
        self.cx.begin();
        self.run(Call::Start)
    }

    fn handle(&mut self, mail: &dyn AnyMail, slot: u32) -> Ran {
        let message = mail_of::<A>(mail).take(slot);
        self.run_event(message)
    }

    fn stop(&mut self) -> Ran {
        self.run(Call::Stop)
    }

    #[inline]
    fn follow(&mut self) -> Ran {
        match self.cx.settle() {
            Some(call) => self.run(call),
            None => {
                self.settled = self.cx.state();
                self.cx.ran()
            }
        }
    }

    fn work(&mut self) -> Due {
        self.cx.begin_work();
        loop {
            let message = match self.cx.next() {
                Ok(message) => message,
                Err(due) => return due,
            };
            match self.run_event(message) {
                Ran::Done => {}
                ran => return Due::Ran(ran),
            }
        }
    }

    fn driver(&self) -> Option<Driver> {
        A::driver()
    }

    fn state(&self) -> usize {
        self.settled.index()
    }

    fn actor(&self) -> &dyn Any {
        &self.actor
    }

    fn debug(&self) -> Option<&dyn fmt::Debug> {
        self.actor.debug()
    }

    fn fingerprint(&self, to: &mut Fingerprinter) -> bool {
        self.cx.fingerprint(to);
        self.actor.offer(to)
    }
}

/// An actor value that is about to be spawned.
pub(crate) struct Spawning<A: Actor> {
    /// `None` once the actor is spawned.
    actor: Option<A>,
    count: Option<Weak<Count>>,
}

impl<A: Actor> Spawning<A> {
    pub(crate) fn new(actor: A) -> Self {
        Self::counting(actor, None)
    }

    /// Makes a spawn as [`new`](Self::new) does, with the count of references to the actor.
    pub(crate) fn counting(actor: A, count: Option<Weak<Count>>) -> Self {
        Self {
            actor: Some(actor),
            count,
        }
    }
}

impl<A: Actor> Spawn for Spawning<A> {
    fn info(&self) -> &'static ActorInfo {
        A::INFO
    }

    fn actor_type(&self) -> TypeId {
        TypeId::of::<A>()
    }

    fn path(&self) -> &'static str {
        std::any::type_name::<A>()
    }

    fn mail(&self) -> MakeMail {
        Mail::<A>::boxed
    }

    fn rest(&mut self, me: &Target) -> Box<dyn Resting> {
        let actor = self.actor.take().expect("an actor is spawned once");
        rest(actor, me, self.count.as_ref())
    }
}

/// The factory of a supervised actor, which makes one value after another.
pub(crate) struct Making<F> {
    make: F,
    count: Option<Weak<Count>>,
}

impl<F> Making<F> {
    pub(crate) fn counting(make: F, count: Option<Weak<Count>>) -> Self {
        Self { make, count }
    }
}

impl<A: Actor, F: FnMut() -> A> Spawn for Making<F> {
    fn info(&self) -> &'static ActorInfo {
        A::INFO
    }

    fn actor_type(&self) -> TypeId {
        TypeId::of::<A>()
    }

    fn path(&self) -> &'static str {
        std::any::type_name::<A>()
    }

    fn mail(&self) -> MakeMail {
        Mail::<A>::boxed
    }

    fn rest(&mut self, me: &Target) -> Box<dyn Resting> {
        rest((self.make)(), me, self.count.as_ref())
    }
}

/// Creates the instance, with a context in which the actor is `me`.
fn rest<A: Actor>(actor: A, me: &Target, count: Option<&Weak<Count>>) -> Box<dyn Resting> {
    if let Some(count) = count.and_then(Weak::upgrade) {
        count.settle(me);
    }
    Box::new(Rest {
        actor,
        cx: Context::new(me, count.cloned()),
        settled: A::first_state(),
    })
}
