//! What is wrong with an actor as a whole.

use syn::Type;

use super::model::{Actor, Handler, Hook, Part, When};
use super::reachable;
use crate::errors::Errors;
use crate::roles;
use crate::types;

/// Reports every mistake that shows only when all parts are known.
pub(crate) fn check(actor: &Actor<'_>, errors: &mut Errors) {
    lists(actor, errors);
    handlers(actor, errors);
    replies(actor, errors);
    hooks(actor, errors);
    reachable::check(actor, errors);
}

/// An event stands once in the lists of a state, and what is deferred is handled in some state.
fn lists(actor: &Actor<'_>, errors: &mut Errors) {
    for declared in actor.states {
        let name = &declared.state.name;
        let lists = declared.defer.iter().chain(&declared.ignore);
        once(lists, &format!("in the lists of `{name}`"), errors);
        for event in &declared.defer {
            if !is_ever_taken(actor, event) {
                let written = types::written(event);
                errors.push(
                    event,
                    format!("no state handles `{written}`: add `#[on(State)] fn …(&mut self, event: {written})`, or ignore it"),
                );
            }
        }
    }
    once(actor.receive.iter(), "in `receive`", errors);
}

fn once<'a>(types: impl Iterator<Item = &'a Type>, place: &str, errors: &mut Errors) {
    let mut seen = Vec::new();
    for ty in types {
        let key = types::key(ty);
        if seen.contains(&key) {
            errors.push(
                ty,
                format!("`{key}` stands twice {place}: keep one of the two"),
            );
        }
        seen.push(key);
    }
}

fn is_ever_taken(actor: &Actor<'_>, event: &Type) -> bool {
    let position = actor.events.find(event);
    let received = actor
        .receive
        .iter()
        .any(|received| actor.events.find(received) == position);
    received || position.is_some_and(|position| actor.handlers_of(position).next().is_some())
}

/// One handler for an event in a state.
fn handlers(actor: &Actor<'_>, errors: &mut Errors) {
    for (index, handler) in actor.handlers.iter().enumerate() {
        let earlier = actor.handlers[..index].iter();
        for other in earlier
            .filter(|other| other.event == handler.event && !are_alternatives(other, handler))
        {
            clash(actor, other, handler, errors);
        }
    }
}

/// Where either depends on `cfg`, both need not exist at once: rustc will see.
fn are_alternatives(a: &Handler<'_>, b: &Handler<'_>) -> bool {
    !(a.function.condition.always() && b.function.condition.always())
}

fn clash(actor: &Actor<'_>, first: &Handler<'_>, second: &Handler<'_>, errors: &mut Errors) {
    let event = types::written(second.written);
    let name = &first.function.signature.ident;
    match (&first.when, &second.when) {
        (When::Otherwise, When::Otherwise) => errors.push(
            second.role,
            format!("`{name}` handles `{event}` already: give one of them states with `#[on(State)]`, or join them"),
        ),
        (When::In(states), When::In(_)) => {
            for state in states.iter().filter(|state| second.is_in(**state)) {
                let state = &actor.states[*state].state.name;
                errors.push(
                    roles::named(second.role, state),
                    format!("`{name}` handles `{event}` in `{state}` already: one handler for an event in a state"),
                );
            }
        }
        _ => {}
    }
}

/// One type of reply for an event.
fn replies(actor: &Actor<'_>, errors: &mut Errors) {
    for (index, handler) in actor.handlers.iter().enumerate() {
        let first = actor.handlers[..index]
            .iter()
            .find(|first| first.event == handler.event);
        let Some(first) = first else {
            continue;
        };
        let (expected, found) = (reply(first), reply(handler));
        if expected != found {
            let message = format!(
                "the reply to `{}` is `{expected}` in `{}`, so it must be that here: an event has one type of reply",
                types::written(handler.written),
                first.function.signature.ident,
            );
            match handler.reply() {
                Some(ty) => errors.push(ty, message),
                None => errors.push(&handler.function.signature.ident, message),
            }
        }
    }
}

fn reply(handler: &Handler<'_>) -> String {
    handler.reply().map_or_else(|| "()".into(), types::key)
}

/// One hook of a kind for a state, and one to start and to stop.
fn hooks(actor: &Actor<'_>, errors: &mut Errors) {
    for (index, hook) in actor.hooks.iter().enumerate() {
        for other in actor.hooks[..index]
            .iter()
            .filter(|other| other.part == hook.part)
        {
            if other.function.condition.always() && hook.function.condition.always() {
                hook_clash(actor, other, hook, errors);
            }
        }
    }
}

fn hook_clash(actor: &Actor<'_>, first: &Hook<'_>, second: &Hook<'_>, errors: &mut Errors) {
    let name = &first.function.signature.ident;
    let role = second.part.role();
    if matches!(second.part, Part::Start | Part::Stop) {
        errors.push(
            second.role,
            format!("`{name}` is the `#[{role}]` hook already: join them"),
        );
    }
    for state in first
        .states
        .iter()
        .filter(|state| second.states.contains(state))
    {
        let state = &actor.states[*state].state.name;
        errors.push(
            second.role,
            format!("`{name}` is the `#[{role}]` hook of `{state}` already: join them"),
        );
    }
}
