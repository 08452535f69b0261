//! The rules of the generator: the actions that a participant of a random program may take.

use std::future::Future;
use std::pin::Pin;

use actor_core::Context;

use super::actors::Player;
use super::kit::Kit;

/// The kind of participant that executes an action.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum By {
    /// An actor, at its start.
    Actor,
    /// A task.
    Task,
    /// A thread, which blocks while it waits.
    Thread,
    /// The test body.
    Body,
}

pub(crate) const ANYBODY: &[By] = &[By::Actor, By::Task, By::Thread, By::Body];
pub(crate) const ACTOR: &[By] = &[By::Actor];
/// The participants with a stack of their own.
pub(crate) const STACKED: &[By] = &[By::Task, By::Thread, By::Body];
pub(crate) const BODY: &[By] = &[By::Body];

/// A running action, which returns its observation.
pub(crate) type Doing<'a> = Pin<Box<dyn Future<Output = u64> + Send + 'a>>;

/// The code of a rule; the number selects a target or a variant.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    Any(for<'a> fn(&'a mut Kit, u64) -> Doing<'a>),
    /// An action of an actor, which needs its context.
    Actor(for<'a> fn(&'a mut Kit, u64, &'a mut Context<Player>) -> Doing<'a>),
}

/// An action that a participant may take.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    /// The topic of the rule; rules of one topic meet in most programs.
    pub(crate) topic: &'static str,
    pub(crate) by: &'static [By],
    /// The public items that the rule uses.
    pub(crate) makes: &'static [&'static str],
    pub(crate) act: Act,
}

/// An action of a participant.
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

/// Defines the rules of topics: for each rule its participants, the
/// public items that it uses, and its code, which returns an observation.
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

/// Returns all rules.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    super::rooms::ALL.iter().flat_map(|rules| rules.iter())
}

/// Encodes the success of a result as a number.
pub(crate) fn ok<T, E>(result: &Result<T, E>) -> u64 {
    u64::from(result.is_ok())
}
