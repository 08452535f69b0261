//! The code of a test: the user's function, what is known of it, and a libtest test around them.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::Path;

use super::model::Attributes;
use super::parse::Function;

/// A libtest test of the same name.
pub(crate) fn expand(attributes: &Attributes, function: &Function) -> TokenStream {
    let krate = &attributes.krate;
    let name = &function.signature.ident;
    let outer = &function.attributes;
    let (signature, code) = (&function.signature, &function.body);
    let body = body(krate, function);
    let description = description(attributes, function);
    quote! {
        #[cfg(test)]
        #[test]
        #(#outer)*
        fn #name() {
            #signature #code
            #body
            static __TEST: #krate::__private::ActorTest = #description;
            #krate::__private::inventory::submit! {
                #krate::__private::Registered(&__TEST)
            }
            #krate::__private::run(&__TEST)
        }
    }
}

/// Runs the user's function in one execution.
fn body(krate: &Path, function: &Function) -> TokenStream {
    let name = &function.signature.ident;
    if function.signature.asyncness.is_none() {
        return quote! {
            fn __body(__sys: &#krate::__private::System) {
                #krate::__private::finish(#name(__sys))
            }
        };
    }
    quote! {
        fn __body(
            __sys: &#krate::__private::System,
        ) -> ::core::pin::Pin<
            ::std::boxed::Box<dyn ::core::future::Future<Output = ()> + '_>,
        > {
            ::std::boxed::Box::pin(async move { #krate::__private::finish(#name(__sys).await) })
        }
    }
}

/// What the tester, and whoever looks for tests in an executable, is told.
fn description(attributes: &Attributes, function: &Function) -> TokenStream {
    let krate = &attributes.krate;
    let name = function.signature.ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let ignored = function
        .attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("ignore"));
    let kind = match function.signature.asyncness {
        Some(_) => format_ident!("Async"),
        None => format_ident!("Sync"),
    };
    let settings = settings(attributes);
    quote! {
        #krate::__private::ActorTest {
            name: ::core::concat!(::core::module_path!(), "::", #name),
            marker: ::core::concat!(
                "\0actor-test:1:", ::core::module_path!(), "::", #name, "\0"
            ),
            file: ::core::file!(),
            line: ::core::line!(),
            ignored: #ignored,
            attributes: #settings,
            body: #krate::__private::TestBody::#kind(__body),
        }
    }
}

fn settings(attributes: &Attributes) -> TokenStream {
    let Attributes {
        krate,
        strategies,
        patient_timers,
        atomic_handlers,
        ..
    } = attributes;
    let iterations = option(attributes.iterations);
    let max_steps = option(attributes.max_steps.map(|(unfair, fair)| {
        let fair = option(fair);
        quote!((#unfair, #fair))
    }));
    let temperature = option(attributes.temperature);
    let seed = option(attributes.seed);
    let expect_bug = option(attributes.expect_bug.as_ref());
    let deny = option(attributes.deny.as_ref());
    let clock_error_ms = option(attributes.clock_error_ms);
    quote! {
        #krate::__private::Attributes {
            iterations: #iterations,
            max_steps: #max_steps,
            temperature: #temperature,
            seed: #seed,
            strategies: &[#(#strategies),*],
            expect_bug: #expect_bug,
            deny: #deny,
            patient_timers: #patient_timers,
            atomic_handlers: #atomic_handlers,
            clock_error_ms: #clock_error_ms,
        }
    }
}

fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
