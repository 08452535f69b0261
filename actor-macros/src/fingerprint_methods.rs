//! Code generation for the fingerprint and the `Debug` output of an actor, by autoref specialisation.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

/// Generates the method that feeds the value to a fingerprint.
pub(crate) fn offer(krate: &Path) -> TokenStream {
    quote! {
        fn __offer(&self, __to: &mut #krate::Fingerprinter) -> ::core::primitive::bool {
            use #krate::__private::value_methods::*;
            (&&&#krate::__private::AutorefValue(self)).feed(__to)
        }
    }
}

/// Generates the method that returns an actor as a `Debug` object.
pub(crate) fn debug(krate: &Path) -> TokenStream {
    quote! {
        fn __debug(&self) -> ::core::option::Option<&dyn ::core::fmt::Debug> {
            use #krate::__private::debug_methods::*;
            (&#krate::__private::AutorefValue(self)).debug()
        }
    }
}
