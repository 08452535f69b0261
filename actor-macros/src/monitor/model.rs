//! The model of a monitor: names are resolved, and functions that can't be called are left out.

use std::borrow::Cow;

use syn::{Attribute, Ident, Path, Type, Visibility};

use super::parse::{Declared, DeclaredTemperature, MonitorArguments};
use crate::block::{Block, Function};
use crate::errors::Errors;
use crate::events::Events;
use crate::roles;
use crate::signature::{self, Inputs};
use crate::states::KnownStates;

/// A monitor, borrowed from the user's tokens.
pub(crate) struct MonitorModel<'a> {
    pub(crate) block: &'a Block,
    pub(crate) visibility: &'a Visibility,
    pub(crate) krate: &'a Path,
    /// Empty for a monitor that only asserts.
    pub(crate) states: &'a [Declared],
    /// True if all states could be read.
    pub(crate) complete: bool,
    pub(crate) events: Events<'a>,
    /// The observations: an event at a moment.
    pub(crate) observations: Vec<(usize, ObservedMoment)>,
    pub(crate) handlers: Vec<MonitorHandler<'a>>,
}

/// The moment at which an event is observed: the variants of `Moment`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObservedMoment {
    Sent,
    Handled,
    Replied,
}

pub(crate) struct MonitorHandler<'a> {
    pub(crate) function: &'a Function,
    pub(crate) role: &'a Attribute,
    /// The event's type, without the reference.
    pub(crate) written: &'a Type,
    pub(crate) observations: Vec<usize>,
    /// The states in which the handler runs; `None` for all that have no handler of their own.
    pub(crate) states: Option<Vec<usize>>,
    pub(crate) takes_cx: bool,
    /// True if generated code can call the function.
    pub(crate) sound: bool,
}

impl<'a> MonitorModel<'a> {
    /// Reads the block, and reports everything that can't be read.
    pub(crate) fn read(
        arguments: &'a MonitorArguments,
        block: &'a Block,
        errors: &mut Errors,
    ) -> Self {
        let mut monitor = Self {
            block,
            visibility: &arguments.visibility,
            krate: &arguments.krate,
            states: &arguments.states,
            complete: arguments.complete,
            events: Events::default(),
            observations: Vec::new(),
            handlers: Vec::new(),
        };
        roles::report_strays(block, errors);
        let known = KnownStates {
            owner: &block.name,
            names: arguments
                .states
                .iter()
                .map(|declared| &declared.state.name)
                .collect(),
            declaration: "#[monitor(hot(State, ..), cold(State, ..))]",
            complete: arguments.complete,
        };
        for function in &block.functions {
            monitor.read_function(function, &known, errors);
        }
        monitor
    }

    fn read_function(
        &mut self,
        function: &'a Function,
        known: &KnownStates<'_>,
        errors: &mut Errors,
    ) {
        let mut on = None;
        for role in &function.roles {
            match roles::role(role) {
                "on" if on.is_none() => on = Some(role),
                "on" => errors.push(role, "this function has an `#[on]` already: one is enough"),
                name => errors.push(
                    role,
                    format!("a monitor has no `#[{name}]`: it observes events, with `#[on]`"),
                ),
            }
        }
        if let Some(role) = on {
            self.read_handler(function, role, known, errors);
        }
    }

    fn read_handler(
        &mut self,
        function: &'a Function,
        role: &'a Attribute,
        known: &KnownStates<'_>,
        errors: &mut Errors,
    ) {
        const EXAMPLE: &str = "&mut self, event: &Event, cx: &mut MonitorContext<Self>";
        let (states, moments) = read_role(role, known, errors);
        let observes = only_observes(function, errors);
        let Some(Inputs {
            event,
            reply,
            cx,
            sound,
        }) = signature::handler(function, EXAMPLE, errors)
        else {
            return;
        };
        if let Some(carried) = reply {
            errors.push(carried, "a monitor only observes: it answers nobody");
        }
        let borrowed = by_reference(event, errors);
        let in_context = has_own_context(cx, errors);
        let ty = borrowed.unwrap_or_else(|owned| owned);
        let observed = self.events.add(Cow::Borrowed(ty), &function.condition);
        let observations = moments
            .into_iter()
            .map(|moment| self.observation(observed, moment));
        let observations = observations.collect();
        self.handlers.push(MonitorHandler {
            function,
            role,
            written: ty,
            observations,
            states,
            takes_cx: cx.is_some(),
            sound: sound && reply.is_none() && observes && in_context && borrowed.is_ok(),
        });
    }

    fn observation(&mut self, event: usize, moment: ObservedMoment) -> usize {
        let observation = (event, moment);
        let found = self
            .observations
            .iter()
            .position(|other| *other == observation);
        found.unwrap_or_else(|| {
            self.observations.push(observation);
            self.observations.len() - 1
        })
    }

    /// Returns the first cold state, or else the first warm one, or else the first of all.
    pub(crate) fn first_state(&self) -> usize {
        let first = |temperature| {
            self.states
                .iter()
                .position(|declared| declared.temperature == temperature)
        };
        first(DeclaredTemperature::Cold)
            .or_else(|| first(DeclaredTemperature::Warm))
            .unwrap_or(0)
    }

    pub(crate) fn handlers_of(
        &self,
        observation: usize,
    ) -> impl Iterator<Item = &MonitorHandler<'a>> {
        self.handlers
            .iter()
            .filter(move |handler| handler.observations.contains(&observation))
    }
}

/// Reads the states and moments in `#[on(S, handled)]`.
fn read_role(
    role: &Attribute,
    known: &KnownStates<'_>,
    errors: &mut Errors,
) -> (Option<Vec<usize>>, Vec<ObservedMoment>) {
    let right = "states and moments: `#[on(State, .., handled)]`, or `#[on]` for all states";
    let names = roles::names(role, right, errors).unwrap_or_default();
    let mut moments = Vec::new();
    let mut states = Vec::new();
    for name in &names {
        match moment(name, known) {
            Some(moment) if moments.contains(&moment) => {
                errors.push(name, format!("`{name}` is named twice: once is enough"));
            }
            Some(moment) => moments.push(moment),
            None => states.push(name.clone()),
        }
    }
    if moments.is_empty() {
        moments.push(ObservedMoment::Sent);
    }
    let states = (!states.is_empty()).then(|| known.find_all(&states, errors));
    (states, moments)
}

fn moment(name: &Ident, known: &KnownStates<'_>) -> Option<ObservedMoment> {
    if known.names.contains(&name) {
        return None;
    }
    match name.to_string().as_str() {
        "sent" => Some(ObservedMoment::Sent),
        "handled" => Some(ObservedMoment::Handled),
        "replied" => Some(ObservedMoment::Replied),
        _ => None,
    }
}

/// Returns true if the handler is sync and returns nothing; otherwise reports it.
fn only_observes(function: &Function, errors: &mut Errors) -> bool {
    let signature = &function.signature;
    if let Some(token) = &signature.asyncness {
        errors.push(
            token,
            "a monitor only observes, and waits for nothing: drop the `async`",
        );
    }
    let output = signature::output(signature);
    if let Some(output) = output {
        errors.push(
            output,
            "a monitor only observes: its handlers return nothing",
        );
    }
    signature.asyncness.is_none() && output.is_none()
}

/// Returns the referent of the event's type; the type itself as an error if it is no shared reference.
fn by_reference<'a>(ty: &'a Type, errors: &mut Errors) -> Result<&'a Type, &'a Type> {
    match ty {
        Type::Group(group) => by_reference(&group.elem, errors),
        Type::Reference(reference) if reference.mutability.is_none() => Ok(&reference.elem),
        Type::Reference(reference) => {
            let written = crate::types::written(&reference.elem);
            errors.push(ty, format!("a monitor only observes: take `&{written}`"));
            Err(&reference.elem)
        }
        ty => {
            let written = crate::types::written(ty);
            errors.push(
                ty,
                format!("a monitor only observes, and the event is another's: take `&{written}`"),
            );
            Err(ty)
        }
    }
}

/// Returns false, and reports it, if the context is that of an actor, which could send.
fn has_own_context(cx: Option<&Type>, errors: &mut Errors) -> bool {
    let Some(cx) = cx else {
        return true;
    };
    let of_an_actor = signature::referent_name(cx).is_some_and(|name| name == "Context");
    if of_an_actor {
        errors.push(
            cx,
            "a monitor only observes: its context is `&mut MonitorContext<Self>`",
        );
    }
    !of_an_actor
}
