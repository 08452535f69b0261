//! `#[actor]`: arguments and block -> model -> checks -> code.

mod calls;
mod docs;
mod expand;
mod model;
mod parse;
mod reachable;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;

use crate::block::{self, Block};
use crate::errors::Errors;

/// Returns the user's `impl` block, the code of the actor, and the errors.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (item, block) = block::read(item, "an actor", &mut errors);
    let code = block.map(|block| actor(arguments, &block, &mut errors));
    let item = block::without_roles(item);
    quote!(#item #code #errors)
}

fn actor(arguments: TokenStream, block: &Block, errors: &mut Errors) -> TokenStream {
    let arguments = parse::ActorArguments::read(arguments, errors);
    let mut actor = model::ActorModel::read(&arguments, block, errors);
    validate::check(&mut actor, errors);
    expand::expand(&actor)
}
