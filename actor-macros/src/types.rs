//! Types as written in the source: identity, names and spans.

use std::fmt::Debug;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, PathArguments, Type};

/// Returns the key that identifies a type in one block: its tokens, without needless delimiters.
pub(crate) fn key(ty: &Type) -> String {
    match ty {
        Type::Group(group) => key(&group.elem),
        Type::Paren(paren) => key(&paren.elem),
        ty => written(ty),
    }
}

/// Formats the type as one would write it, `Put<u8, u16>` for instance.
pub(crate) fn written(tokens: impl ToTokens) -> String {
    let mut text = String::new();
    let mut last = Last::Start;
    write(tokens.to_token_stream(), &mut text, &mut last);
    text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Start,
    Word,
    Spaced,
    Punct,
}

fn write(tokens: TokenStream, text: &mut String, last: &mut Last) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => write_group(&group, text, last),
            TokenTree::Punct(punct) => {
                let letter = punct.as_char();
                let ends_arrow = letter == '>' && text.ends_with('-');
                let spaced = "+=-".contains(letter) && *last == Last::Word;
                let follows = *last == Last::Spaced && !",;>".contains(letter);
                if spaced || follows {
                    text.push(' ');
                }
                text.push(letter);
                let spaces = ends_arrow || ",;+=".contains(letter);
                *last = if spaces { Last::Spaced } else { Last::Punct };
            }
            word => {
                if matches!(*last, Last::Word | Last::Spaced) {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
                *last = Last::Word;
            }
        }
    }
}

fn write_group(group: &Group, text: &mut String, last: &mut Last) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => return write(group.stream(), text, last),
    };
    if *last == Last::Spaced {
        text.push(' ');
    }
    text.push_str(open);
    *last = Last::Punct;
    write(group.stream(), text, last);
    text.push_str(close);
    *last = Last::Word;
}

/// Returns unique names for event types: for reports, and as variants of the message.
pub(crate) fn names(types: &[&Type]) -> Vec<(String, Ident)> {
    let short: Vec<String> = types.iter().map(|ty| last_name(ty)).collect();
    let longer: Vec<String> = types.iter().map(|ty| last_segment(ty)).collect();
    let is_unique =
        |name: &String, among: &[String]| among.iter().filter(|other| *other == name).count() == 1;
    let mut variants: Vec<Ident> = Vec::new();
    let mut names = Vec::new();
    for (index, ty) in types.iter().enumerate() {
        let name = if is_unique(&short[index], &short) {
            short[index].clone()
        } else if is_unique(&longer[index], &longer) {
            longer[index].clone()
        } else {
            key(ty)
        };
        let variant = variant(&short[index], &variants);
        variants.push(variant.clone());
        names.push((name, variant));
    }
    names
}

/// Returns the last name of the path, or the type as written if it is no path.
pub(crate) fn last_name(ty: &Type) -> String {
    match ty {
        Type::Group(group) => last_name(&group.elem),
        Type::Paren(paren) => last_name(&paren.elem),
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map_or_else(|| written(ty), |last| last.ident.unraw().to_string()),
        ty => written(ty),
    }
}

fn last_segment(ty: &Type) -> String {
    match ty {
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        Type::Path(path) => path.path.segments.last().map_or_else(
            || written(ty),
            |last| match &last.arguments {
                PathArguments::None => last.ident.unraw().to_string(),
                _ => written(last),
            },
        ),
        ty => written(ty),
    }
}

/// Returns `name` as a variant that is not among `taken`.
fn variant(name: &str, taken: &[Ident]) -> Ident {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let mut camel: String = words.map(capitalised).collect();
    if !camel.starts_with(char::is_alphabetic) {
        camel = format!("Event{camel}");
    }
    // `Self` is no identifier.
    let base = if camel == "Self" { "Own".into() } else { camel };
    let mut variant = format_ident!("{base}");
    let mut number = 2;
    while taken.contains(&variant) {
        variant = format_ident!("{base}{number}");
        number += 1;
    }
    variant
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Returns `ty` with `Self` spelt out, for places where `Self` would be another type.
pub(crate) fn without_self(ty: &Type, self_ty: &Type) -> TokenStream {
    spell_out(ty.to_token_stream(), self_ty)
}

fn spell_out(tokens: TokenStream, self_ty: &Type) -> TokenStream {
    let mut trees = tokens.into_iter().peekable();
    let mut spelt = TokenStream::new();
    while let Some(tree) = trees.next() {
        let is_path =
            matches!(trees.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        spelt.extend(match tree {
            TokenTree::Ident(name) if name == "Self" && is_path => quote!(<#self_ty>),
            TokenTree::Ident(name) if name == "Self" => quote!(#self_ty),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), spell_out(group.stream(), self_ty));
                inner.set_span(group.span());
                inner.into_token_stream()
            }
            other => other.into_token_stream(),
        });
    }
    spelt
}

/// Returns the identifier that a variant of one of this crate's enums prints as.
pub(crate) fn ident(variant: impl Debug) -> Ident {
    format_ident!("{}", format!("{variant:?}"))
}

/// Returns the span for errors about the type: its last name, since stable Rust can't underline more.
pub(crate) fn place(ty: &Type) -> Span {
    match ty {
        Type::Path(path) => {
            let last = path.path.segments.last();
            last.map_or_else(|| ty.span(), |last| last.ident.span())
        }
        ty => ty.span(),
    }
}

/// Returns the same tokens with the span of `place`.
pub(crate) fn located_at(place: Span, tokens: TokenStream) -> TokenStream {
    let located = |tree| {
        let mut tree = match tree {
            TokenTree::Group(group) => {
                let inner = located_at(place, group.stream());
                TokenTree::Group(Group::new(group.delimiter(), inner))
            }
            other => other,
        };
        tree.set_span(tree.span().located_at(place));
        tree
    };
    tokens.into_iter().map(located).collect()
}

/// Returns the identifier as it occurs in `tokens`, at any depth.
pub(crate) fn find(tokens: &TokenStream, name: &Ident) -> Option<Ident> {
    tokens.clone().into_iter().find_map(|tree| match tree {
        TokenTree::Ident(other) if other == *name => Some(other),
        TokenTree::Group(group) => find(&group.stream(), name),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use syn::{Type, parse_quote};

    use super::{key, names, written};

    fn named(types: &[Type]) -> Vec<(String, String)> {
        let types: Vec<&Type> = types.iter().collect();
        let named = names(&types).into_iter();
        named
            .map(|(name, variant)| (name, variant.to_string()))
            .collect()
    }

    #[test]
    fn types_read_as_written() {
        let ty: Type = parse_quote!(a::Put<u8, [u16; 2], &'static str, fn(A) -> B>);
        assert_eq!(
            written(ty),
            "a::Put<u8, [u16; 2], &'static str, fn(A) -> B>"
        );
        let ty: Type = parse_quote!(Box<dyn Send + Sync>);
        assert_eq!(written(ty), "Box<dyn Send + Sync>");
        let ty: Type = parse_quote!((Ping));
        assert_eq!(key(&ty), "Ping");
    }

    #[test]
    fn a_name_is_as_short_as_it_can_be() {
        let types = [
            parse_quote!(a::Ping),
            parse_quote!(Put<u8>),
            parse_quote!(Put<u16>),
        ];
        let expected = [("Ping", "Ping"), ("Put<u8>", "Put"), ("Put<u16>", "Put2")];
        assert_eq!(named(&types), expected.map(|(a, b)| (a.into(), b.into())));
        let types = [
            parse_quote!(a::Ping),
            parse_quote!(b::Ping),
            parse_quote!(u64),
            parse_quote!((u8, u8)),
        ];
        let expected = [
            ("a::Ping", "Ping"),
            ("b::Ping", "Ping2"),
            ("u64", "U64"),
            ("(u8, u8)", "U8U8"),
        ];
        assert_eq!(named(&types), expected.map(|(a, b)| (a.into(), b.into())));
    }
}
