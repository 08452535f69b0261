//! Parsing of the arguments of `#[monitor(..)]`.

use proc_macro2::TokenStream;
use syn::{Ident, Path, Visibility, parse_quote};

use crate::errors::Errors;
use crate::options::{self, Argument, Value};
use crate::states::StateVariant;

/// `#[monitor(pub(crate), hot(A, B), cold(C), warm(D), crate = path)]`, or bare `hot`, `cold`.
pub(crate) struct MonitorArguments {
    pub(crate) visibility: Visibility,
    pub(crate) krate: Path,
    pub(crate) states: Vec<Declared>,
    /// True if all states could be read.
    pub(crate) complete: bool,
}

pub(crate) struct Declared {
    pub(crate) state: StateVariant,
    pub(crate) temperature: DeclaredTemperature,
}

/// The variants of `Temperature`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeclaredTemperature {
    Hot,
    Cold,
    Warm,
}

impl MonitorArguments {
    /// Reads the arguments, and reports everything that can't be read.
    pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let (visibility, tokens) = options::visibility(tokens, errors);
        let mut read = Self {
            visibility,
            krate: parse_quote!(::actor_core),
            states: Vec::new(),
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
        const ACCEPTED: [&str; 4] = ["hot", "cold", "warm", "crate"];
        match options::recognise(&argument.name, "option", &ACCEPTED, errors) {
            Some("hot") => self.take_states(argument, DeclaredTemperature::Hot, errors),
            Some("cold") => self.take_states(argument, DeclaredTemperature::Cold, errors),
            Some("warm") => self.take_states(argument, DeclaredTemperature::Warm, errors),
            Some(_) => self.krate = options::krate(argument, errors).unwrap_or(self.krate.clone()),
            None => {}
        }
    }

    fn take_states(
        &mut self,
        argument: &Argument,
        temperature: DeclaredTemperature,
        errors: &mut Errors,
    ) {
        if let Value::Nothing = argument.value {
            // The bare `hot` is short for `hot(Hot)`.
            let name = Ident::new(&format!("{temperature:?}"), argument.name.span());
            let state = StateVariant {
                name,
                docs: Vec::new(),
            };
            self.states.push(Declared { state, temperature });
            return;
        }
        let Some(list) = argument.list("(State, ..)", errors) else {
            return;
        };
        for argument in options::arguments(list, errors) {
            if !matches!(argument.value, Value::Nothing) {
                errors.push(
                    &argument.tokens,
                    "a monitor's state is a name alone: it defers and ignores nothing",
                );
            }
            let same = |declared: &&Declared| declared.state.name == argument.name;
            if let Some(other) = self.states.iter().find(same)
                && other.temperature != temperature
            {
                let (name, already) = (&argument.name, format!("{:?}", other.temperature));
                let already = already.to_lowercase();
                errors.push(
                    name,
                    format!("`{name}` is {already} already: a state has one temperature"),
                );
                continue;
            }
            let known = self.states.iter().map(|declared| &declared.state);
            if let Some(state) = StateVariant::declare(&argument, known, errors) {
                self.states.push(Declared { state, temperature });
            }
        }
    }
}
