//! Code generation of a monitor. All mistakes of the user were reported before.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;

use super::model::{MonitorHandler, MonitorModel};
use crate::condition::Condition;
use crate::dispatch::{self, Case};
use crate::events::{NamedEvent, Positions};
use crate::fingerprint_methods::{debug, offer};
use crate::states::{self, StateVariant};
use crate::types;

pub(crate) fn expand(monitor: &MonitorModel<'_>) -> TokenStream {
    let MonitorModel {
        block,
        visibility,
        krate,
        ..
    } = monitor;
    let condition = &block.condition;
    let states: Vec<&StateVariant> = monitor
        .states
        .iter()
        .map(|declared| &declared.state)
        .collect();
    let stateful = !states.is_empty();
    let declaration =
        stateful.then(|| states::declaration(block, visibility, &states, monitor.first_state()));
    let state = stateful.then(|| states::implementation(&block.name, krate));
    let expansion = MonitorExpansion::new(monitor);
    let positions = &expansion.positions.declaration;
    let allowances = block.allowances();
    let implementation = expansion.monitor();
    quote! {
        #declaration
        #condition
        #allowances
        const _: () = {
            #state
            #positions
            #implementation
        };
    }
}

struct MonitorExpansion<'a> {
    monitor: &'a MonitorModel<'a>,
    events: Vec<NamedEvent>,
    /// The condition under which each observation has a handler at all.
    conditions: Vec<Condition>,
    positions: Positions,
    states: Ident,
    state_names: Vec<&'a Ident>,
}

impl<'a> MonitorExpansion<'a> {
    fn new(monitor: &'a MonitorModel<'a>) -> Self {
        let events = monitor.events.named(&monitor.block.self_ty);
        let conditions: Vec<Condition> = (0..monitor.observations.len())
            .map(|observation| {
                let handlers = monitor.handlers_of(observation);
                let conditions = handlers.map(|handler| &handler.function.condition);
                Condition::any(conditions).unwrap_or_default()
            })
            .collect();
        let entries: Vec<(Ident, &Condition)> = monitor
            .observations
            .iter()
            .map(|(event, moment)| {
                format_ident!("{}{}", types::ident(moment), events[*event].variant)
            })
            .zip(&conditions)
            .collect();
        Self {
            monitor,
            positions: Positions::of(&entries),
            conditions,
            events,
            states: states::enum_name(&monitor.block.name),
            state_names: monitor
                .states
                .iter()
                .map(|declared| &declared.state.name)
                .collect(),
        }
    }

    fn monitor(&self) -> TokenStream {
        let MonitorModel { block, krate, .. } = self.monitor;
        let (generics, _, bounds) = block.generics.split_for_impl();
        let self_ty = &block.self_ty;
        let (state, first) = self.first_state();
        let info = self.info();
        let observe = self.observe();
        let (offer, debug) = (offer(krate), debug(krate));
        quote! {
            #[automatically_derived]
            impl #generics #krate::specification::Monitor for #self_ty #bounds {
                type State = #state;
                const INFO: &'static #krate::generated::MonitorInfo = #info;
                fn first_state() -> Self::State {
                    #first
                }
                #observe
                #offer
                #debug
            }
        }
    }

    fn first_state(&self) -> (TokenStream, TokenStream) {
        let Self {
            states,
            state_names,
            ..
        } = self;
        if state_names.is_empty() {
            let krate = self.monitor.krate;
            return (
                quote!(#krate::generated::Stateless),
                quote!(#krate::generated::Stateless),
            );
        }
        let first = state_names[self.monitor.first_state()];
        (quote!(#states), quote!(#states::#first))
    }

    fn info(&self) -> TokenStream {
        let MonitorModel { block, krate, .. } = self.monitor;
        let name = block.name.to_string();
        let states = self.monitor.states.iter().map(|declared| {
            let name = declared.state.name.to_string();
            let temperature = types::ident(declared.temperature);
            quote!((#name, #krate::specification::Temperature::#temperature))
        });
        // Without states the monitor only asserts: no obligation is ever pending.
        let watching = self
            .state_names
            .is_empty()
            .then(|| quote!(("Watching", #krate::specification::Temperature::Cold)));
        let observes = self.monitor.observations.iter().zip(&self.conditions);
        let observes = observes.map(|((event, moment), condition)| {
            let event = self.events[*event].info(krate);
            let moment = types::ident(moment);
            quote! {
                #condition
                #krate::generated::Observation { event: #event, moment: #krate::generated::Moment::#moment }
            }
        });
        let passes_over = self.passes_over();
        quote! {
            &#krate::generated::MonitorInfo {
                name: #name,
                states: &[#(#states,)* #watching],
                observes: &[#(#observes),*],
                passes_over: &[#(#passes_over),*],
            }
        }
    }

    /// Returns the pairs of a state and an observation for which there is no handler.
    fn passes_over(&self) -> impl Iterator<Item = TokenStream> {
        let states = || 0..self.state_names.len();
        let pairs = (0..self.conditions.len())
            .flat_map(move |observation| states().map(move |state| (state, observation)));
        let is_passed_over = |(state, observation): &(usize, usize)| {
            let mut handlers = self.monitor.handlers_of(*observation);
            !handlers.any(|handler| {
                let states = handler.states.as_ref();
                states.is_none_or(|states| states.contains(state))
            })
        };
        pairs.filter(is_passed_over).map(|(state, observation)| {
            let condition = &self.conditions[observation];
            let state = Literal::usize_unsuffixed(state);
            let position = &self.positions.values[observation];
            quote!(#condition (#state, #position))
        })
    }

    fn observe(&self) -> TokenStream {
        let krate = self.monitor.krate;
        let arms: Vec<TokenStream> = (0..self.conditions.len())
            .filter_map(|observation| self.arm(observation))
            .collect();
        let body = quote! {
            match __observation {
                #(#arms)*
                _ => {}
            }
        };
        let (observation, event, cx, body) = if arms.is_empty() {
            (quote!(_), quote!(_), quote!(_), None)
        } else {
            (
                quote!(__observation),
                quote!(__event),
                quote!(__cx),
                Some(body),
            )
        };
        quote! {
            fn __observe(
                &mut self,
                #observation: u16,
                #event: &dyn ::core::any::Any,
                #cx: &mut #krate::specification::MonitorContext<Self>,
            ) {
                #body
            }
        }
    }

    fn arm(&self, observation: usize) -> Option<TokenStream> {
        let sound: Vec<&MonitorHandler<'_>> = self
            .monitor
            .handlers_of(observation)
            .filter(|handler| handler.sound)
            .collect();
        let cases: Vec<Case<'_>> = sound
            .iter()
            .map(|handler| Case {
                states: handler.states.as_deref(),
                condition: &handler.function.condition,
                run: self.invoke(handler),
            })
            .collect();
        let condition = &self.conditions[observation];
        let pattern = self.positions.pattern(observation);
        let run = dispatch::by_state(&cases, &self.states, &self.state_names);
        (!cases.is_empty()).then(|| quote!(#condition #pattern => #run))
    }

    /// Generates the call of the user's function, with the span of its name for errors of rustc.
    fn invoke(&self, handler: &MonitorHandler<'_>) -> TokenStream {
        let krate = self.monitor.krate;
        let name = &handler.function.signature.ident;
        let cx = handler.takes_cx.then(|| quote!(, __cx));
        let span = Span::call_site().located_at(name.span());
        let event = quote!(#krate::__private::observed(__event));
        let event = types::located_at(types::place(handler.written), event);
        quote_spanned!(span=> Self::#name(self, #event #cx);)
    }
}
