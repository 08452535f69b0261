//! Checks of an actor as a whole.

use syn::Type;

use super::model::{ActorHandler, ActorModel, HandlerStates, Hook, HookKind};
use super::reachable;
use crate::errors::Errors;
use crate::roles;
use crate::types;

/// Reports every mistake that shows only when all parts are known.
pub(crate) fn check(actor: &mut ActorModel<'_>, errors: &mut Errors) {
    lists(actor, errors);
    handlers(actor, errors);
    replies(actor, errors);
    hooks(actor, errors);
    reachable::check(actor, errors);
}

/// Checks that a state lists an event once, and that a deferred event is handled in some state.
fn lists(actor: &ActorModel<'_>, errors: &mut Errors) {
    for (declared, lists) in actor.states.iter().zip(&actor.lists) {
        let name = &declared.state.name;
        once(&declared.defer, &format!("`defer` of `{name}`"), errors);
        once(&declared.ignore, &format!("`ignore` of `{name}`"), errors);
        for (ty, event) in declared.ignore.iter().zip(&lists.ignore) {
            if lists.defer.contains(event) {
                let event = types::written(ty);
                let message =
                    format!("`{name}` both defers and ignores `{event}`: keep one of the two");
                errors.push(ty, message);
            }
        }
        for (ty, event) in declared.defer.iter().zip(&lists.defer) {
            if !is_ever_taken(actor, *event) {
                let event = types::written(ty);
                let message = format!(
                    "no state ever handles `{event}`: add `#[on(State)] fn …(&mut self, event: {event})`, or ignore it"
                );
                errors.push(ty, message);
            }
        }
    }
    once(actor.receive, "`receive`", errors);
    for event in actor.remote.unwrap_or_default() {
        if actor.events.find(event).is_none() {
            errors.push(
                event,
                "`remote` names what goes to other nodes of the events that the actor handles, and it \
                 handles none of this type",
            );
        }
    }
    for state in 0..actor.states.len() {
        beside_a_handler(actor, state, errors);
    }
}

/// Reports events that a state both lists and handles by a handler of its own, which would take precedence.
fn beside_a_handler(actor: &ActorModel<'_>, state: usize, errors: &mut Errors) {
    let (declared, lists) = (&actor.states[state], &actor.lists[state]);
    let deferred = declared.defer.iter().zip(&lists.defer);
    let ignored = declared.ignore.iter().zip(&lists.ignore);
    let listed = deferred
        .map(|listed| ("defer", listed))
        .chain(ignored.map(|listed| ("ignore", listed)));
    for (list, (ty, event)) in listed {
        let mut handlers = actor.handlers_of(*event);
        // If a `cfg` removes the handler, the list counts.
        let first =
            handlers.find(|handler| handler.is_in(state) && handler.function.condition.always());
        if let Some(handler) = first {
            let (name, event) = (&declared.state.name, types::written(ty));
            let function = &handler.function.signature.ident;
            errors.push(
                ty,
                format!("`{name}` handles `{event}`, in `{function}`: remove this `{list}`, or `{name}` there"),
            );
        }
    }
}

fn once(types: &[Type], list: &str, errors: &mut Errors) {
    let mut seen = Vec::new();
    for ty in types {
        let key = types::key(ty);
        if seen.contains(&key) {
            let message = format!("`{key}` is named twice in the {list}: once is enough");
            errors.push(ty, message);
        }
        seen.push(key);
    }
}

/// True if some state handles the event, or some handler waits for it.
fn is_ever_taken(actor: &ActorModel<'_>, event: usize) -> bool {
    let handles = |state| actor.disposition(state, event).handled.is_some();
    // A handler whose states are all misspelt was reported, and is assumed to handle the event in some state.
    let misspelt = |handler: &ActorHandler<'_>| handler.when == HandlerStates::In(Vec::new());
    actor.received.contains(&event)
        || (0..actor.states.len()).any(handles)
        || actor.handlers_of(event).any(misspelt)
}

/// Checks that an event has one handler in a state.
fn handlers(actor: &ActorModel<'_>, errors: &mut Errors) {
    for (index, handler) in actor.handlers.iter().enumerate() {
        let earlier = actor.handlers[..index].iter();
        for other in earlier.filter(|other| other.event == handler.event) {
            clash(actor, other, handler, errors);
        }
    }
}

fn clash(
    actor: &ActorModel<'_>,
    first: &ActorHandler<'_>,
    second: &ActorHandler<'_>,
    errors: &mut Errors,
) {
    let event = types::written(second.written);
    let name = &first.function.signature.ident;
    let both = first.function.condition.and(&second.function.condition);
    match (&first.when, &second.when) {
        (HandlerStates::Otherwise, HandlerStates::Otherwise) => errors.push_where(
            &both,
            second.role,
            format!("`{name}` handles `{event}` already: give one of them states with `#[on(State)]`, or join them"),
        ),
        (HandlerStates::In(states), HandlerStates::In(_)) => {
            for state in states.iter().filter(|state| second.is_in(**state)) {
                let state = &actor.states[*state].state.name;
                errors.push_where(
                    &both,
                    roles::named(second.role, state),
                    format!("`{name}` handles `{event}` in `{state}` already: one handler for an event in a state"),
                );
            }
        }
        _ => {}
    }
}

/// Checks that an event has one type of reply. A handler with another type can't be called.
fn replies(actor: &mut ActorModel<'_>, errors: &mut Errors) {
    for index in 0..actor.handlers.len() {
        let handler = &actor.handlers[index];
        let mut earlier = actor.handlers[..index].iter();
        if let Some(first) = earlier.find(|first| first.event == handler.event)
            && reply(first) != reply(handler)
        {
            let message = format!(
                "the reply to `{}` is `{}` in `{}`, so it must be that here: an event has one type of reply",
                types::written(handler.written),
                reply(first),
                first.function.signature.ident,
            );
            match handler.reply {
                Some(ty) => errors.push(ty, message),
                None => errors.push(&handler.function.signature.ident, message),
            }
            actor.handlers[index].sound = false;
        }
    }
}

fn reply(handler: &ActorHandler<'_>) -> String {
    handler.reply.map_or_else(|| "()".into(), types::key)
}

/// Checks that a state has one hook of each kind, and that there is one to start and to stop.
fn hooks(actor: &ActorModel<'_>, errors: &mut Errors) {
    for (index, hook) in actor.hooks.iter().enumerate() {
        let earlier = actor.hooks[..index].iter();
        for other in earlier.filter(|other| other.part == hook.part) {
            hook_clash(actor, other, hook, errors);
        }
    }
}

fn hook_clash(actor: &ActorModel<'_>, first: &Hook<'_>, second: &Hook<'_>, errors: &mut Errors) {
    let name = &first.function.signature.ident;
    let role = second.part.role();
    let both = first.function.condition.and(&second.function.condition);
    if matches!(second.part, HookKind::Start | HookKind::Stop) {
        let message = format!("`{name}` is the `#[{role}]` hook already: join them");
        errors.push_where(&both, second.role, message);
    }
    for state in first
        .states
        .iter()
        .filter(|state| second.states.contains(state))
    {
        let state = &actor.states[*state].state.name;
        let message = format!("`{name}` is the `#[{role}]` hook of `{state}` already: join them");
        errors.push_where(&both, roles::named(second.role, state), message);
    }
}
