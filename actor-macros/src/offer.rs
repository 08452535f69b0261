//! What an actor or monitor offers for its fingerprint and to be printed: found out where its type is
//! known.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

/// The method by which a type offers its value.
pub(crate) fn offer(krate: &Path) -> TokenStream {
    quote! {
        fn offer(&self, __to: &mut #krate::Fingerprinter) -> ::core::primitive::bool {
            use #krate::__private::of_a_whole::*;
            (&&&#krate::__private::Offer(self)).feed(__to)
        }
    }
}

/// The method by which an actor is printed.
pub(crate) fn debug(krate: &Path) -> TokenStream {
    quote! {
        fn debug(&self) -> ::core::option::Option<&dyn ::core::fmt::Debug> {
            use #krate::__private::of_a_print::*;
            (&#krate::__private::Offer(self)).debug()
        }
    }
}
