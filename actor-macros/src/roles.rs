//! The role attributes of functions in a block: `#[on]`, `#[entry]` and so on.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Meta, Token, parse_quote};

use crate::block::Block;
use crate::errors::Errors;
use crate::nearest;
use crate::options;
use crate::types;

pub(crate) const ROLES: [&str; 5] = ["on", "entry", "exit", "start", "stop"];

/// True if the attribute is a role, or a probable misspelling of one.
pub(crate) fn is_role(name: Option<&Ident>) -> bool {
    name.is_some_and(|name| {
        let name = name.to_string();
        ROLES.contains(&name.as_str()) || meant_role(&name).is_some()
    })
}

/// A role attribute in a `#[cfg_attr(..)]`, which rustc expands only after the macro.
pub(crate) struct CfgAttrRole {
    pub(crate) role: Attribute,
    condition: String,
}

/// Returns the role attributes in `attribute`, if that is a `#[cfg_attr(..)]`.
pub(crate) fn hidden(attribute: &Attribute) -> Vec<CfgAttrRole> {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => within(list.tokens.clone()),
        _ => Vec::new(),
    }
}

/// True if the attribute, without `#` and brackets, contains role attributes.
pub(crate) fn hides(attribute: TokenStream) -> bool {
    syn::parse2(attribute).is_ok_and(|meta: Meta| {
        let attribute: Attribute = parse_quote!(#[#meta]);
        !hidden(&attribute).is_empty()
    })
}

fn within(arguments: TokenStream) -> Vec<CfgAttrRole> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let Ok(metas) = parser.parse2(arguments) else {
        return Vec::new();
    };
    let mut metas = metas.into_iter();
    let condition = metas.next().map_or_else(String::new, types::written);
    let ours = metas.filter(|meta| ROLES.iter().any(|role| meta.path().is_ident(role)));
    ours.map(|meta| CfgAttrRole {
        role: parse_quote!(#[#meta]),
        condition: condition.clone(),
    })
    .collect()
}

/// Returns the role for which a foreign name probably stands. Cautious: it may be another macro's.
pub(crate) fn meant_role(name: &str) -> Option<&'static str> {
    match name {
        "enter" | "entering" | "on_entry" | "on_enter" => Some("entry"),
        "leave" | "on_exit" => Some("exit"),
        "handler" | "handle" | "On" => Some("on"),
        "on_start" | "started" => Some("start"),
        "on_stop" | "stopped" => Some("stop"),
        _ => ROLES
            .into_iter()
            .find(|role| role.len() > 3 && nearest::distance(name, role) == 1),
    }
}

/// Returns the role of an attribute, as written or as corrected.
pub(crate) fn role(attribute: &Attribute) -> &'static str {
    let name = types::written(attribute.path());
    let known = ROLES.into_iter().find(|role| *role == name);
    known
        .or_else(|| meant_role(&name))
        .unwrap_or_else(|| unreachable!("a block keeps only attributes that are ours, or nearly"))
}

/// Returns the names in `#[role(A, B)]`; `None` for the bare `#[role]`, and for one that can't be read.
pub(crate) fn names(attribute: &Attribute, right: &str, errors: &mut Errors) -> Option<Vec<Ident>> {
    match &attribute.meta {
        Meta::Path(_) => None,
        Meta::List(list) if !list.tokens.is_empty() => {
            options::names(list.tokens.clone(), right, errors)
        }
        other => {
            errors.push(other, format!("expected {right}"));
            None
        }
    }
}

/// Returns the token that names `state` in the attribute.
pub(crate) fn named(attribute: &Attribute, state: &Ident) -> Ident {
    let tokens = attribute.meta.to_token_stream();
    types::find(&tokens, state).unwrap_or_else(|| {
        // The name is in quotes.
        Ident::new(&state.to_string(), attribute.path().span())
    })
}

/// Reports role attributes in places where they have no meaning, and misspelt ones.
pub(crate) fn report_strays(block: &Block, errors: &mut Errors) {
    for attribute in &block.misplaced {
        let name = types::written(attribute.path());
        errors.push(attribute, format!("`#[{name}]` belongs on a function"));
    }
    for hidden in block.functions.iter().flat_map(|function| &function.hidden) {
        let role = types::written(&hidden.role.meta);
        let condition = &hidden.condition;
        errors.push(
            hidden.role.path(),
            format!(
                "the macro reads the block before rustc decides a `cfg_attr`: write `#[cfg({condition})]` and `#[{role}]`"
            ),
        );
    }
    for attribute in block.functions.iter().flat_map(|function| &function.roles) {
        let name = types::written(attribute.path());
        let meant = role(attribute);
        if name != meant {
            let message = format!("no attribute `#[{name}]` here: did you mean `#[{meant}]`?");
            errors.push(attribute.path(), message);
        }
    }
}
