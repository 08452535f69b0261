//! `#[monitor]`: arguments and block → model → checks → code.

mod expand;
mod model;
mod parse;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;

use crate::block::{self, Block};
use crate::errors::Errors;

/// The user's `impl` block, the monitor that it makes, and what is wrong with it.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let code = monitor(arguments, item.clone(), &mut errors);
    let item = block::without_roles(item);
    quote!(#item #code #errors)
}

fn monitor(arguments: TokenStream, item: TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let block: Block = errors.take(syn::parse2(item))?;
    let arguments = parse::Arguments::read(arguments, errors);
    let monitor = model::Monitor::read(&arguments, &block, errors);
    validate::check(&monitor, errors);
    Some(expand::expand(&monitor))
}
