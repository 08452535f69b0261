//! Code generation of an actor. All mistakes of the user were reported before.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{GenericParam, Ident};

use super::calls;
use super::docs;
use super::model::{ActorModel, Hook, HookKind};
use crate::condition::Condition;
use crate::events::{NamedEvent, Positions};
use crate::fingerprint_methods::{debug, offer};
use crate::states::{self, StateVariant};
use crate::types;

/// Generates the state enum, and everything else in an anonymous constant.
pub(crate) fn expand(actor: &ActorModel<'_>) -> TokenStream {
    let expansion = ActorExpansion::new(actor);
    let condition = &actor.block.condition;
    let declaration = expansion.state_declaration();
    let state =
        (!actor.states.is_empty()).then(|| states::implementation(&actor.block.name, actor.krate));
    let positions = &expansion.positions.declaration;
    let imports = expansion.imports();
    let message = expansion.message();
    let implementation = expansion.actor();
    let allowances = actor.block.allowances();
    let crossings = expansion.crossings();
    let threads = expansion.threads();
    let handlers = (0..expansion.events.len()).map(|event| expansion.handler(event));
    quote! {
        #declaration
        #condition
        #allowances
        const _: () = {
            #imports
            #state
            #positions
            #message
            #implementation
            #(#handlers)*
            #crossings
            #threads
        };
    }
}

pub(super) struct ActorExpansion<'a> {
    pub(super) actor: &'a ActorModel<'a>,
    pub(super) events: Vec<NamedEvent>,
    replies: Vec<TokenStream>,
    positions: Positions,
    pub(super) states: Ident,
    pub(super) state_names: Vec<&'a Ident>,
    /// True if the message has an uninhabited variant: for unused parameters, or as its only variant.
    hidden_variant: bool,
}

impl<'a> ActorExpansion<'a> {
    fn new(actor: &'a ActorModel<'a>) -> Self {
        let self_ty = &actor.block.self_ty;
        let events = actor.events.named(self_ty);
        let entries: Vec<(Ident, &Condition)> = events
            .iter()
            .map(|event| (event.variant.clone(), &event.condition))
            .collect();
        let positions = Positions::of(&entries);
        let replies: Vec<TokenStream> = (0..events.len())
            .map(|event| {
                let reply = actor
                    .handlers_of(event)
                    .next()
                    .and_then(|handler| handler.reply);
                reply.map_or_else(|| quote!(()), |ty| types::without_self(ty, self_ty))
            })
            .collect();
        let mut expansion = Self {
            actor,
            events,
            replies,
            positions,
            states: states::enum_name(&actor.block.name),
            state_names: actor
                .states
                .iter()
                .map(|declared| &declared.state.name)
                .collect(),
            hidden_variant: false,
        };
        expansion.hidden_variant = expansion.needs_hidden_variant();
        expansion
    }

    fn needs_hidden_variant(&self) -> bool {
        let certain = || {
            self.events
                .iter()
                .zip(&self.replies)
                .filter(|(event, _)| event.condition.always())
        };
        let mut mentioned = TokenStream::new();
        mentioned.extend(certain().flat_map(|(event, reply)| [event.ty.clone(), reply.clone()]));
        let mut params = self.actor.block.generics.params.iter();
        certain().next().is_none()
            || params.any(|param| match param {
                GenericParam::Type(param) => types::find(&mentioned, &param.ident).is_none(),
                GenericParam::Lifetime(_) => true,
                GenericParam::Const(_) => false,
            })
    }

    fn state_declaration(&self) -> Option<TokenStream> {
        let ActorModel {
            block,
            visibility,
            states,
            ..
        } = self.actor;
        let states: Vec<&StateVariant> = states.iter().map(|declared| &declared.state).collect();
        (!states.is_empty()).then(|| states::declaration(block, visibility, &states, 0))
    }

    /// Generates a check by rustc that remote events can be encoded.
    fn crossings(&self) -> Option<TokenStream> {
        let remote = self.actor.remote_events()?;
        let ActorModel { block, krate, .. } = self.actor;
        let (generics, _, bounds) = block.generics.split_for_impl();
        let checks = remote.into_iter().map(|index| {
            let NamedEvent {
                ty,
                condition,
                span,
                ..
            } = &self.events[index];
            let reply = &self.replies[index];
            quote_spanned! {*span=>
                #condition
                __crosses::<#ty>();
                #condition
                __crosses::<#reply>();
            }
        });
        Some(quote! {
            #[allow(dead_code)]
            fn __all_cross #generics () #bounds {
                fn __crosses<__T: #krate::__private::Crosses>() {}
                #(#checks)*
            }
        })
    }

    /// Generates a check by rustc that the actor is `Send`, once and at its name. All other code assumes it
    /// ([`Self::sent`]), or there would be an error for each handler.
    fn threads(&self) -> Option<TokenStream> {
        let ActorModel { block, krate, .. } = self.actor;
        let (name, span) = (&block.self_ty, types::place(&block.self_ty));
        let span = Span::call_site().located_at(span);
        self.sent().map(|_| {
            quote_spanned! {span=>
                const _: fn() = #krate::__private::runs_on_any_thread::<#name>;
            }
        })
    }

    /// Returns the bound that the actor is `Send`. The lifetime keeps rustc from checking the bound. `None`
    /// for a generic actor, whose own bounds include it.
    fn sent(&self) -> Option<TokenStream> {
        let ActorModel { block, .. } = self.actor;
        let generics = &block.generics;
        let self_ty = &block.self_ty;
        (generics.params.is_empty() && generics.where_clause.is_none())
            .then(|| quote!(where for<'__any> #self_ty: ::core::marker::Send))
    }

    /// Returns the imports of the methods that detect an `Err` in a reply.
    fn imports(&self) -> Option<TokenStream> {
        let krate = self.actor.krate;
        let replies = self
            .actor
            .handlers
            .iter()
            .any(|handler| handler.reply.is_some());
        replies.then(|| {
            quote! {
                #[allow(unused_imports)]
                use #krate::__private::{IsOther as _, IsResult as _};
            }
        })
    }

    fn message(&self) -> TokenStream {
        let ActorModel { block, krate, .. } = self.actor;
        let (generics, _, bounds) = block.generics.split_for_impl();
        let variants = self.events.iter().zip(&self.replies).map(|(event, reply)| {
            let NamedEvent {
                ty,
                variant,
                condition,
                ..
            } = event;
            quote!(#condition #variant(#ty, #krate::Reply<#reply>))
        });
        let self_ty = &block.self_ty;
        let hidden = self.hidden_variant.then(|| {
            quote! {
                __Never(
                    ::core::convert::Infallible,
                    ::core::marker::PhantomData<fn() -> #self_ty>,
                ),
            }
        });
        quote! {
            #[doc(hidden)]
            #[allow(dead_code, private_interfaces)]
            pub enum __Message #generics #bounds {
                #(#variants,)*
                #hidden
            }
        }
    }

    fn actor(&self) -> TokenStream {
        let ActorModel { block, krate, .. } = self.actor;
        let (generics, _, bounds) = block.generics.split_for_impl();
        let self_ty = &block.self_ty;
        let (state, first) = self.first_state();
        let info = self.info();
        let event_index = self.event_index();
        let event = self.event();
        let offer = offer(krate);
        let debug = debug(krate);
        let offer_event = self.offer_event();
        let carry = self.carry();
        let message = self.message_type();
        let call = calls::call(self);
        let call_async = calls::call_async(self);
        let sent = self.sent();
        quote! {
            #[automatically_derived]
            #[doc(hidden)]
            impl #generics #krate::Actor for #self_ty #bounds #sent {
                type Message = #message;
                type State = #state;
                const INFO: &'static #krate::generated::ActorInfo = #info;
                fn first_state() -> Self::State {
                    #first
                }
                #event_index
                #event
                #offer
                #debug
                #offer_event
                #carry
                #call
                #call_async
            }
        }
    }

    /// Returns the type of the message, with the span of an only event, or else of the actor's name: there
    /// rustc reports types that are not `Send`.
    fn message_type(&self) -> TokenStream {
        let (_, parameters, _) = self.actor.block.generics.split_for_impl();
        let span = match self.events.as_slice() {
            [event] => event.span,
            _ => Span::call_site().located_at(types::place(&self.actor.block.self_ty)),
        };
        types::located_at(span, quote!(__Message #parameters))
    }

    fn first_state(&self) -> (TokenStream, TokenStream) {
        let Self {
            states,
            state_names,
            ..
        } = self;
        if let [first, ..] = state_names.as_slice() {
            (quote!(#states), quote!(#states::#first))
        } else {
            let krate = self.actor.krate;
            (
                quote!(#krate::generated::Stateless),
                quote!(#krate::generated::Stateless),
            )
        }
    }

    fn info(&self) -> TokenStream {
        let ActorModel { block, krate, .. } = self.actor;
        let name = block.name.to_string();
        let events = self.events.iter().map(|event| {
            let condition = &event.condition;
            let info = event.info(krate);
            quote!(#condition #info)
        });
        let states = self.state_names.iter().map(|state| state.to_string());
        let dispositions = self.dispositions();
        let starts = self.starts();
        let defers = self.defers();
        quote! {
            &#krate::generated::ActorInfo {
                name: #name,
                events: &[#(#events),*],
                states: &[#(#states),*],
                dispositions: #dispositions,
                starts: #starts,
                defers: #defers,
                relays: false,
            }
        }
    }

    fn dispositions(&self) -> TokenStream {
        let krate = self.actor.krate;
        if self.events.is_empty() {
            return quote!(&[]);
        }
        let states = 0..self.state_names.len().max(1);
        let cells = states.flat_map(|state| {
            (0..self.events.len()).map(move |event| self.actor.disposition(state, event))
        });
        let entries = cells.zip(self.events.iter().cycle()).map(|(cell, event)| {
            let otherwise = types::ident(cell.otherwise);
            let exists = &event.condition;
            match &cell.handled {
                None => quote!(#exists #otherwise),
                Some(handled) if handled.covers(exists) => quote!(#exists Handle),
                Some(handled) => {
                    let (with, without) = (exists.and(handled), exists.and(&handled.not()));
                    quote!(#with Handle, #without #otherwise)
                }
            }
        });
        quote! {
            {
                #[allow(unused_imports)]
                use #krate::generated::Disposition::{Defer, Handle, Ignore, Unhandled};
                &[#(#entries),*]
            }
        }
    }

    /// Generates the `starts` flag: true if there is a start hook, or an entry hook of the first state.
    fn starts(&self) -> TokenStream {
        let first = |hook: &&Hook<'_>| match hook.part {
            HookKind::Start => true,
            HookKind::Entry => hook.states.contains(&0),
            _ => false,
        };
        let hooks = self.actor.hooks.iter().filter(first);
        Condition::any(hooks.map(|hook| &hook.function.condition))
            .map_or_else(|| quote!(false), |condition| condition.value())
    }

    fn defers(&self) -> bool {
        let states = 0..self.state_names.len().max(1);
        states.into_iter().any(|state| {
            (0..self.events.len()).any(|event| self.actor.disposition(state, event).may_defer())
        })
    }

    fn event_index(&self) -> TokenStream {
        let arms = self
            .events
            .iter()
            .zip(&self.positions.values)
            .map(|(event, position)| {
                let NamedEvent {
                    variant, condition, ..
                } = event;
                quote!(#condition __Message::#variant(..) => #position,)
            });
        let never = self.never();
        quote! {
            fn __event_index(__message: &Self::Message) -> u16 {
                match __message {
                    #(#arms)*
                    #never
                }
            }
        }
    }

    fn event(&self) -> TokenStream {
        let krate = self.actor.krate;
        let seen = self.of_each(
            |event| quote_spanned!(event.span=> (&#krate::__private::AutorefEvent(__event)).event()),
        );
        quote! {
            #[allow(unused_variables)]
            fn __event(__message: &Self::Message) -> &dyn #krate::Event {
                #[allow(unused_imports)]
                use #krate::__private::{IsEvent as _, IsNone as _};
                #seen
            }
        }
    }

    fn offer_event(&self) -> TokenStream {
        let krate = self.actor.krate;
        let fed = self.of_each(
            |_| quote!((&&&#krate::__private::AutorefValue(__event)).feed(__reply.fingerprint(__to))),
        );
        quote! {
            #[allow(unused_variables)]
            fn __offer_event(
                __message: &Self::Message,
                __to: &mut #krate::Fingerprinter,
            ) -> ::core::primitive::bool {
                #[allow(unused_imports)]
                use #krate::__private::value_methods::*;
                #fed
            }
        }
    }

    /// Generates the encoding of a message for another node.
    fn carry(&self) -> TokenStream {
        let krate = self.actor.krate;
        let carried = self.of_each(|NamedEvent { variant, .. }| {
            quote! {
                ::core::result::Result::Ok(__Message::#variant(
                    (&&#krate::__private::ToCarry(__event)).carry()?,
                    (&#krate::__private::ToCarry(__reply)).carry_reply()?,
                ))
            }
        });
        quote! {
            fn __carry(
                __message: &Self::Message,
            ) -> ::core::result::Result<Self::Message, #krate::__private::CannotCross> {
                #[allow(unused_imports)]
                use #krate::__private::of_a_message::*;
                #carried
            }
        }
    }

    /// Generates a match on the message, with an arm for each event and its reply.
    fn of_each(&self, arm: impl Fn(&NamedEvent) -> TokenStream) -> TokenStream {
        let arms = self.events.iter().map(|event| {
            let NamedEvent {
                variant, condition, ..
            } = event;
            let arm = arm(event);
            quote!(#condition __Message::#variant(__event, __reply) => #arm,)
        });
        let never = self.never();
        quote! {
            match __message {
                #(#arms)*
                #never
            }
        }
    }

    fn never(&self) -> Option<TokenStream> {
        self.hidden_variant
            .then(|| quote!(__Message::__Never(__never, _) => match *__never {},))
    }

    /// Generates the `Handler` implementation of an event: its conversion to a message and back.
    fn handler(&self, event: usize) -> TokenStream {
        let ActorModel { block, krate, .. } = self.actor;
        let (generics, parameters, bounds) = block.generics.split_for_impl();
        let self_ty = &block.self_ty;
        let NamedEvent {
            ty,
            variant,
            condition,
            span,
            ..
        } = &self.events[event];
        let reply = &self.replies[event];
        let position = &self.positions.values[event];
        let message = quote!(__Message #parameters);
        // A `cfg` may leave no other variant.
        let conditional = self.events.iter().any(|event| !event.condition.always());
        let allow = conditional.then(|| quote!(#[allow(unreachable_patterns)]));
        let other = (self.events.len() > 1)
            .then(|| quote!(#allow __other => ::core::result::Result::Err(__other),));
        // The span of the event, at which rustc reports a type that is no event, or is written in two ways.
        let head = types::located_at(*span, quote!(#krate::Handler<#ty> for #self_ty));
        let docs = docs::of_event(self.actor, event);
        // The bound is hidden on the actor's rustdoc page. A `cfg(doc)` would do this as well, but an editor
        // would show the event as inactive code.
        let sent = self.sent().filter(|_| !is_rustdoc());
        quote_spanned! {*span=>
            #condition
            #docs
            #[automatically_derived]
            impl #generics #head #bounds #sent {
                type Reply = #reply;
                const EVENT: u16 = #position;
                fn __message(__event: #ty, __reply: #krate::Reply<#reply>) -> #message {
                    __Message::#variant(__event, __reply)
                }
                fn __unwrap(
                    __message: #message,
                ) -> ::core::result::Result<(#ty, #krate::Reply<#reply>), #message> {
                    match __message {
                        __Message::#variant(__event, __reply) => {
                            ::core::result::Result::Ok((__event, __reply))
                        }
                        #other
                    }
                }
            }
        }
    }
}

/// True if rustdoc runs this macro; recognised by the name of the executable.
fn is_rustdoc() -> bool {
    let program = std::env::args_os().next();
    program.is_some_and(|program| {
        std::path::Path::new(&program).file_stem() == Some("rustdoc".as_ref())
    })
}
