//! The event types of a block, without duplicates: [`Events`].

use std::borrow::Cow;

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, Path, Type};

use crate::condition::Condition;
use crate::types;

/// The event types of one block, in the order in which they were first mentioned.
#[derive(Default)]
pub(crate) struct Events<'a>(Vec<Mentioned<'a>>);

struct Mentioned<'a> {
    key: String,
    ty: Cow<'a, Type>,
    conditions: Vec<Condition>,
}

pub(crate) struct NamedEvent {
    /// The type as first mentioned, with `Self` spelt out.
    pub(crate) ty: TokenStream,
    pub(crate) name: String,
    pub(crate) variant: Ident,
    /// The condition under which some mention of the event exists.
    pub(crate) condition: Condition,
    /// The span of the user's type, with the name resolution of generated code.
    pub(crate) span: Span,
}

impl<'a> Events<'a> {
    /// Returns the position of `ty`, which is mentioned under `condition`.
    pub(crate) fn add(&mut self, ty: Cow<'a, Type>, condition: &Condition) -> usize {
        let key = types::key(&ty);
        let found = self.0.iter().position(|event| event.key == key);
        let index = found.unwrap_or_else(|| {
            self.0.push(Mentioned {
                key,
                ty,
                conditions: Vec::new(),
            });
            self.0.len() - 1
        });
        self.0[index].conditions.push(condition.clone());
        index
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn find(&self, ty: &Type) -> Option<usize> {
        let key = types::key(ty);
        self.0.iter().position(|event| event.key == key)
    }

    pub(crate) fn named(&self, self_ty: &Type) -> Vec<NamedEvent> {
        let types: Vec<&Type> = self.0.iter().map(|event| &*event.ty).collect();
        let named = self.0.iter().zip(types::names(&types));
        let event = |(event, (name, variant)): (&Mentioned<'_>, (String, Ident))| NamedEvent {
            ty: types::without_self(&event.ty, self_ty),
            name,
            variant,
            condition: Condition::any(&event.conditions).unwrap_or_default(),
            span: Span::call_site().located_at(types::place(&event.ty)),
        };
        named.map(event).collect()
    }
}

impl NamedEvent {
    /// Generates the event's entry in a table.
    pub(crate) fn info(&self, krate: &Path) -> TokenStream {
        let Self { ty, name, span, .. } = self;
        quote_spanned!(*span=> #krate::generated::EventInfo::of::<#ty>(#name))
    }
}

/// The positions in a table, some of whose entries depend on `cfg`.
///
/// Without such entries the positions are literals; otherwise they are the discriminants of a hidden enum.
pub(crate) struct Positions {
    pub(crate) declaration: Option<TokenStream>,
    pub(crate) values: Vec<TokenStream>,
    conditional: bool,
}

impl Positions {
    /// Numbers `entries`, which have unique names.
    pub(crate) fn of(entries: &[(Ident, &Condition)]) -> Self {
        let conditional = entries.iter().any(|(_, condition)| !condition.always());
        let value = |(index, (name, _)): (usize, &(Ident, &Condition))| {
            if conditional {
                quote!(__Position::#name as u16)
            } else {
                let index = Literal::usize_unsuffixed(index);
                quote!(#index)
            }
        };
        let entry = |(name, condition): &(Ident, &Condition)| quote!(#condition #name);
        let list = entries.iter().map(entry);
        Self {
            declaration: conditional.then(|| {
                quote! {
                    #[allow(dead_code)]
                    enum __Position {
                        #(#list,)*
                    }
                }
            }),
            values: entries.iter().enumerate().map(value).collect(),
            conditional,
        }
    }

    /// Returns a pattern that matches position `index`.
    pub(crate) fn pattern(&self, index: usize) -> TokenStream {
        let value = &self.values[index];
        if self.conditional {
            quote!(__at if __at == #value)
        } else {
            value.clone()
        }
    }
}
