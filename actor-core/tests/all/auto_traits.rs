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

/// Returns a letter for each trait, or a dot: `Send`, `Sync`, `Unpin`, `UnwindSafe`, `RefUnwindSafe`.
macro_rules! letters {
    ($($type:ty),* $(,)?) => {
        [$((stringify!($type), [
            if implements!($type, Send) { 's' } else { '.' },
            if implements!($type, Sync) { 'y' } else { '.' },
            if implements!($type, Unpin) { 'p' } else { '.' },
            if implements!($type, UnwindSafe) { 'u' } else { '.' },
            if implements!($type, RefUnwindSafe) { 'r' } else { '.' },
        ])),*]
    };
}

#[test]
fn auto_traits() {
    let all = letters![
        ActorId,
        ActorRef<Server>,
        Recipient<Answer>,
        ReplyRecipient<Answer, Answer>,
        WeakRef<Server>,
        ServiceRef,
        PoolRef<Server>,
        Group<Ask_>,
        System,
        LiveSystem,
        Spawner<'static>,
        Context<Server>,
        Ask<Answer>,
        TimedAsk<Answer>,
        Reply<Answer>,
        Sending<Ask_>,
        TrySending<Ask_>,
        Timer,
        TimerBuilder<'static, Server>,
        Pool<Server>,
        Probe<dyn Service>,
        ActorRng,
        Mailbox,
        Overflow,
        Supervision,
        Backoff,
        Restart,
        Unread,
        Decision,
        Terminated,
        StopReason,
        Started,
        Stopped,
        AskError,
        SendError<Ask_>,
        TrySendError<Ask_>,
        Error,
        LookupError,
        NameTaken,
        Failure,
        FailureKind,
        DeadLetter<'static>,
        DeadLetterReason,
        MonitorViolation,
        MonitorStep,
        MonitorViolationKind,
        MonitorContext<Watcher>,
        StuckActor,
        DeepMailbox,
        Unfinished,
        ActorStatus,
        Fingerprinter,
        World<'static>,
    ];
    let found: Vec<String> = all
        .iter()
        .map(|(name, letters)| format!("{} {name}", letters.iter().collect::<String>()))
        .collect();
    let expected: Vec<&str> = EXPECTED.lines().map(str::trim).collect();
    assert_eq!(found, expected, "\n{}", found.join("\n"));
}

/// References and futures must not depend on their event type: [`Answer`] has almost no auto trait.
const EXPECTED: &str = "\
sypur ActorId
sypur ActorRef<Server>
sypur Recipient<Answer>
sypur ReplyRecipient<Answer, Answer>
sypur WeakRef<Server>
sypur ServiceRef
sypur PoolRef<Server>
sypur Group<Ask_>
sypur System
sypur LiveSystem
..p.. Spawner<'static>
s.p.. Context<Server>
sypur Ask<Answer>
syp.. TimedAsk<Answer>
sypur Reply<Answer>
sypur Sending<Ask_>
sypur TrySending<Ask_>
sypur Timer
s.p.. TimerBuilder<'static, Server>
s.p.. Pool<Server>
sypur Probe<dyn Service>
sypur ActorRng
sypur Mailbox
sypur Overflow
sypur Supervision
sypur Backoff
sypur Restart
sypur Unread
sypur Decision
sypur Terminated
sypur StopReason
sypur Started
sypur Stopped
sypur AskError
sypur SendError<Ask_>
sypur TrySendError<Ask_>
sypur Error
sypur LookupError
sypur NameTaken
sypur Failure
sypur FailureKind
..p.. DeadLetter<'static>
sypur DeadLetterReason
sypur MonitorViolation
sypur MonitorStep
sypur MonitorViolationKind
sypur MonitorContext<Watcher>
sypur StuckActor
sypur DeepMailbox
sypur Unfinished
sypur ActorStatus
sypur Fingerprinter
..p.. World<'static>";
