//! The rules of the generator: what a participant of a random program may do, each in one place.

use std::future::Future;
use std::pin::Pin;

use actor_core::Context;

use super::actors::Player;
use super::kit::Kit;

/// Who does it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum By {
    /// An actor, when it starts.
    Actor,
    /// A task.
    Task,
    /// A thread, which blocks on what it awaits.
    Thread,
    /// The test body.
    Body,
}

pub(crate) const ANYBODY: &[By] = &[By::Actor, By::Task, By::Thread, By::Body];
pub(crate) const ACTOR: &[By] = &[By::Actor];
/// Those with a stack of their own.
pub(crate) const STACKED: &[By] = &[By::Task, By::Thread, By::Body];
pub(crate) const BODY: &[By] = &[By::Body];

/// Ends with what was learnt.
pub(crate) type Doing<'a> = Pin<Box<dyn Future<Output = u64> + Send + 'a>>;

/// The code of a rule; the number says to whom or how.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    Any(for<'a> fn(&'a mut Kit, u64) -> Doing<'a>),
    /// An actor does it, by its context.
    Actor(for<'a> fn(&'a mut Kit, u64, &'a mut Context<Player>) -> Doing<'a>),
}

/// Something that a participant may do.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    /// Rules of one room meet in most programs.
    pub(crate) topic: &'static str,
    pub(crate) by: &'static [By],
    /// The public things that it uses.
    pub(crate) makes: &'static [&'static str],
    pub(crate) act: Act,
}

/// Something that a participant does.
#[derive(Clone, Copy)]
pub(crate) struct ScriptedAction {
    pub(crate) rule: &'static Rule,
    pub(crate) to: u64,
}

impl std::fmt::Debug for ScriptedAction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.rule.name, self.to)
    }
}

/// The rules of rooms, each with who does them, what is public of them, and the code, which ends with what was
/// learnt.
macro_rules! rules {
    ($($topic:literal {
        $($name:ident $by:ident [$($makes:literal),+] |$($given:tt),+| $act:expr;)+
    })+) => {
        pub(crate) const RULES: &[$crate::constructs::rules::Rule] = &[$($(
            $crate::constructs::rules::Rule {
                name: stringify!($name),
                topic: $topic,
                by: $crate::constructs::rules::$by,
                makes: &[$($makes),+],
                act: rules!(@act |$($given),+| $act),
            },
        )+)+];
    };
    (@act |$kit:tt, $to:tt| $act:expr) => {
        $crate::constructs::rules::Act::Any(|$kit, $to| Box::pin(async move { $act }))
    };
    (@act |$kit:tt, $to:tt, $cx:tt| $act:expr) => {
        $crate::constructs::rules::Act::Actor(|$kit, $to, $cx| Box::pin(async move { $act }))
    };
}
pub(crate) use rules;

/// All rules.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    super::rooms::ALL.iter().flat_map(|rules| rules.iter())
}

/// A number for an outcome.
pub(crate) fn ok<T, E>(result: &Result<T, E>) -> u64 {
    u64::from(result.is_ok())
}
