//! `#[monitor]`: arguments and block -> model -> checks -> code.

mod expand;
mod model;
mod parse;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;

use crate::block::{self, Block};
use crate::errors::Errors;

/// Returns the user's `impl` block, the code of the monitor, and the errors.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (item, block) = block::read(item, "a monitor", &mut errors);
    let code = block.map(|block| monitor(arguments, &block, &mut errors));
    let item = block::without_roles(item);
    quote!(#item #code #errors)
}

fn monitor(arguments: TokenStream, block: &Block, errors: &mut Errors) -> TokenStream {
    let arguments = parse::MonitorArguments::read(arguments, errors);
    let monitor = model::MonitorModel::read(&arguments, block, errors);
    validate::check(&monitor, errors);
    expand::expand(&monitor)
}
