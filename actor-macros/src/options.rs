//! Parsing of the arguments of attributes: `name`, `name = value`, `name(list)` or `name in values`.
//!
//! Each is parsed separately, so that a mistake in one does not hide those in others.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, LitStr, Path, Token, Type, Visibility, parse_quote};

use crate::errors::Errors;
use crate::nearest;

pub(crate) struct Argument {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) value: Value,
    /// All tokens of the argument, to underline.
    pub(crate) tokens: TokenStream,
}

/// The part of an argument after its name.
pub(crate) enum Value {
    Nothing,
    Is(TokenStream),
    List(TokenStream),
    In(TokenStream),
}

impl Argument {
    pub(crate) fn types(&self, errors: &mut Errors) -> Vec<Type> {
        let Some(list) = self.list("(Event, ..)", errors) else {
            return Vec::new();
        };
        let parser = Punctuated::<Type, Token![,]>::parse_terminated;
        errors
            .take(parser.parse2(list))
            .map_or_else(Vec::new, |types| types.into_iter().collect())
    }

    /// Returns the tokens in `name(..)`, which must not be empty.
    pub(crate) fn list(&self, right: &str, errors: &mut Errors) -> Option<TokenStream> {
        match &self.value {
            Value::List(list) if !list.is_empty() => Some(list.clone()),
            _ => {
                errors.push(&self.tokens, format!("expected `{}{right}`", self.name));
                None
            }
        }
    }

    /// Returns the value in `name = value`, read by `parse`. `right` shows accepted values.
    pub(crate) fn parsed<T>(
        &self,
        parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
        right: &str,
        errors: &mut Errors,
    ) -> Option<T> {
        let value = match &self.value {
            Value::Is(value) => parse.parse2(value.clone()).ok(),
            _ => None,
        };
        if value.is_none() {
            errors.push(&self.tokens, format!("expected {right}"));
        }
        value
    }

    /// Reports that `self` is not the first of its name.
    pub(crate) fn only_once(&self, seen: &mut Vec<String>, errors: &mut Errors) {
        let name = self.name.to_string();
        if seen.contains(&name) {
            errors.push(
                &self.name,
                format!("`{name}` is given twice: once is enough"),
            );
        }
        seen.push(name);
    }
}

/// Returns all arguments that can be read.
pub(crate) fn arguments(tokens: TokenStream, errors: &mut Errors) -> Vec<Argument> {
    let arguments = split(tokens).into_iter();
    arguments
        .filter_map(|tokens| errors.take(argument.parse2(tokens)))
        .collect()
}

fn argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    let tokens = input.cursor().token_stream();
    let attributes = input.call(Attribute::parse_outer)?;
    let name = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        Value::Is(input.parse()?)
    } else if input.peek(Token![in]) {
        input.parse::<Token![in]>()?;
        Value::In(input.parse()?)
    } else if input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        Value::List(content.parse()?)
    } else if input.is_empty() {
        Value::Nothing
    } else {
        return Err(input.error(format!("expected `{name}`, `{name}(..)` or `{name} = ..`")));
    };
    Ok(Argument {
        attributes,
        name,
        value,
        tokens,
    })
}

/// Splits at commas; a trailing comma is allowed.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for tree in tokens {
        match (tree, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => {
                parts.push(TokenStream::new());
            }
            (tree, Some(part)) => part.extend([tree]),
            (_, None) => unreachable!("there is always a last part"),
        }
    }
    parts.retain(|part| !part.is_empty());
    rejoined(parts)
}

/// Joins parts again if a comma belonged to a value, as in `Table::<Key, Value>::rows()`.
fn rejoined(parts: Vec<TokenStream>) -> Vec<TokenStream> {
    let mut joined: Vec<TokenStream> = Vec::new();
    let mut rest = parts.into_iter().peekable();
    while let Some(part) = rest.next() {
        let mut whole = part.clone();
        let mut more = rest.clone();
        while is_cut_off(&whole)
            && let Some(next) = more.next()
        {
            whole.extend([quote!(,), next]);
        }
        if is_cut_off(&whole) {
            joined.push(part);
        } else {
            joined.push(whole);
            rest = more;
        }
    }
    joined
}

/// True if the values are an incomplete expression.
fn is_cut_off(part: &TokenStream) -> bool {
    let mut trees = part.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Ident(_)), Some(TokenTree::Ident(word))) if word == "in" => {
            syn::parse2::<Expr>(trees.collect()).is_err()
        }
        _ => false,
    }
}

/// Returns the one of `accepted` that matches the argument. A misspelt one is reported, and corrected.
pub(crate) fn recognise<'a>(
    name: &Ident,
    what: &str,
    accepted: &[&'a str],
    errors: &mut Errors,
) -> Option<&'a str> {
    let text = name.to_string();
    if let Some(known) = accepted.iter().find(|known| **known == text) {
        return Some(known);
    }
    let meant = nearest::nearest(&text, accepted).copied();
    let hint = match (meant, hint_for_misplaced(&text)) {
        (None, Some(place)) if what == "option" => place.to_owned(),
        _ => nearest::hint(&text, accepted, "accepted are"),
    };
    errors.push(name, format!("unknown {what} `{text}`: {hint}"));
    meant
}

/// Returns a hint for a name that belongs to another construct.
fn hint_for_misplaced(name: &str) -> Option<&'static str> {
    Some(match name {
        "monitor" | "monitors" => "the body of a test sets a monitor to work: `sys.monitor::<M>()`",
        "states" | "state" => {
            "an actor lists its states in `#[actor(states(…))]`, and a monitor in `#[monitor(hot(…), cold(…))]`"
        }
        "hot" | "cold" | "warm" => "only a monitor has such states: `#[monitor(hot(…), cold(…))]`",
        "mailbox" | "capacity" | "bounded" => {
            "who spawns an actor bounds its inbox: `sys.spawner().mailbox(Mailbox::bounded(n)).spawn(actor)`"
        }
        "nodes" | "node" => "the body of a test starts the nodes: `sys.node(name, boot)`",
        "flavor" | "worker_threads" | "start_paused" => {
            "a test has no runtime: the tester decides who goes next, and when it is"
        }
        "timeout" | "time_limit" => "`max_steps = n` bounds an execution",
        _ => return None,
    })
}

/// Takes a leading visibility off; `pub` if there is none.
pub(crate) fn visibility(tokens: TokenStream, errors: &mut Errors) -> (Visibility, TokenStream) {
    let is_visibility = |tree: &TokenTree| match tree {
        TokenTree::Ident(name) => name == "pub",
        TokenTree::Group(group) => group.delimiter() == Delimiter::None,
        _ => false,
    };
    if !tokens
        .clone()
        .into_iter()
        .next()
        .as_ref()
        .is_some_and(is_visibility)
    {
        return (parse_quote!(pub), tokens);
    }
    let parser = |input: ParseStream<'_>| {
        let visibility: Visibility = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok((visibility, input.parse()?))
    };
    let parsed = errors.take(parser.parse2(tokens));
    parsed.unwrap_or_else(|| (parse_quote!(pub), TokenStream::new()))
}

/// Returns the path in `crate = path`.
pub(crate) fn krate(argument: &Argument, errors: &mut Errors) -> Option<Path> {
    argument.parsed(
        Path::parse_mod_style,
        "`crate = ::path::to::the_crate`",
        errors,
    )
}

/// Returns the identifiers in `#[on(A, B)]`; `None` if anything else occurs there. A name with its enum, or
/// in quotes, is reported, and corrected.
pub(crate) fn names(list: TokenStream, right: &str, errors: &mut Errors) -> Option<Vec<Ident>> {
    let mut complete = true;
    let mut names = Vec::new();
    for part in split(list) {
        let part = part.to_token_stream();
        match (syn::parse2::<Ident>(part.clone()), meant(&part)) {
            (Ok(name), _) => names.push(name),
            (Err(_), Some(name)) => {
                errors.push(part, format!("a name alone is enough here: `{name}`"));
                names.push(name);
            }
            (Err(_), None) => {
                errors.push(part, format!("expected {right}"));
                complete = false;
            }
        }
    }
    complete.then_some(names)
}

/// Returns the name in `Enum::Name` or `"Name"`.
fn meant(part: &TokenStream) -> Option<Ident> {
    if let Ok(text) = syn::parse2::<LitStr>(part.clone()) {
        return text.parse().ok();
    }
    let path: Path = syn::parse2(part.clone()).ok()?;
    path.segments.last().map(|last| last.ident.clone())
}
