//! [`Errors`]: every mistake of one compile, each at its own token.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::condition::Condition;

/// Collects what is wrong, so that all of it is reported at once.
#[derive(Default)]
pub(crate) struct Errors {
    certain: Option<syn::Error>,
    /// What is wrong under some `cfg` only: rustc evaluates it.
    conditional: Vec<TokenStream>,
}

impl Errors {
    /// Adds a mistake, underlining `tokens`.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push_syn(syn::Error::new_spanned(tokens, message));
    }

    /// Adds what is a mistake where `condition` holds.
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

    /// Adds what a parser said.
    pub(crate) fn push_syn(&mut self, error: syn::Error) {
        match &mut self.certain {
            Some(errors) => errors.combine(error),
            None => self.certain = Some(error),
        }
    }

    /// Keeps the value, or the error.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push_syn(error)).ok()
    }

    /// Nothing is wrong so far.
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
