//! The model of a protocol: its events, and the types of their replies.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    FnArg, Generics, Ident, ItemTrait, Path, ReturnType, Signature, TraitItem, TraitItemFn, Type,
    Visibility,
};

use crate::condition::Condition;
use crate::errors::Errors;
use crate::owned;
use crate::types;

/// A protocol, borrowed from the user's tokens.
pub(crate) struct ProtocolModel<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) visibility: &'a Visibility,
    pub(crate) condition: Condition,
    pub(crate) krate: &'a Path,
    pub(crate) events: Vec<ProtocolEvent<'a>>,
    /// True if the trait contains only events, so that `dyn Name` is a type.
    pub(crate) is_sound: bool,
}

pub(crate) struct ProtocolEvent<'a> {
    pub(crate) function: &'a Ident,
    pub(crate) ty: &'a Type,
    /// `None` for `()`.
    pub(crate) reply: Option<&'a Type>,
}

const EXAMPLE: &str = "fn event(event: Event) -> Reply;";

impl<'a> ProtocolModel<'a> {
    /// Reads the trait, and reports everything that can't be read.
    pub(crate) fn read(item: &'a ItemTrait, krate: &'a Path, errors: &mut Errors) -> Self {
        let mut protocol = Self {
            name: &item.ident,
            visibility: &item.vis,
            condition: Condition::of(&item.attrs),
            krate,
            events: Vec::new(),
            is_sound: check_trait(item, errors),
        };
        for part in &item.items {
            match part {
                TraitItem::Fn(function) => protocol.read_function(function, errors),
                other => {
                    let message = "a protocol has events and nothing else";
                    errors.push(other, format!("{message}: `{EXAMPLE}`"));
                    protocol.is_sound = false;
                }
            }
        }
        if item.items.is_empty() {
            errors.push(
                protocol.name,
                format!("a protocol has one event at least: `{EXAMPLE}`"),
            );
        }
        protocol
    }

    fn read_function(&mut self, function: &'a TraitItemFn, errors: &mut Errors) {
        let signature = &function.sig;
        if !Condition::of(&function.attrs).always() {
            errors.push(
                &signature.ident,
                "a protocol is the same in every configuration: put the `cfg` on the trait",
            );
            return;
        }
        if let Some(body) = &function.default {
            errors.push(
                body,
                "a protocol says what is understood, not how: the handlers of the actors do",
            );
        }
        let is_plain = check_plain(signature, errors);
        let event = read_event(signature, errors);
        let reply = read_reply(signature, errors);
        if let (true, Some(ty), Ok(reply)) = (is_plain, event, reply) {
            self.add(&signature.ident, ty, reply, errors);
        }
    }

    fn add(
        &mut self,
        function: &'a Ident,
        ty: &'a Type,
        reply: Option<&'a Type>,
        errors: &mut Errors,
    ) {
        let same = |known: &&ProtocolEvent<'_>| types::key(known.ty) == types::key(ty);
        if let Some(known) = self.events.iter().find(same) {
            let written = types::written(ty);
            let message = format!(
                "`{written}` is an event of this protocol already: that of `{}`",
                known.function
            );
            errors.push(ty, message);
            return;
        }
        self.events.push(ProtocolEvent {
            function,
            ty,
            reply,
        });
    }
}

fn check_trait(item: &ItemTrait, errors: &mut Errors) -> bool {
    let parameters = &item.generics.params;
    if !parameters.is_empty() {
        errors.push(
            parameters,
            "a protocol has no parameters: it names its events",
        );
    }
    if let Some(clause) = &item.generics.where_clause {
        errors.push(clause, "a protocol has no bounds: it names its events");
    }
    if !item.supertraits.is_empty() {
        errors.push(
            &item.supertraits,
            "a protocol has no supertraits: name all events here",
        );
    }
    parameters.is_empty()
}

/// Returns true if the function is `fn name(..) -> ..` and nothing more; otherwise reports it.
fn check_plain(signature: &Signature, errors: &mut Errors) -> bool {
    let generics = &signature.generics;
    let mut is_plain = true;
    if let Some(more) = first_of(generics) {
        errors.push(more, "the events of a protocol are of one type each");
        is_plain = false;
    }
    if let Some(keyword) = &signature.asyncness {
        errors.push(
            keyword,
            "every event may be asked: nothing is said of how it is handled",
        );
        is_plain = false;
    }
    is_plain
}

/// Returns the type parameters of a function, or else its bounds.
fn first_of(generics: &Generics) -> Option<TokenStream> {
    if generics.params.is_empty() {
        generics
            .where_clause
            .as_ref()
            .map(ToTokens::to_token_stream)
    } else {
        Some(generics.to_token_stream())
    }
}

fn read_event<'a>(signature: &'a Signature, errors: &mut Errors) -> Option<&'a Type> {
    let shape = format!("a function of a protocol takes its event alone: `{EXAMPLE}`");
    let mut inputs = signature.inputs.iter();
    let event = match inputs.next() {
        Some(FnArg::Typed(event)) => &*event.ty,
        Some(receiver @ FnArg::Receiver(_)) => {
            errors.push(receiver, shape);
            return None;
        }
        None => {
            errors.push(&signature.ident, shape);
            return None;
        }
    };
    if let Some(extra) = inputs.next() {
        errors.push(extra, shape);
        return None;
    }
    if !is_value(event) {
        errors.push(event, "an event is a type of its own, taken by value");
        return None;
    }
    if let Some(place) = owned::borrows(event) {
        errors.push(place, owned::EVENT);
        return None;
    }
    Some(event)
}

/// Returns the type of the reply; an error if that can't be sent.
fn read_reply<'a>(signature: &'a Signature, errors: &mut Errors) -> Result<Option<&'a Type>, ()> {
    match &signature.output {
        ReturnType::Default => Ok(None),
        ReturnType::Type(_, reply) if is_value(reply) && owned::borrows(reply).is_none() => {
            Ok(Some(reply))
        }
        ReturnType::Type(_, reply) => {
            errors.push(reply, "a reply leaves the actor: name an owned type");
            Err(())
        }
    }
}

fn is_value(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_value(&group.elem),
        Type::Paren(paren) => is_value(&paren.elem),
        Type::Reference(reference) => reference
            .lifetime
            .as_ref()
            .is_some_and(|lifetime| lifetime.ident == "static"),
        Type::ImplTrait(_) | Type::Infer(_) => false,
        _ => true,
    }
}
