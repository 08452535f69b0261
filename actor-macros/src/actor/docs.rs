//! Rustdoc of an event on the actor's page: the docs of its handlers, and the dispositions in other states.

use proc_macro2::TokenStream;
use quote::quote;

use super::model::{ActorModel, DefaultDisposition, HandlerStates};

pub(super) fn of_event(actor: &ActorModel<'_>, event: usize) -> TokenStream {
    let handlers = actor.handlers_of(event).map(|handler| {
        let docs = &handler.function.docs;
        match (&handler.when, docs.is_empty()) {
            (HandlerStates::Otherwise, true) => TokenStream::new(),
            (HandlerStates::Otherwise, false) => quote!(#(#docs)* #[doc = ""]),
            (HandlerStates::In(states), true) => {
                paragraph(&format!("Handled in {}.", names(actor, states)))
            }
            (HandlerStates::In(states), false) => {
                let head = paragraph(&format!("In {}:", names(actor, states)));
                quote!(#head #(#docs)* #[doc = ""])
            }
        }
    });
    let lists = [
        (DefaultDisposition::Defer, "Kept for a later state in"),
        (DefaultDisposition::Ignore, "Dropped in"),
    ];
    let listed = lists.into_iter().filter_map(|(list, what)| {
        let states: Vec<usize> = (0..actor.states.len())
            .filter(|state| actor.listed(*state, event) == Some(list))
            .collect();
        (!states.is_empty()).then(|| paragraph(&format!("{what} {}.", names(actor, &states))))
    });
    quote!(#(#handlers)* #(#listed)*)
}

fn paragraph(text: &str) -> TokenStream {
    let text = format!(" {text}");
    quote!(#[doc = #text] #[doc = ""])
}

/// Formats states as `` `A`, `B` ``.
fn names(actor: &ActorModel<'_>, states: &[usize]) -> String {
    let names = states.iter().map(|state| {
        let name = &actor.states[*state].state.name;
        format!("`{name}`")
    });
    names.collect::<Vec<_>>().join(", ")
}
