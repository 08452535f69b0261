//! The compile errors of one macro call, each at its own token: [`Errors`].

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::condition::Condition;

/// Collects the errors, so that all of them are reported at once.
#[derive(Default)]
pub(crate) struct Errors {
    certain: Option<syn::Error>,
    /// The errors under some `cfg` only, which rustc evaluates.
    conditional: Vec<TokenStream>,
}

impl Errors {
    /// Adds an error that underlines `tokens`.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push_syn(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error that applies if `condition` holds.
    pub(crate) fn push_where(
        &mut self,
        condition: &Condition,
        tokens: impl ToTokens,
        message: impl Display,
    ) {
        if condition.always() {
            return self.push(tokens, message);
        }
        let error = syn::Error::new_spanned(tokens, message).into_compile_error();
        self.conditional.push(quote!(#condition #error));
    }

    pub(crate) fn push_syn(&mut self, error: syn::Error) {
        match &mut self.certain {
            Some(errors) => errors.combine(error),
            None => self.certain = Some(error),
        }
    }

    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push_syn(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.certain.is_none()
    }
}

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if let Some(error) = &self.certain {
            error.to_compile_error().to_tokens(tokens);
        }
        tokens.extend(self.conditional.iter().cloned());
    }
}
