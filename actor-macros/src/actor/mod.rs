//! `#[actor]`: arguments and block → model → checks → code.

mod calls;
mod expand;
mod model;
mod parse;
mod reachable;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;

use crate::block::{self, Block};
use crate::errors::Errors;

/// The user's `impl` block, the actor that it makes, and what is wrong with it.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let code = actor(arguments, item.clone(), &mut errors);
    let item = block::without_roles(item);
    quote!(#item #code #errors)
}

fn actor(arguments: TokenStream, item: TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let block: Block = errors.take(syn::parse2(item))?;
    let arguments = parse::Arguments::read(arguments, errors);
    let mut actor = model::Actor::read(&arguments, &block, errors);
    validate::check(&mut actor, errors);
    Some(expand::expand(&actor))
}
