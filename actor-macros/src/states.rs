//! The generated enum of states of an actor or a monitor.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Ident, Path, Visibility};

use crate::block::Block;
use crate::errors::Errors;
use crate::nearest;
use crate::options::Argument;

pub(crate) struct StateVariant {
    pub(crate) name: Ident,
    pub(crate) docs: Vec<Attribute>,
}

impl StateVariant {
    /// Returns the state that `argument` declares, unless it is among `known`.
    pub(crate) fn declare<'a>(
        argument: &Argument,
        mut known: impl Iterator<Item = &'a Self>,
        errors: &mut Errors,
    ) -> Option<Self> {
        let name = &argument.name;
        if known.any(|state| state.name == *name) {
            errors.push(
                name,
                format!("two states are called `{name}`: give each a name of its own"),
            );
            return None;
        }
        for attribute in &argument.attributes {
            if !attribute.path().is_ident("doc") {
                errors.push(
                    attribute,
                    "a state takes doc comments, and no other attributes",
                );
            }
        }
        let docs = argument
            .attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("doc"));
        Some(Self {
            name: name.clone(),
            docs: docs.cloned().collect(),
        })
    }
}

/// The states that handlers can name, for look-ups.
pub(crate) struct KnownStates<'a> {
    pub(crate) owner: &'a Ident,
    pub(crate) names: Vec<&'a Ident>,
    /// An example of a declaration, shown in errors if there are no states.
    pub(crate) declaration: &'a str,
    /// True if the whole declaration could be read, so that other names are errors.
    pub(crate) complete: bool,
}

impl KnownStates<'_> {
    pub(crate) fn find(&self, name: &Ident, errors: &mut Errors) -> Option<usize> {
        let found = self.names.iter().position(|known| *known == name);
        if found.is_none() && self.complete {
            errors.push(name, self.unknown(name));
        }
        found
    }

    fn unknown(&self, name: &Ident) -> String {
        let owner = self.owner;
        if self.names.is_empty() {
            return format!(
                "`{owner}` has no states: declare them with `{}`",
                self.declaration
            );
        }
        let hint = nearest::hint(&name.to_string(), &self.names, "its states are");
        format!("no state `{name}` in `{owner}`: {hint}")
    }

    /// Returns the states named in `#[role(A, B)]`, without duplicates.
    pub(crate) fn find_all(&self, names: &[Ident], errors: &mut Errors) -> Vec<usize> {
        let mut states = Vec::new();
        for name in names {
            match self.find(name, errors) {
                Some(state) if states.contains(&state) => {
                    errors.push(name, format!("`{name}` is named twice: once is enough"));
                }
                found => states.extend(found),
            }
        }
        states
    }
}

/// Returns `ClientState` for `Client`.
pub(crate) fn enum_name(owner: &Ident) -> Ident {
    format_ident!("{owner}State")
}

/// Generates the enum, outside the anonymous constant, since the user names it.
pub(crate) fn declaration(
    block: &Block,
    visibility: &Visibility,
    states: &[&StateVariant],
    first: usize,
) -> TokenStream {
    let Block {
        name, condition, ..
    } = block;
    let states_name = enum_name(name);
    let doc = format!(" The states of [`{name}`].");
    let variants = states.iter().enumerate().map(|(index, state)| {
        let StateVariant { name, docs } = state;
        let starts = if index == first {
            ", in which it starts"
        } else {
            ""
        };
        let text = format!(" The state `{name}`{starts}.");
        if docs.is_empty() {
            quote!(#[doc = #text] #name)
        } else {
            quote!(#(#docs)* #name)
        }
    });
    quote! {
        #condition
        #[doc = #doc]
        // The type may be private while its states are public.
        #[allow(rustdoc::private_intra_doc_links)]
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::cmp::PartialEq,
            ::core::cmp::Eq,
            ::core::fmt::Debug,
            ::core::hash::Hash,
        )]
        #visibility enum #states_name {
            #(#variants,)*
        }
    }
}

pub(crate) fn implementation(owner: &Ident, krate: &Path) -> TokenStream {
    let states_name = enum_name(owner);
    quote! {
        #[automatically_derived]
        impl #krate::State for #states_name {
            fn index(self) -> usize {
                self as usize
            }
        }
    }
}
