//! An actor as it is expanded: names resolved, and everything that can't be called left out.

use std::borrow::Cow;

use syn::{Attribute, Ident, Path, Type, Visibility};

use super::parse::{Arguments, Declared};
use crate::block::{Block, Function};
use crate::condition::Condition;
use crate::errors::Errors;
use crate::events::Events;
use crate::owned;
use crate::roles;
use crate::signature::{self, Inputs};
use crate::states::Known;
use crate::types;

/// An actor, borrowed from what the user wrote.
pub(crate) struct Actor<'a> {
    pub(crate) block: &'a Block,
    pub(crate) visibility: &'a Visibility,
    pub(crate) krate: &'a Path,
    /// Empty for a plain actor.
    pub(crate) states: &'a [Declared],
    /// What each state lists.
    pub(crate) lists: Vec<Lists>,
    pub(crate) receive: &'a [Type],
    /// What goes to other nodes: these, or all where none is named.
    pub(crate) remote: Option<&'a [Type]>,
    /// The same, as events.
    pub(crate) received: Vec<usize>,
    /// Every event it handles, defers, ignores or receives, in this order.
    pub(crate) events: Events<'a>,
    pub(crate) handlers: Vec<Handler<'a>>,
    pub(crate) hooks: Vec<Hook<'a>>,
}

/// The handler of an event.
pub(crate) struct Handler<'a> {
    pub(crate) function: &'a Function,
    /// The attribute that makes it one.
    pub(crate) role: &'a Attribute,
    /// The event parameter's type, as written.
    pub(crate) written: &'a Type,
    /// The event that it takes.
    pub(crate) event: usize,
    pub(crate) when: When,
    pub(crate) takes_cx: bool,
    /// It answers by itself, instead of by what it returns.
    pub(crate) takes_reply: bool,
    /// The reply's type; `None` for `()`.
    pub(crate) reply: Option<&'a Type>,
    /// It can be called as it is.
    pub(crate) sound: bool,
}

/// In which states a handler runs.
#[derive(PartialEq, Eq)]
pub(crate) enum When {
    /// In those that don't handle, defer or ignore the event otherwise.
    Otherwise,
    /// In these.
    In(Vec<usize>),
}

/// A function that runs when the actor starts, stops, or changes its state.
pub(crate) struct Hook<'a> {
    pub(crate) function: &'a Function,
    pub(crate) role: &'a Attribute,
    pub(crate) part: Part,
    /// The states of an entry or exit hook.
    pub(crate) states: Vec<usize>,
    pub(crate) takes_cx: bool,
}

/// What a hook belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Start,
    Entry,
    Exit,
    Stop,
}

impl Part {
    /// The attribute that makes a hook of this part.
    pub(crate) fn role(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Entry => "entry",
            Self::Exit => "exit",
            Self::Stop => "stop",
        }
    }
}

impl Handler<'_> {
    /// The handler names `state`.
    pub(crate) fn is_in(&self, state: usize) -> bool {
        matches!(&self.when, When::In(states) if states.contains(&state))
    }
}

impl<'a> Actor<'a> {
    /// Reads what can be read of the block, and reports the rest.
    pub(crate) fn read(arguments: &'a Arguments, block: &'a Block, errors: &mut Errors) -> Self {
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

    fn known_states(&self, complete: bool) -> Known<'a> {
        Known {
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

    fn read_function(&mut self, function: &'a Function, known: &Known<'_>, errors: &mut Errors) {
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
        known: &Known<'_>,
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
        self.handlers.push(Handler {
            function,
            role,
            written: event,
            event: self.events.add(owned, &function.condition),
            // A name that is not known was reported, and leaves a handler without states.
            when: states.map_or(When::Otherwise, When::In),
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
        known: &Known<'_>,
        errors: &mut Errors,
    ) {
        let Some(first) = attributes.first() else {
            return;
        };
        // Only a start may fail, so a function that is another hook, too, returns nothing.
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

    /// The handlers of an event.
    pub(crate) fn handlers_of(&self, event: usize) -> impl Iterator<Item = &Handler<'a>> + Clone {
        self.handlers
            .iter()
            .filter(move |handler| handler.event == event)
    }

    /// What the state does with the event. `#[on(S)]` beats what S lists, which beats `#[on]`.
    pub(crate) fn disposition(&self, state: usize, event: usize) -> Cell {
        let conditions = |in_state: bool| {
            self.handlers_of(event)
                .filter(move |handler| match handler.when {
                    When::In(_) => in_state && handler.is_in(state),
                    When::Otherwise => !in_state,
                })
                .map(|handler| &handler.function.condition)
        };
        match self.listed(state, event) {
            Some(otherwise) => Cell {
                handled: Condition::any(conditions(true)),
                otherwise,
            },
            None => Cell {
                handled: Condition::any(conditions(true).chain(conditions(false))),
                otherwise: self.unlisted(event),
            },
        }
    }

    /// What the state lists the event as.
    pub(crate) fn listed(&self, state: usize, event: usize) -> Option<Otherwise> {
        let lists = self.lists.get(state)?;
        if lists.defer.contains(&event) {
            Some(Otherwise::Defer)
        } else if lists.ignore.contains(&event) {
            Some(Otherwise::Ignore)
        } else {
            None
        }
    }

    /// The events that go to other nodes.
    pub(crate) fn remote_events(&self) -> Option<Vec<usize>> {
        let remote = self.remote?;
        let named = remote.iter().filter_map(|ty| self.events.find(ty));
        Some(match remote.is_empty() {
            true => (0..self.events.len()).collect(),
            false => named.collect(),
        })
    }

    /// An event that a handler waits for with `receive` is kept until one does.
    fn unlisted(&self, event: usize) -> Otherwise {
        if self.received.contains(&event) {
            Otherwise::Defer
        } else {
            Otherwise::Unhandled
        }
    }
}

/// The events that a state names without handling them.
pub(crate) struct Lists {
    pub(crate) defer: Vec<usize>,
    pub(crate) ignore: Vec<usize>,
}

/// What a state does with an event.
pub(crate) struct Cell {
    /// Where some handler runs; `None` where none does.
    pub(crate) handled: Option<Condition>,
    /// What happens without a handler.
    pub(crate) otherwise: Otherwise,
}

/// What happens to an event without a handler: the names of `Disposition`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Otherwise {
    Defer,
    Ignore,
    Unhandled,
}

impl Cell {
    /// In some configuration the event is kept for later.
    pub(crate) fn may_defer(&self) -> bool {
        let handled = self.handled.as_ref().is_some_and(Condition::always);
        self.otherwise == Otherwise::Defer && !handled
    }
}

/// The attribute names the event, where states are to be named.
fn is_event(name: &Ident, event: &Type, known: &Known<'_>, errors: &mut Errors) -> bool {
    let is_event = !known.names.contains(&name) && *name == types::last_name(event);
    if is_event {
        let message = format!(
            "`{name}` is the event, and the parameter names it: write `#[on]`, or `#[on(State)]` with a state"
        );
        errors.push(name, message);
    }
    is_event
}

/// A parameter can't be of such a type, as rustc says.
fn is_unsized(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) | Type::TraitObject(_) => true,
        Type::Path(path) => path.path.is_ident("str"),
        _ => false,
    }
}

/// The context is not that of a monitor.
fn has_own_context(cx: Option<&Type>, errors: &mut Errors) -> bool {
    let of_a_monitor =
        |cx: &&Type| signature::referent_name(cx).is_some_and(|name| name == "MonitorContext");
    if let Some(cx) = cx.filter(of_a_monitor) {
        errors.push(cx, "an actor's context is `&mut Context<Self>`");
        return false;
    }
    true
}

/// The event's type as written; another where it is a reference, or borrows, which is reported.
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

/// What the reply carries that the handler takes; `Err` where it returns another.
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

/// What the handler returns; `Err` where that can't be sent to whoever asked.
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

fn read_hook(role: &Attribute, known: &Known<'_>, errors: &mut Errors) -> (Part, Vec<usize>) {
    let name = roles::role(role);
    let part = match name {
        "start" => Part::Start,
        "stop" => Part::Stop,
        "entry" => Part::Entry,
        _ => Part::Exit,
    };
    let of_a_state = matches!(part, Part::Entry | Part::Exit);
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
