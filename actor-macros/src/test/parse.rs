//! Parsing of the function below `#[actor_test]`.

use proc_macro2::{Group, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, Signature, Visibility};

/// A function, whose body stays tokens that rustc checks.
pub(crate) struct TestFunction {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: Group,
}

impl Parse for TestFunction {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let ahead = input.fork();
        let keyword = ahead.call(Ident::parse_any);
        match input.parse::<Signature>() {
            Ok(signature) => {
                let body = input.parse()?;
                Ok(Self {
                    attributes,
                    visibility,
                    signature,
                    body,
                })
            }
            Err(error) => Err(match keyword {
                Ok(keyword) if !is_qualifier(&keyword) => syn::Error::new_spanned(
                    keyword,
                    "an actor test is a function: `fn name(sys: &System) { .. }`",
                ),
                _ => error,
            }),
        }
    }
}

fn is_qualifier(keyword: &Ident) -> bool {
    ["fn", "async", "const", "unsafe", "extern"]
        .iter()
        .any(|qualifier| keyword == qualifier)
}

impl TestFunction {
    /// Returns the function as it was written, without the attributes that make it a test.
    pub(crate) fn alone(&self) -> TokenStream {
        let Self {
            visibility,
            signature,
            body,
            ..
        } = self;
        let attributes = self
            .attributes
            .iter()
            .filter(|attribute| !TEST_ONLY.iter().any(|name| attribute.path().is_ident(name)));
        quote! {
            #(#attributes)*
            #[allow(dead_code)]
            #visibility #signature #body
        }
    }
}

const TEST_ONLY: [&str; 3] = ["test", "ignore", "should_panic"];
