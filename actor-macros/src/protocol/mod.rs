//! `#[protocol]`: arguments and trait -> model -> code.

mod expand;
mod model;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, Path, parse_quote};

use crate::errors::Errors;
use crate::options;

/// Returns the user's trait, the code of the protocol, and the errors.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let code = protocol(arguments, item.clone(), &mut errors).unwrap_or(item);
    quote!(#code #errors)
}

fn protocol(arguments: TokenStream, item: TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let krate = read_arguments(arguments, errors);
    let mut item = match errors.take(syn::parse2(item))? {
        Item::Trait(item) => item,
        other => {
            errors.push(
                other,
                "expected a trait: `trait Name { fn event(event: Event) -> Reply; }`",
            );
            return None;
        }
    };
    let protocol = model::ProtocolModel::read(&item, &krate, errors);
    let code = protocol.is_sound.then(|| expand::expand(&protocol));
    expand::allow_objects(&mut item);
    Some(quote!(#item #code))
}

/// Reads the arguments: only `crate = path` is accepted.
fn read_arguments(tokens: TokenStream, errors: &mut Errors) -> Path {
    let mut krate = parse_quote!(::actor_core);
    let mut seen = Vec::new();
    for argument in options::arguments(tokens, errors) {
        argument.only_once(&mut seen, errors);
        if options::recognise(&argument.name, "option", &["crate"], errors).is_some() {
            krate = options::krate(&argument, errors).unwrap_or(krate);
        }
    }
    krate
}
