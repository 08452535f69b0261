//! Generated dispatch: a `match` on the current state, for the handlers of one event.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use crate::condition::Condition;

/// The code that runs in some states.
pub(crate) struct Case<'a> {
    /// The states; `None` for all others.
    pub(crate) states: Option<&'a [usize]>,
    pub(crate) condition: &'a Condition,
    pub(crate) run: TokenStream,
}

/// Generates the dispatch to the case of the current state. `enumeration` and `names` are the states'.
pub(crate) fn by_state(cases: &[Case<'_>], enumeration: &Ident, names: &[&Ident]) -> TokenStream {
    if let [
        Case {
            states: None, run, ..
        },
    ] = cases
    {
        return quote!({ #run });
    }
    let specific = cases.iter().filter_map(|case| {
        let Case { condition, run, .. } = case;
        let states = case.states.filter(|states| !states.is_empty())?;
        let states = states.iter().map(|state| names[*state]);
        Some(quote!(#condition #(#enumeration::#states)|* => { #run }))
    });
    let others = cases
        .iter()
        .filter(|case| case.states.is_none())
        .map(|case| {
            let Case { condition, run, .. } = case;
            quote!(#condition _ => { #run })
        });
    let rest = rest(cases, names.len());
    quote! {
        match __cx.state() {
            #(#specific)*
            #(#others)*
            #rest
        }
    }
}

/// Returns the arm for states without a case, if there are any.
fn rest(cases: &[Case<'_>], states: usize) -> Option<TokenStream> {
    let certain = || cases.iter().filter(|case| case.condition.always());
    let covered =
        |state| certain().any(|case| case.states.is_none_or(|list| list.contains(&state)));
    if states > 0 && (0..states).all(covered) {
        return None;
    }
    // A `cfg` may leave no state for this arm.
    let conditional = cases.iter().any(|case| !case.condition.always());
    let allow = conditional.then(|| quote!(#[allow(unreachable_patterns)]));
    Some(quote!(#allow _ => {}))
}
