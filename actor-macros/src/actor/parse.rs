//! Parsing of the arguments of `#[actor(..)]`.

use proc_macro2::TokenStream;
use syn::{Path, Type, Visibility, parse_quote};

use crate::errors::Errors;
use crate::options::{self, Argument, Value};
use crate::states::StateVariant;

/// `#[actor(pub(crate), states(A, B(defer(E), ignore(F))), receive(G), remote, crate = path)]`.
pub(crate) struct ActorArguments {
    pub(crate) visibility: Visibility,
    pub(crate) krate: Path,
    pub(crate) states: Vec<DeclaredState>,
    pub(crate) receive: Vec<Type>,
    /// The types of the events for other nodes; all events if the list is empty.
    pub(crate) remote: Option<Vec<Type>>,
    /// True if all states could be read.
    pub(crate) complete: bool,
}

pub(crate) struct DeclaredState {
    pub(crate) state: StateVariant,
    pub(crate) defer: Vec<Type>,
    pub(crate) ignore: Vec<Type>,
}

impl ActorArguments {
    /// Reads the arguments, and reports everything that can't be read.
    pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let (visibility, tokens) = options::visibility(tokens, errors);
        let mut read = Self {
            visibility,
            krate: parse_quote!(::actor_core),
            states: Vec::new(),
            receive: Vec::new(),
            remote: None,
            complete: true,
        };
        let mut seen = Vec::new();
        for argument in options::arguments(tokens, errors) {
            argument.only_once(&mut seen, errors);
            read.take(&argument, errors);
        }
        read.complete = errors.is_empty();
        read
    }

    fn take(&mut self, argument: &Argument, errors: &mut Errors) {
        const ACCEPTED: [&str; 4] = ["states", "receive", "remote", "crate"];
        match options::recognise(&argument.name, "option", &ACCEPTED, errors) {
            Some("states") => self.take_states(argument, errors),
            Some("receive") => self.receive = argument.types(errors),
            Some("remote") => {
                self.remote = Some(match argument.value {
                    Value::Nothing => Vec::new(),
                    _ => argument.types(errors),
                });
            }
            Some(_) => self.krate = options::krate(argument, errors).unwrap_or(self.krate.clone()),
            None => {}
        }
    }

    fn take_states(&mut self, argument: &Argument, errors: &mut Errors) {
        let Some(list) = argument.list("(First, ..)", errors) else {
            return;
        };
        for argument in options::arguments(list, errors) {
            let known = self.states.iter().map(|declared| &declared.state);
            if let Some(state) = StateVariant::declare(&argument, known, errors) {
                self.states
                    .push(DeclaredState::read(state, &argument, errors));
            }
        }
    }
}

impl DeclaredState {
    fn read(state: StateVariant, argument: &Argument, errors: &mut Errors) -> Self {
        let mut declared = Self {
            state,
            defer: Vec::new(),
            ignore: Vec::new(),
        };
        match &argument.value {
            Value::Nothing => {}
            Value::List(list) => {
                for argument in options::arguments(list.clone(), errors) {
                    declared.take(&argument, errors);
                }
            }
            Value::Is(value) | Value::In(value) => {
                errors.push(
                    value,
                    "a state has no value: `State(defer(Event), ignore(Event))`",
                );
            }
        }
        declared
    }

    fn take(&mut self, argument: &Argument, errors: &mut Errors) {
        const ACCEPTED: [&str; 2] = ["defer", "ignore"];
        match options::recognise(&argument.name, "option", &ACCEPTED, errors) {
            Some("defer") => self.defer.extend(argument.types(errors)),
            Some(_) => self.ignore.extend(argument.types(errors)),
            None => {}
        }
    }
}
