//! Code generation of a test: the user's function, its parameters' values, its description, a libtest test.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Path};

use super::model::TestAttributes;
use super::parameters::Parameter;
use super::parse::TestFunction;
use crate::types;

/// Generates a libtest test of the same name.
pub(crate) fn expand(
    attributes: &TestAttributes,
    parameters: &[Parameter<'_>],
    function: &TestFunction,
) -> TokenStream {
    let krate = &attributes.krate;
    let name = &function.signature.ident;
    let outer = &function.attributes;
    let (signature, code) = (&function.signature, &function.body);
    let values = values(krate, parameters);
    let body = body(krate, parameters, function);
    let description = description(attributes, parameters, function);
    quote! {
        #[cfg(test)]
        #[test]
        #(#outer)*
        fn #name() {
            #signature #code
            #values
            #body
            static __TEST: #krate::__private::ActorTest = #description;
            #krate::__private::inventory::submit! {
                #krate::__private::Registered(&__TEST)
            }
            #krate::__private::run(&__TEST)
        }
    }
}

/// Generates a static for the values of each parameter.
fn values(krate: &Path, parameters: &[Parameter<'_>]) -> TokenStream {
    let one = |(number, parameter): (usize, &Parameter<'_>)| {
        let Parameter { name, ty, values } = parameter;
        let (holder, name) = (holder(number), name.unraw().to_string());
        // rustc underlines a type that can't be that of a parameter.
        let ty = quote_spanned!(ty.span()=> #krate::__private::Values<#ty>);
        quote! {
            static #holder: #ty =
                #krate::__private::Values::new(#name, || #krate::__private::values(#values));
        }
    };
    parameters.iter().enumerate().map(one).collect()
}

fn holder(number: usize) -> Ident {
    format_ident!("__PARAMETER_{number}")
}

/// Generates the call of the user's function in one execution.
fn body(krate: &Path, parameters: &[Parameter<'_>], function: &TestFunction) -> TokenStream {
    let name = &function.signature.ident;
    let values = (0..parameters.len()).map(|number| {
        let holder = holder(number);
        quote!(, #holder.at(__chosen, #number))
    });
    let call = quote!(#name(__sys #(#values)*));
    if function.signature.asyncness.is_none() {
        return quote! {
            fn __body(__sys: &#krate::__private::System, __chosen: &[::core::primitive::usize]) {
                #krate::__private::finish(#call)
            }
        };
    }
    quote! {
        fn __body<'__a>(
            __sys: &'__a #krate::__private::System,
            __chosen: &'__a [::core::primitive::usize],
        ) -> ::core::pin::Pin<
            ::std::boxed::Box<dyn ::core::future::Future<Output = ()> + '__a>,
        > {
            ::std::boxed::Box::pin(async move { #krate::__private::finish(#call.await) })
        }
    }
}

/// Generates the static description of the test, by which the tester also finds tests in an executable.
fn description(
    attributes: &TestAttributes,
    parameters: &[Parameter<'_>],
    function: &TestFunction,
) -> TokenStream {
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
    let end = match parameters {
        [] => "\0",
        _ => "[]\0",
    };
    let holders = (0..parameters.len()).map(holder);
    let strength = option(attributes.strength.as_ref().map(|strength| strength.of));
    quote! {
        #krate::__private::ActorTest {
            name: ::core::concat!(::core::module_path!(), "::", #name),
            marker: ::core::concat!(
                "\0actor-test:1:", ::core::module_path!(), "::", #name, #end
            ),
            file: ::core::file!(),
            line: ::core::line!(),
            ignored: #ignored,
            attributes: #settings,
            parameters: &[#(&#holders),*],
            strength: #strength,
            body: #krate::__private::TestBody::#kind(__body),
        }
    }
}

fn settings(attributes: &TestAttributes) -> TokenStream {
    let TestAttributes {
        krate,
        strategies,
        patient_timers,
        atomic_handlers,
        supervised,
        ..
    } = attributes;
    let iterations = option(attributes.iterations);
    let max_steps = option(attributes.max_steps.map(|(unfair, fair)| {
        let fair = option(fair);
        quote!((#unfair, #fair))
    }));
    let temperature = option(attributes.temperature);
    let seed = option(attributes.seed);
    let minimize = option(attributes.minimize);
    let expect_bug = option(attributes.expect_bug.as_ref());
    let deny = option(attributes.deny.as_ref());
    let faults = attributes.faults.iter().map(|(kind, budget)| {
        // A macro of the tester has the kinds, and rustc underlines an unknown one.
        let kind = types::located_at(kind.span(), quote!(#krate::__fault_kind!(#kind)));
        quote!((#kind, #budget))
    });
    let delivery = option(attributes.delivery.as_ref());
    let clocks = option(attributes.clocks.as_ref());
    let clock_error_ms = option(attributes.clock_error_ms);
    quote! {
        #krate::__private::Attributes {
            iterations: #iterations,
            max_steps: #max_steps,
            temperature: #temperature,
            seed: #seed,
            strategies: &[#(#strategies),*],
            minimize: #minimize,
            expect_bug: #expect_bug,
            deny: #deny,
            faults: &[#(#faults),*],
            delivery: #delivery,
            clocks: #clocks,
            patient_timers: #patient_timers,
            atomic_handlers: #atomic_handlers,
            supervised: #supervised,
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
