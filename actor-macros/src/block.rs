//! The `impl` block below `#[actor]` or `#[monitor]`: [`Block`].
//!
//! Function bodies stay tokens: rustc reports errors in them, and an unfinished one is no obstacle.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Generics, Ident, Meta, Signature, Token, Type, Visibility, WhereClause, braced,
};

use crate::condition::Condition;
use crate::errors::Errors;
use crate::owned;
use crate::roles::{self, CfgAttrRole, is_role};

pub(crate) struct Block {
    pub(crate) condition: Condition,
    pub(crate) generics: Generics,
    pub(crate) self_ty: Type,
    pub(crate) name: Ident,
    pub(crate) functions: Vec<Function>,
    /// The attributes of ours on constants and types, where they are misplaced.
    pub(crate) misplaced: Vec<Attribute>,
    /// True if the functions can be called: the block is as the user wrote it.
    pub(crate) is_callable: bool,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) body: TokenStream,
}

/// A function of the block, possibly a handler.
pub(crate) struct Function {
    /// The attributes of ours, and those that resemble them.
    pub(crate) roles: Vec<Attribute>,
    /// The attributes of ours inside a `#[cfg_attr(..)]`.
    pub(crate) hidden: Vec<CfgAttrRole>,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) condition: Condition,
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
}

impl Parse for Block {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        if !input.peek(Token![impl]) {
            return Err(misplaced_attribute(input));
        }
        input.parse::<Token![impl]>()?;
        let mut generics: Generics = input.parse()?;
        let self_ty: Type = input.parse()?;
        if input.peek(Token![for]) {
            return Err(syn::Error::new_spanned(
                self_ty,
                "this is the `impl` of a trait: the handlers stand in the type's own `impl Type { .. }`",
            ));
        }
        generics.where_clause = input.parse::<Option<WhereClause>>()?;
        let content;
        braced!(content in input);
        let mut block = Self {
            condition: Condition::of(&attributes),
            generics,
            name: type_name(&self_ty)?,
            self_ty,
            functions: Vec::new(),
            misplaced: Vec::new(),
            is_callable: true,
            attributes,
            body: content.cursor().token_stream(),
        };
        content.call(Attribute::parse_inner)?;
        while !content.is_empty() {
            block.parse_item(&content)?;
        }
        Ok(block)
    }
}

/// Reads the block. Also returns the user's item, which is rewritten if `what` would borrow.
pub(crate) fn read(
    item: TokenStream,
    what: &str,
    errors: &mut Errors,
) -> (TokenStream, Option<Block>) {
    let block: Option<Block> = errors.take(syn::parse2(item.clone()));
    match block
        .as_ref()
        .and_then(|block| owned::repaired(block, what, errors))
    {
        Some(mended) => {
            let mut block: Option<Block> = syn::parse2(mended.clone()).ok();
            if let Some(block) = &mut block {
                block.is_callable = false;
            }
            (mended, block)
        }
        None => (item, block),
    }
}

impl Block {
    /// Returns the lints that generated code allows: those that the user's block allows; deprecated names,
    /// which rustc reports at the user's code; and private links in the docs of private functions.
    pub(crate) fn allowances(&self) -> TokenStream {
        let lints = self
            .attributes
            .iter()
            .filter_map(|attribute| match &attribute.meta {
                Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => {
                    Some(list.tokens.clone())
                }
                _ => None,
            });
        quote!(#[allow(deprecated, rustdoc::private_intra_doc_links)] #(#[allow(#lints)])*)
    }

    fn parse_item(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let attributes = input.call(Attribute::parse_outer)?;
        let condition = Condition::of(&attributes);
        let hidden: Vec<CfgAttrRole> = attributes.iter().flat_map(roles::hidden).collect();
        let docs = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("doc"))
            .cloned()
            .collect();
        let roles = attributes
            .into_iter()
            .filter(|attribute| is_role(attribute.path().get_ident()));
        input.parse::<Visibility>()?;
        if is_function(input) {
            self.functions.push(Function {
                roles: roles
                    .chain(hidden.iter().map(|hidden| hidden.role.clone()))
                    .collect(),
                hidden,
                docs,
                condition,
                signature: input.parse()?,
                body: input.parse::<Group>()?.stream(),
            });
        } else {
            self.misplaced.extend(roles);
            skip_item(input)?;
        }
        Ok(())
    }
}

fn misplaced_attribute(input: ParseStream<'_>) -> syn::Error {
    let place = "this attribute belongs on the `impl Type { .. }` block that holds the handlers";
    let ahead = input.fork();
    let _ = ahead.parse::<Visibility>();
    let keyword = ahead.call(Ident::parse_any);
    match keyword {
        Ok(keyword) => syn::Error::new_spanned(&keyword, format!("{place}, not on `{keyword}`")),
        Err(_) => input.error(place),
    }
}

fn type_name(ty: &Type) -> syn::Result<Ident> {
    match ty {
        Type::Group(group) => type_name(&group.elem),
        Type::Path(path) if !path.path.segments.is_empty() => Ok(path.path.segments
            [path.path.segments.len() - 1]
            .ident
            .clone()),
        _ => Err(syn::Error::new_spanned(
            ty,
            "expected a struct or enum of your own: `impl Type { .. }`",
        )),
    }
}

/// True if a function follows: some of `const async unsafe extern "C"`, then `fn`.
fn is_function(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    while !ahead.is_empty() {
        if ahead.peek(Token![fn]) {
            return true;
        }
        let qualifies = ahead.peek(Token![const])
            || ahead.peek(Token![async])
            || ahead.peek(Token![unsafe])
            || ahead.peek(Token![extern])
            || ahead.peek(syn::LitStr);
        if !qualifies || ahead.parse::<TokenTree>().is_err() {
            return false;
        }
    }
    false
}

/// Skips a constant, a type or a macro call.
fn skip_item(input: ParseStream<'_>) -> syn::Result<()> {
    let mut is_macro = false;
    loop {
        match input.parse::<TokenTree>()? {
            TokenTree::Punct(punct) if punct.as_char() == ';' => return Ok(()),
            TokenTree::Punct(punct) if punct.as_char() == '!' => is_macro = true,
            TokenTree::Group(group) if is_macro && group.delimiter() == Delimiter::Brace => {
                return Ok(());
            }
            _ => {}
        }
    }
}

/// Returns the user's item as it was written, without the attributes of ours.
pub(crate) fn without_roles(item: TokenStream) -> TokenStream {
    map_groups(item, &|group| {
        if group.delimiter() == Delimiter::Brace {
            strip(group.stream())
        } else {
            group.stream()
        }
    })
}

fn map_groups(tokens: TokenStream, f: &dyn Fn(&Group) -> TokenStream) -> TokenStream {
    let map = |tree| match tree {
        TokenTree::Group(group) => {
            // An item passed on by `macro_rules!` may be in an invisible group.
            let inner = match group.delimiter() {
                Delimiter::None => map_groups(group.stream(), f),
                _ => f(&group),
            };
            TokenTree::Group(with_stream(&group, inner))
        }
        other => other,
    };
    tokens.into_iter().map(map).collect()
}

fn with_stream(group: &Group, stream: TokenStream) -> Group {
    let mut new = Group::new(group.delimiter(), stream);
    new.set_span(group.span());
    new
}

fn strip(body: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for tree in body {
        let follows_pound =
            matches!(kept.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#');
        match &tree {
            TokenTree::Group(group)
                if follows_pound && is_role(attribute_name(group.stream()).as_ref()) =>
            {
                kept.pop();
            }
            TokenTree::Group(group) if follows_pound && roles::hides(group.stream()) => {
                kept.pop();
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                let inner = strip(group.stream());
                kept.push(TokenTree::Group(with_stream(group, inner)));
            }
            _ => kept.push(tree),
        }
    }
    kept.into_iter().collect()
}

/// Returns the name in `#[name ..]`, if it is a single identifier.
fn attribute_name(attribute: TokenStream) -> Option<Ident> {
    let mut trees = attribute.into_iter();
    match (trees.next()?, trees.next()) {
        (TokenTree::Group(group), None) => attribute_name(group.stream()),
        (TokenTree::Ident(_), Some(TokenTree::Punct(punct))) if punct.as_char() != '=' => None,
        (TokenTree::Ident(name), _) => Some(name),
        _ => None,
    }
}
