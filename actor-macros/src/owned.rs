//! Detection and repair of borrows in actors, monitors, events and replies, which must be `'static`.
//!
//! A borrow is reported at its lifetime. The rest is expanded as if it were correct, so that there is no
//! other error: lifetimes become `'static`, and type parameters get missing bounds.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    GenericParam, Generics, Ident, Lifetime, Type, TypeParam, TypeParamBound, WherePredicate,
};
use syn::{Path, parse_quote};

use crate::block::Block;
use crate::errors::Errors;
use crate::types;

/// The error message for an event that borrows.
pub(crate) const EVENT: &str = "an event waits in the inbox while its sender goes on: it borrows nothing, and has `String` or `Arc<str>` where you would write `&str`";

/// Returns the tokens by which a type borrows: its first lifetime other than `'static`, or its first `&`
/// without one. Also `None` if that can't be determined, for instance in a function type.
pub(crate) fn borrows(ty: &Type) -> Option<TokenStream> {
    let tokens = ty.to_token_stream();
    if has_lifetimes_of_its_own(tokens.clone()) {
        None
    } else {
        first_borrow(tokens)
    }
}

/// True for `fn(&u8)`, `dyn Fn(&u8)`, `dyn for<'a> Trait<'a>`, which borrow nothing, and for any macro.
fn has_lifetimes_of_its_own(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(name) => {
            ["fn", "for", "Fn", "FnMut", "FnOnce"].contains(&&*name.to_string())
        }
        TokenTree::Punct(punct) => punct.as_char() == '!',
        TokenTree::Group(group) => has_lifetimes_of_its_own(group.stream()),
        TokenTree::Literal(_) => false,
    })
}

fn first_borrow(tokens: TokenStream) -> Option<TokenStream> {
    let mut trees = tokens.into_iter().peekable();
    let mut follows_punct = true;
    while let Some(tree) = trees.next() {
        let found = match &tree {
            TokenTree::Punct(quote) if quote.as_char() == '\'' => {
                let name = trees.next().filter(|name| !is_static(name));
                name.map(|name| quote!(#quote #name))
            }
            // The `&` in `[u8; A & B]` is excluded.
            TokenTree::Punct(reference) if reference.as_char() == '&' && follows_punct => {
                let named =
                    matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'');
                (!named).then(|| quote!(#reference))
            }
            TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
                first_borrow(group.stream())
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        follows_punct = matches!(tree, TokenTree::Punct(_));
    }
    None
}

fn is_static(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Ident(name) if name == "static")
}

/// Returns the type with `'static` for all its borrows.
pub(crate) fn owned(ty: &Type) -> Type {
    let tokens = with_static(named(ty.to_token_stream()), &|_| true);
    syn::parse2(tokens).unwrap_or_else(|_| ty.clone())
}

/// Returns the tokens with a lifetime after each `&` that has none.
fn named(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.into_iter().peekable();
    let mut result = TokenStream::new();
    while let Some(tree) = trees.next() {
        let is_reference = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '&');
        let is_named =
            matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'');
        let span = tree.span();
        result.extend([match tree {
            TokenTree::Group(group) => regrouped(&group, named(group.stream())),
            other => other,
        }]);
        if is_reference && !is_named {
            Lifetime::new("'static", span).to_tokens(&mut result);
        }
    }
    result
}

fn regrouped(group: &Group, stream: TokenStream) -> TokenTree {
    let mut new = Group::new(group.delimiter(), stream);
    new.set_span(group.span());
    TokenTree::Group(new)
}

/// Replaces the lifetimes that are `meant` by `'static`.
fn with_static(tokens: TokenStream, meant: &dyn Fn(&Ident) -> bool) -> TokenStream {
    let mut trees = tokens.into_iter().peekable();
    let mut result = TokenStream::new();
    while let Some(tree) = trees.next() {
        let is_quote = matches!(&tree, TokenTree::Punct(quote) if quote.as_char() == '\'');
        match (tree, trees.peek()) {
            (_, Some(TokenTree::Ident(name))) if is_quote && meant(name) => {
                let lifetime = Lifetime::new("'static", name.span());
                lifetime.to_tokens(&mut result);
                trees.next();
            }
            (TokenTree::Group(group), _) => {
                let inner = with_static(group.stream(), meant);
                result.extend([regrouped(&group, inner)]);
            }
            (tree, _) => result.extend([tree]),
        }
    }
    result
}

/// Reports every reason why a block's type is not `'static`. Returns a corrected item if there was any.
pub(crate) fn repaired(block: &Block, what: &str, errors: &mut Errors) -> Option<TokenStream> {
    let lifetime = lifetime(block);
    if let Some(lifetime) = &lifetime {
        errors.push(
            lifetime,
            format!(
                "{what} lives until it stops, wherever it was made: it borrows nothing, and has `String` or `Arc<str>` where you would write `&str`"
            ),
        );
    }
    let lacking: Vec<&TypeParam> = block
        .generics
        .type_params()
        .filter(|param| lacks_bounds(param, &block.generics))
        .collect();
    for param in &lacking {
        let name = &param.ident;
        let bounds = bounds_for(block, name);
        errors.push(
            name,
            format!(
                "{what} may run on any thread, and lives until it stops: write `{name}: {bounds}`"
            ),
        );
    }
    (lifetime.is_some() || !lacking.is_empty()).then(|| rebuilt(block, &lacking))
}

/// Returns the first lifetime in the head of the block.
fn lifetime(block: &Block) -> Option<TokenStream> {
    let declared = block.generics.lifetimes().next();
    declared
        .map(|param| param.lifetime.to_token_stream())
        .or_else(|| borrows(&block.self_ty))
}

/// True if no bound makes the parameter `'static`, and no bound is a trait that might.
fn lacks_bounds(param: &TypeParam, generics: &Generics) -> bool {
    let clause = generics.where_clause.iter();
    let predicates = clause.flat_map(|clause| &clause.predicates);
    let where_bounds = predicates.filter_map(|predicate| match predicate {
        WherePredicate::Type(bounded) if is_named(&bounded.bounded_ty, &param.ident) => {
            Some(&bounded.bounds)
        }
        _ => None,
    });
    let bounds = param.bounds.iter().chain(where_bounds.flatten());
    bounds.into_iter().all(|bound| match bound {
        TypeParamBound::Trait(bound) => is_of_std(&bound.path),
        _ => false,
    })
}

fn is_named(ty: &Type, name: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_none() && path.path.is_ident(name))
}

/// True for a trait of the standard library that has no lifetime bound.
fn is_of_std(path: &Path) -> bool {
    const KNOWN: [&str; 12] = [
        "Clone",
        "Copy",
        "Debug",
        "Default",
        "Display",
        "Eq",
        "Hash",
        "Ord",
        "PartialEq",
        "PartialOrd",
        "Send",
        "Sync",
    ];
    let last = path.segments.last();
    last.is_some_and(|last| KNOWN.iter().any(|known| last.ident == *known) || last.ident == "Sized")
}

/// Returns the bounds to be written for the parameter; with `Debug` if it may be part of an event.
fn bounds_for(block: &Block, name: &Ident) -> &'static str {
    let handlers = block
        .functions
        .iter()
        .filter(|function| !function.roles.is_empty());
    let signatures = handlers.map(|function| &function.signature);
    let mentioned = signatures
        .into_iter()
        .any(|signature| types::find(&signature.to_token_stream(), name).is_some());
    if mentioned {
        "Send + Debug + 'static"
    } else {
        "Send + 'static"
    }
}

/// Returns the block without lifetimes, and with the missing bounds of the parameters in `lacking`.
fn rebuilt(block: &Block, lacking: &[&TypeParam]) -> TokenStream {
    let lifetimes: Vec<&Ident> = block
        .generics
        .lifetimes()
        .map(|param| &param.lifetime.ident)
        .collect();
    let mut generics = block.generics.clone();
    generics.params = generics
        .params
        .into_iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .collect();
    for param in lacking {
        let name = Ident::new(&param.ident.to_string(), Span::call_site());
        let predicate: WherePredicate = parse_quote!(
            #name: ::core::marker::Send + ::core::fmt::Debug + 'static
        );
        generics.make_where_clause().predicates.push(predicate);
    }
    let (generics, _, clause) = generics.split_for_impl();
    let (attributes, self_ty, body) = (&block.attributes, owned(&block.self_ty), &block.body);
    let item = quote!(#(#attributes)* impl #generics #self_ty #clause { #body });
    with_static(item, &|name| lifetimes.contains(&name))
}
