//! The model of an actor: names are resolved, and functions that can't be called are left out.

use std::borrow::Cow;

use syn::{Attribute, Ident, Path, Type, Visibility};

use super::parse::{ActorArguments, DeclaredState};
use crate::block::{Block, Function};
use crate::condition::Condition;
use crate::errors::Errors;
use crate::events::Events;
use crate::owned;
use crate::roles;
use crate::signature::{self, Inputs};
use crate::states::KnownStates;
use crate::types;

/// An actor, borrowed from the user's tokens.
pub(crate) struct ActorModel<'a> {
    pub(crate) block: &'a Block,
    pub(crate) visibility: &'a Visibility,
    pub(crate) krate: &'a Path,
    /// Empty for a plain actor.
    pub(crate) states: &'a [DeclaredState],
    /// The `defer` and `ignore` lists of each state.
    pub(crate) lists: Vec<Lists>,
    pub(crate) receive: &'a [Type],
    /// The types of the events for other nodes; all events if the list is empty.
    pub(crate) remote: Option<&'a [Type]>,
    /// The `receive` list, as events.
    pub(crate) received: Vec<usize>,
    /// Every event in a handler or list, in the order: handled, deferred, ignored, received.
    pub(crate) events: Events<'a>,
    pub(crate) handlers: Vec<ActorHandler<'a>>,
    pub(crate) hooks: Vec<Hook<'a>>,
}

pub(crate) struct ActorHandler<'a> {
    pub(crate) function: &'a Function,
    pub(crate) role: &'a Attribute,
    pub(crate) written: &'a Type,
    pub(crate) event: usize,
    pub(crate) when: HandlerStates,
    pub(crate) takes_cx: bool,
    /// True if the handler takes the reply as a parameter, instead of returning it.
    pub(crate) takes_reply: bool,
    /// The reply's type; `None` for `()`.
    pub(crate) reply: Option<&'a Type>,
    /// True if generated code can call the function.
    pub(crate) sound: bool,
}

/// The states in which a handler runs.
#[derive(PartialEq, Eq)]
pub(crate) enum HandlerStates {
    /// All states that don't handle, defer or ignore the event otherwise.
    Otherwise,
    In(Vec<usize>),
}

/// A function that runs when the actor starts, stops, or changes its state.
pub(crate) struct Hook<'a> {
    pub(crate) function: &'a Function,
    pub(crate) role: &'a Attribute,
    pub(crate) part: HookKind,
    pub(crate) states: Vec<usize>,
    pub(crate) takes_cx: bool,
}

/// The moment at which a hook runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HookKind {
    Start,
    Entry,
    Exit,
    Stop,
}

impl HookKind {
    /// Returns the attribute that makes a hook of this kind.
    pub(crate) fn role(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Entry => "entry",
            Self::Exit => "exit",
            Self::Stop => "stop",
        }
    }
}

impl ActorHandler<'_> {
    pub(crate) fn is_in(&self, state: usize) -> bool {
        matches!(&self.when, HandlerStates::In(states) if states.contains(&state))
    }
}

impl<'a> ActorModel<'a> {
    /// Reads the block, and reports everything that can't be read.
    pub(crate) fn read(
        arguments: &'a ActorArguments,
        block: &'a Block,
        errors: &mut Errors,
    ) -> Self {
        let mut actor = Self {
            block,
            visibility: &arguments.visibility,
            krate: &arguments.krate,
            states: &arguments.states,
            lists: Vec::new(),
            receive: &arguments.receive,
            remote: arguments.remote.as_deref(),
            received: Vec::new(),
            events: Events::default(),
            handlers: Vec::new(),
            hooks: Vec::new(),
        };
        roles::report_strays(block, errors);
        let known = actor.known_states(arguments.complete);
        for function in &block.functions {
            actor.read_function(function, &known, errors);
        }
        actor.read_listed_events(errors);
        actor
    }

    fn known_states(&self, complete: bool) -> KnownStates<'a> {
        KnownStates {
            owner: &self.block.name,
            names: self
                .states
                .iter()
                .map(|declared| &declared.state.name)
                .collect(),
            declaration: "#[actor(states(First, ..))]",
            complete,
        }
    }

    fn read_function(
        &mut self,
        function: &'a Function,
        known: &KnownStates<'_>,
        errors: &mut Errors,
    ) {
        let (on, hooks): (Vec<&Attribute>, Vec<&Attribute>) = function
            .roles
            .iter()
            .partition(|role| roles::role(role) == "on");
        if let Some(role) = on.first() {
            for extra in on.iter().skip(1).chain(&hooks) {
                errors.push(
                    extra,
                    "this function has an `#[on]` already: one is enough, and a handler is no hook",
                );
            }
            self.read_handler(function, role, known, errors);
        } else {
            self.read_hooks(function, &hooks, known, errors);
        }
    }

    fn read_handler(
        &mut self,
        function: &'a Function,
        role: &'a Attribute,
        known: &KnownStates<'_>,
        errors: &mut Errors,
    ) {
        const EXAMPLE: &str = "&mut self, event: Event, cx: &mut Context<Self>";
        let named = roles::names(
            role,
            "states: `#[on(State, ..)]`, or `#[on]` for all",
            errors,
        );
        let Some(Inputs {
            event,
            reply: taken,
            cx,
            sound,
        }) = signature::handler(function, EXAMPLE, errors)
        else {
            return;
        };
        if is_unsized(event) {
            return;
        }
        let states = named.map(|mut names| {
            names.retain(|name| !is_event(name, event, known, errors));
            known.find_all(&names, errors)
        });
        let in_context = has_own_context(cx, errors);
        let owned = by_value(event, errors);
        let is_owned = matches!(owned, Cow::Borrowed(_));
        let reply = match taken {
            None => sendable_reply(function, errors),
            Some(carried) => own_reply(function, carried, errors),
        };
        self.handlers.push(ActorHandler {
            function,
            role,
            written: event,
            event: self.events.add(owned, &function.condition),
            // An unknown name was reported, and leaves a handler without states.
            when: states.map_or(HandlerStates::Otherwise, HandlerStates::In),
            takes_cx: cx.is_some(),
            takes_reply: taken.is_some(),
            reply: reply.unwrap_or_default(),
            sound: self.block.is_callable && sound && in_context && is_owned && reply.is_ok(),
        });
    }

    fn read_hooks(
        &mut self,
        function: &'a Function,
        attributes: &[&'a Attribute],
        known: &KnownStates<'_>,
        errors: &mut Errors,
    ) {
        let Some(first) = attributes.first() else {
            return;
        };
        // Only a start hook may fail, so a function that is another hook as well returns nothing.
        let other = attributes.iter().find(|role| roles::role(role) != "start");
        let role = roles::role(other.unwrap_or(first));
        let takes_cx = signature::hook(function, role, other.is_none(), errors)
            .filter(|_| self.block.is_callable);
        for role in attributes {
            let (part, states) = read_hook(role, known, errors);
            if let Some(takes_cx) = takes_cx {
                self.hooks.push(Hook {
                    function,
                    role,
                    part,
                    states,
                    takes_cx,
                });
            }
        }
    }

    fn read_listed_events(&mut self, errors: &mut Errors) {
        let always = Condition::default();
        let mut add = |events: &mut Events<'a>, event| events.add(by_value(event, errors), &always);
        for declared in self.states {
            let mut add = |event| add(&mut self.events, event);
            self.lists.push(Lists {
                defer: declared.defer.iter().map(&mut add).collect(),
                ignore: declared.ignore.iter().map(&mut add).collect(),
            });
        }
        let received = self.receive.iter();
        self.received = received.map(|event| add(&mut self.events, event)).collect();
    }

    pub(crate) fn handlers_of(
        &self,
        event: usize,
    ) -> impl Iterator<Item = &ActorHandler<'a>> + Clone {
        self.handlers
            .iter()
            .filter(move |handler| handler.event == event)
    }

    /// Returns the disposition of the event. `#[on(S)]` takes precedence over the lists of S, and these over
    /// `#[on]`.
    pub(crate) fn disposition(&self, state: usize, event: usize) -> EventDisposition {
        let conditions = |in_state: bool| {
            self.handlers_of(event)
                .filter(move |handler| match handler.when {
                    HandlerStates::In(_) => in_state && handler.is_in(state),
                    HandlerStates::Otherwise => !in_state,
                })
                .map(|handler| &handler.function.condition)
        };
        match self.listed(state, event) {
            Some(otherwise) => EventDisposition {
                handled: Condition::any(conditions(true)),
                otherwise,
            },
            None => EventDisposition {
                handled: Condition::any(conditions(true).chain(conditions(false))),
                otherwise: self.unlisted(event),
            },
        }
    }

    /// Returns the list of the state that contains the event.
    pub(crate) fn listed(&self, state: usize, event: usize) -> Option<DefaultDisposition> {
        let lists = self.lists.get(state)?;
        if lists.defer.contains(&event) {
            Some(DefaultDisposition::Defer)
        } else if lists.ignore.contains(&event) {
            Some(DefaultDisposition::Ignore)
        } else {
            None
        }
    }

    pub(crate) fn remote_events(&self) -> Option<Vec<usize>> {
        let remote = self.remote?;
        let named = remote.iter().filter_map(|ty| self.events.find(ty));
        Some(match remote.is_empty() {
            true => (0..self.events.len()).collect(),
            false => named.collect(),
        })
    }

    /// Returns the disposition of an event in no list: an event in `receive` is deferred.
    fn unlisted(&self, event: usize) -> DefaultDisposition {
        if self.received.contains(&event) {
            DefaultDisposition::Defer
        } else {
            DefaultDisposition::Unhandled
        }
    }
}

/// The events that a state lists without handling them.
pub(crate) struct Lists {
    pub(crate) defer: Vec<usize>,
    pub(crate) ignore: Vec<usize>,
}

pub(crate) struct EventDisposition {
    /// The condition under which a handler runs; `None` if there is no handler.
    pub(crate) handled: Option<Condition>,
    /// The disposition without a handler.
    pub(crate) otherwise: DefaultDisposition,
}

/// The disposition of an event without a handler: the variants of `Disposition`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DefaultDisposition {
    Defer,
    Ignore,
    Unhandled,
}

impl EventDisposition {
    /// True if the event is deferred in some configuration.
    pub(crate) fn may_defer(&self) -> bool {
        let handled = self.handled.as_ref().is_some_and(Condition::always);
        self.otherwise == DefaultDisposition::Defer && !handled
    }
}

/// True if the attribute names the event instead of a state, which is reported.
fn is_event(name: &Ident, event: &Type, known: &KnownStates<'_>, errors: &mut Errors) -> bool {
    let is_event = !known.names.contains(&name) && *name == types::last_name(event);
    if is_event {
        let message = format!(
            "`{name}` is the event, and the parameter names it: write `#[on]`, or `#[on(State)]` with a state"
        );
        errors.push(name, message);
    }
    is_event
}

/// True if rustc rejects a parameter of this type as unsized.
fn is_unsized(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) | Type::TraitObject(_) => true,
        Type::Path(path) => path.path.is_ident("str"),
        _ => false,
    }
}

/// Returns false, and reports it, if the context is that of a monitor.
fn has_own_context(cx: Option<&Type>, errors: &mut Errors) -> bool {
    let of_a_monitor =
        |cx: &&Type| signature::referent_name(cx).is_some_and(|name| name == "MonitorContext");
    if let Some(cx) = cx.filter(of_a_monitor) {
        errors.push(cx, "an actor's context is `&mut Context<Self>`");
        return false;
    }
    true
}

/// Returns the event's type as written. A reference or a borrowing type is reported and replaced.
fn by_value<'a>(ty: &'a Type, errors: &mut Errors) -> Cow<'a, Type> {
    match ty {
        Type::Group(group) => by_value(&group.elem, errors),
        Type::Reference(reference) if !is_static(reference) => {
            let referent = types::written(&reference.elem);
            let message =
                format!("an actor owns the events it handles: take `{referent}` by value");
            errors.push(ty, message);
            Cow::Owned(owned::owned(&reference.elem))
        }
        ty => match owned::borrows(ty) {
            Some(place) => {
                errors.push(place, owned::EVENT);
                Cow::Owned(owned::owned(ty))
            }
            None => Cow::Borrowed(ty),
        },
    }
}

/// Returns the type of a `Reply` parameter; an error if the handler returns another type.
fn own_reply<'a>(
    function: &'a Function,
    carried: &'a Type,
    errors: &mut Errors,
) -> Result<Option<&'a Type>, ()> {
    if let Some(output) = signature::output(&function.signature) {
        let message = "the reply is a parameter already: return nothing, and answer with `reply.send(..)`, now or later";
        errors.push(output, message);
        return Err(());
    }
    Ok(signature::unless_unit(carried))
}

/// Returns the type that the handler returns; an error if that can't be sent as a reply.
fn sendable_reply<'a>(function: &'a Function, errors: &mut Errors) -> Result<Option<&'a Type>, ()> {
    let reply = signature::output(&function.signature);
    let Some(ty) = reply else {
        return Ok(None);
    };
    if let Type::ImplTrait(_) = ty {
        errors.push(ty, "a reply has one type: name it instead of `impl Trait`");
    } else if let Some(place) = owned::borrows(ty) {
        errors.push(place, "a reply leaves the actor: return an owned value");
    } else {
        return Ok(reply);
    }
    Err(())
}

fn is_static(reference: &syn::TypeReference) -> bool {
    reference
        .lifetime
        .as_ref()
        .is_some_and(|lifetime| lifetime.ident == "static")
}

fn read_hook(
    role: &Attribute,
    known: &KnownStates<'_>,
    errors: &mut Errors,
) -> (HookKind, Vec<usize>) {
    let name = roles::role(role);
    let part = match name {
        "start" => HookKind::Start,
        "stop" => HookKind::Stop,
        "entry" => HookKind::Entry,
        _ => HookKind::Exit,
    };
    let of_a_state = matches!(part, HookKind::Entry | HookKind::Exit);
    let bare = matches!(role.meta, syn::Meta::Path(_));
    if of_a_state && bare {
        errors.push(role, format!("expected the states: `#[{name}(State, ..)]`"));
    } else if !of_a_state && !bare {
        errors.push(
            &role.meta,
            format!("`#[{name}]` belongs to the actor, not to a state: nothing follows it"),
        );
    } else if of_a_state {
        let right = format!("states: `#[{name}(State, ..)]`");
        let names = roles::names(role, &right, errors).unwrap_or_default();
        return (part, known.find_all(&names, errors));
    }
    (part, Vec::new())
}
