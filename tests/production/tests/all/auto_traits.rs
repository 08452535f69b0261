//! The auto traits of the public types: programs rely on them, so no change may remove one by accident.

use std::panic::{RefUnwindSafe, UnwindSafe};

use actor_core::lifecycle::*;
use actor_core::mailbox::*;
use actor_core::names::*;
use actor_core::observability::*;
use actor_core::prelude::*;
use actor_core::services::*;
use actor_core::supervision::*;
use actor_core::*;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Ask_;

/// An actor that is neither `Sync` nor unwind safe, which is allowed; the same holds for [`Answer`].
#[derive(Default)]
struct Server(std::cell::Cell<u32>);

#[derive(Debug, Default)]
struct Answer(#[expect(dead_code, reason = "for its traits")] std::cell::Cell<u32>);

#[actor]
impl Server {
    #[on]
    fn ask(&mut self, _: Ask_) -> Answer {
        Answer(self.0.clone())
    }
}

#[protocol]
trait Service {
    fn ask(ask: Ask_) -> Answer;
}

#[monitor(hot, cold)]
impl Watcher {
    #[on]
    fn ask(&mut self, _: &Ask_) {}
}

#[derive(Default)]
struct Watcher;

/// Returns true if the type implements the trait: an inherent constant takes precedence over a trait's.
macro_rules! implements {
    ($type:ty, $trait:path) => {{
        #[allow(dead_code, reason = "not for a type that does")]
        trait Otherwise {
            const IT_DOES: bool = false;
        }
        impl<T: ?Sized> Otherwise for T {}
        struct Check<T: ?Sized>(std::marker::PhantomData<T>);
        #[allow(dead_code, reason = "not for a type that does not")]
        impl<T: ?Sized + $trait> Check<T> {
            const IT_DOES: bool = true;
        }
        <Check<$type>>::IT_DOES
    }};
}

/// Asserts of each type the traits that it has, as letters: `Send`, `Sync`, `Unpin`, `UnwindSafe`,
/// `RefUnwindSafe`; a dot is for none.
macro_rules! assert_letters {
    ($($letters:literal: $($type:ty),*;)*) => {$($({
        let letters = [
            if implements!($type, Send) { 's' } else { '.' },
            if implements!($type, Sync) { 'y' } else { '.' },
            if implements!($type, Unpin) { 'p' } else { '.' },
            if implements!($type, UnwindSafe) { 'u' } else { '.' },
            if implements!($type, RefUnwindSafe) { 'r' } else { '.' },
        ];
        assert_eq!(String::from_iter(letters), $letters, "{}", stringify!($type));
    })*)*};
}

/// References and futures must not depend on their event type: [`Answer`] has almost no auto trait.
#[test]
fn auto_traits() {
    assert_letters! {
        "sypur":
            ActorId, ActorRef<Server>, Recipient<Answer>, ReplyRecipient<Answer, Answer>,
            WeakRef<Server>, ServiceRef, PoolRef<Server>, Group<Ask_>, System, LiveSystem,
            Ask<Answer>, Reply<Answer>, Sending<Ask_>, TrySending<Ask_>, Timer,
            Probe<dyn Service>, ActorRng, Mailbox, Overflow, Supervision, Backoff, Restart,
            Unread, Decision, Terminated, StopReason, Started, Stopped, AskError,
            SendError<Ask_>, TrySendError<Ask_>, Error, LookupError, NameTaken, Failure,
            FailureKind, DeadLetterReason, MonitorViolation, MonitorStep, MonitorViolationKind,
            MonitorContext<Watcher>, StuckActor, DeepMailbox, Unfinished, ActorStatus,
            Fingerprinter;
        "..p..":
            Spawner<'static>, DeadLetter<'static>, World<'static>;
        "s.p..":
            Context<Server>, TimerBuilder<'static, Server>, Pool<Server>;
        "syp..":
            TimedAsk<Answer>;
    }
}
