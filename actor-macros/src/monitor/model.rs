//! A monitor as it is expanded: names resolved, and everything that can't be called left out.

use std::borrow::Cow;

use syn::{Attribute, Ident, Path, Type, Visibility};

use super::parse::{Arguments, Declared, Temperature};
use crate::block::{Block, Function};
use crate::errors::Errors;
use crate::events::Events;
use crate::roles;
use crate::signature::{self, Inputs};
use crate::states::Known;

/// A monitor, borrowed from what the user wrote.
pub(crate) struct Monitor<'a> {
    pub(crate) block: &'a Block,
    pub(crate) visibility: &'a Visibility,
    pub(crate) krate: &'a Path,
    /// Empty for one that only asserts.
    pub(crate) states: &'a [Declared],
    /// All states could be read.
    pub(crate) complete: bool,
    /// Every event type that it observes.
    pub(crate) events: Events<'a>,
    /// What it observes: an event at a moment.
    pub(crate) observations: Vec<(usize, Moment)>,
    pub(crate) handlers: Vec<Handler<'a>>,
}

/// When an event is observed: the names of `Moment`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    Sent,
    Handled,
    Replied,
}

/// The handler of an event.
pub(crate) struct Handler<'a> {
    pub(crate) function: &'a Function,
    pub(crate) role: &'a Attribute,
    /// The event's type, without the reference.
    pub(crate) written: &'a Type,
    /// Positions in [`Monitor::observations`].
    pub(crate) observations: Vec<usize>,
    /// In these states; `None` for all that have no handler of their own.
    pub(crate) states: Option<Vec<usize>>,
    pub(crate) takes_cx: bool,
    /// It can be called as it is.
    pub(crate) sound: bool,
}

impl<'a> Monitor<'a> {
    /// Reads what can be read of the block, and reports the rest.
    pub(crate) fn read(arguments: &'a Arguments, block: &'a Block, errors: &mut Errors) -> Self {
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
        let known = Known {
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

    fn read_function(&mut self, function: &'a Function, known: &Known<'_>, errors: &mut Errors) {
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
        known: &Known<'_>,
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
        self.handlers.push(Handler {
            function,
            role,
            written: ty,
            observations,
            states,
            takes_cx: cx.is_some(),
            sound: sound && reply.is_none() && observes && in_context && borrowed.is_ok(),
        });
    }

    fn observation(&mut self, event: usize, moment: Moment) -> usize {
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

    /// The first cold state, or the first warm one; the first of all where there is neither.
    pub(crate) fn first_state(&self) -> usize {
        let first = |temperature| {
            self.states
                .iter()
                .position(|declared| declared.temperature == temperature)
        };
        first(Temperature::Cold)
            .or_else(|| first(Temperature::Warm))
            .unwrap_or(0)
    }

    /// The handlers of an observation.
    pub(crate) fn handlers_of(&self, observation: usize) -> impl Iterator<Item = &Handler<'a>> {
        self.handlers
            .iter()
            .filter(move |handler| handler.observations.contains(&observation))
    }
}

/// The states and moments in `#[on(S, handled)]`.
fn read_role(
    role: &Attribute,
    known: &Known<'_>,
    errors: &mut Errors,
) -> (Option<Vec<usize>>, Vec<Moment>) {
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
        moments.push(Moment::Sent);
    }
    let states = (!states.is_empty()).then(|| known.find_all(&states, errors));
    (states, moments)
}

fn moment(name: &Ident, known: &Known<'_>) -> Option<Moment> {
    if known.names.contains(&name) {
        return None;
    }
    match name.to_string().as_str() {
        "sent" => Some(Moment::Sent),
        "handled" => Some(Moment::Handled),
        "replied" => Some(Moment::Replied),
        _ => None,
    }
}

/// The handler is sync and answers nobody.
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

/// What the event's type refers to, or the type itself where it is no shared reference.
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

/// The context is not that of an actor, which could send.
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
