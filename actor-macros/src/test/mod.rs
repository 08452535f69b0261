//! `#[actor_test]`: arguments and function -> model -> code.

mod expand;
mod model;
mod parameters;
mod parse;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;

/// Generates a libtest test that runs the user's function under the tester.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(function) = errors.take(syn::parse2::<parse::TestFunction>(item.clone())) else {
        return quote!(#item #errors);
    };
    let names = parameters::names(&function);
    let attributes = model::TestAttributes::read(arguments, &names, &mut errors);
    let parameters = parameters::read(&attributes, &function, &mut errors);
    validate::check(&function, &mut errors);
    if errors.is_empty() {
        return expand::expand(&attributes, &parameters, &function);
    }
    // On errors the function is emitted unchanged: the editor still completes in it, and rustc checks it.
    let function = function.alone();
    quote!(#function #errors)
}
