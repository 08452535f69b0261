//! Checks of a monitor as a whole.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::model::{MonitorHandler, MonitorModel};
use super::parse::DeclaredTemperature;
use crate::errors::Errors;
use crate::roles;
use crate::types;

/// Reports every mistake that shows only when all parts are known.
pub(crate) fn check(monitor: &MonitorModel<'_>, errors: &mut Errors) {
    first_state(monitor, errors);
    for observation in 0..monitor.observations.len() {
        handlers(monitor, observation, errors);
    }
    for function in &monitor.block.functions {
        sends(&function.body, monitor, errors);
    }
}

/// Checks that a monitor can start without a pending obligation.
fn first_state(monitor: &MonitorModel<'_>, errors: &mut Errors) {
    let mut states = monitor.states.iter();
    if let Some(first) = monitor.states.first()
        && monitor.complete
        && states.all(|declared| declared.temperature == DeclaredTemperature::Hot)
    {
        errors.push(
            &first.state.name,
            "a monitor does not start hot, since no obligation is pending yet: add a state with `cold(..)` or `warm(..)`",
        );
    }
}

/// Checks that an event has one handler in a state.
fn handlers(monitor: &MonitorModel<'_>, observation: usize, errors: &mut Errors) {
    let handlers: Vec<&MonitorHandler<'_>> = monitor.handlers_of(observation).collect();
    for (index, second) in handlers.iter().enumerate() {
        for first in &handlers[..index] {
            clash(monitor, first, second, errors);
        }
    }
}

fn clash(
    monitor: &MonitorModel<'_>,
    first: &MonitorHandler<'_>,
    second: &MonitorHandler<'_>,
    errors: &mut Errors,
) {
    let event = types::written(second.written);
    let name = &first.function.signature.ident;
    let both = first.function.condition.and(&second.function.condition);
    match (&first.states, &second.states) {
        (None, None) => errors.push_where(
            &both,
            second.role,
            format!("`{name}` observes `{event}` already: give one of them states with `#[on(State)]`, or join them"),
        ),
        (Some(one), Some(other)) => {
            for state in one.iter().filter(|state| other.contains(state)) {
                let state = &monitor.states[*state].state.name;
                errors.push_where(
                    &both,
                    roles::named(second.role, state),
                    format!("`{name}` observes `{event}` in `{state}` already: one handler for an event in a state"),
                );
            }
        }
        _ => {}
    }
}

/// Reports `.tell(..)` and `.ask(..)` on anything but the monitor itself.
fn sends(body: &TokenStream, monitor: &MonitorModel<'_>, errors: &mut Errors) {
    let trees: Vec<TokenTree> = body.clone().into_iter().collect();
    for tree in &trees {
        if let TokenTree::Group(group) = tree {
            sends(&group.stream(), monitor, errors);
        }
    }
    for (index, call) in trees.windows(3).enumerate() {
        let before = index.checked_sub(1).map(|before| &trees[before]);
        if let [
            TokenTree::Punct(dot),
            TokenTree::Ident(method),
            TokenTree::Group(arguments),
        ] = call
            && dot.as_char() == '.'
            && (method == "tell" || method == "ask")
            && arguments.delimiter() == Delimiter::Parenthesis
            && !matches!(before, Some(TokenTree::Ident(receiver)) if receiver == "self")
        {
            let name = &monitor.block.name;
            errors.push(
                method,
                format!("a monitor only observes: `{name}` can't send; let an actor do it"),
            );
        }
    }
}
