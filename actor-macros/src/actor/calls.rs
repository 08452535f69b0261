//! Code generation of `Actor::__call` and `Actor::__call_async`, which run handlers and hooks.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ReturnType, Type};

use super::expand::ActorExpansion;
use super::model::{ActorHandler, HandlerStates, Hook, HookKind};
use crate::block::Function;
use crate::dispatch::{self, Case};
use crate::events::NamedEvent;
use crate::signature;

/// Generates `__call`, which runs sync code, and returns async code to be run.
pub(super) fn call(expansion: &ActorExpansion<'_>) -> TokenStream {
    let krate = expansion.actor.krate;
    let events = (0..expansion.events.len()).filter_map(|event| event_arm(expansion, event));
    let hooks = expansion
        .actor
        .hooks
        .iter()
        .filter_map(|hook| hook_arm(expansion, hook));
    let (parameters, body) = parameters_and_body(expansion, events.chain(hooks).collect());
    quote! {
        fn __call(#parameters) -> #krate::generated::Flow<Self> {
            #body
            #krate::generated::Flow::Done
        }
    }
}

/// Generates `__call_async`, which runs async code, if there is any.
pub(super) fn call_async(expansion: &ActorExpansion<'_>) -> Option<TokenStream> {
    let krate = expansion.actor.krate;
    let events = (0..expansion.events.len()).filter_map(|event| async_event_arm(expansion, event));
    let hooks = expansion
        .actor
        .hooks
        .iter()
        .filter(|hook| is_async(hook.function));
    let hooks = hooks.map(|hook| run_hook(expansion, hook));
    let arms: Vec<TokenStream> = events.chain(hooks).collect();
    if arms.is_empty() {
        return None;
    }
    let (parameters, body) = parameters_and_body(expansion, arms);
    // The span of an async function, at which rustc reports a future that is not `Send`.
    let function = expansion
        .actor
        .block
        .functions
        .iter()
        .find(|function| !function.roles.is_empty() && is_async(function))?;
    let span = Span::call_site().located_at(function.signature.ident.span());
    let future = quote_spanned!(span=> async fn __call_async(#parameters) { #body });
    Some(quote! {
        #future
        fn __driver() -> ::core::option::Option<#krate::__private::Driver> {
            #krate::__private::driver::<Self>()
        }
    })
}

fn parameters_and_body(
    expansion: &ActorExpansion<'_>,
    arms: Vec<TokenStream>,
) -> (TokenStream, Option<TokenStream>) {
    let krate = expansion.actor.krate;
    if arms.is_empty() {
        let parameters =
            quote!(&mut self, _: #krate::generated::Call<Self>, _: &mut #krate::Context<Self>);
        return (parameters, None);
    }
    let parameters = quote! {
        &mut self,
        __call: #krate::generated::Call<Self>,
        __cx: &mut #krate::Context<Self>,
    };
    let body = quote! {
        match __call {
            #(#arms)*
            _ => {}
        }
    };
    (parameters, Some(body))
}

fn event_arm(expansion: &ActorExpansion<'_>, event: usize) -> Option<TokenStream> {
    let krate = expansion.actor.krate;
    let NamedEvent {
        variant, condition, ..
    } = &expansion.events[event];
    let handlers: Vec<_> = sound_handlers(expansion, event).collect();
    if handlers.is_empty() {
        return None;
    }
    if handlers.iter().all(|handler| is_async(handler.function)) {
        return Some(quote! {
            #condition
            __call @ #krate::generated::Call::Event(__Message::#variant(..)) => {
                return #krate::generated::Flow::Async(__call);
            }
        });
    }
    let back = quote! {
        return #krate::generated::Flow::Async(#krate::generated::Call::Event(__Message::#variant(__event, __reply)));
    };
    let run = by_state(expansion, &handlers, |handler| {
        if is_async(handler.function) {
            back.clone()
        } else {
            run(expansion, handler)
        }
    });
    Some(quote! {
        #condition
        #krate::generated::Call::Event(__Message::#variant(__event, __reply)) => #run
    })
}

fn async_event_arm(expansion: &ActorExpansion<'_>, event: usize) -> Option<TokenStream> {
    let krate = expansion.actor.krate;
    let NamedEvent {
        variant, condition, ..
    } = &expansion.events[event];
    let handlers: Vec<_> = sound_handlers(expansion, event)
        .filter(|handler| is_async(handler.function))
        .collect();
    if handlers.is_empty() {
        return None;
    }
    let run = by_state(expansion, &handlers, |handler| run(expansion, handler));
    Some(quote! {
        #condition
        #krate::generated::Call::Event(__Message::#variant(__event, __reply)) => #run
    })
}

fn sound_handlers<'a>(
    expansion: &ActorExpansion<'a>,
    event: usize,
) -> impl Iterator<Item = &'a ActorHandler<'a>> {
    expansion
        .actor
        .handlers_of(event)
        .filter(|handler| handler.sound)
}

fn by_state(
    expansion: &ActorExpansion<'_>,
    handlers: &[&ActorHandler<'_>],
    run: impl Fn(&ActorHandler<'_>) -> TokenStream,
) -> TokenStream {
    let cases: Vec<Case<'_>> = handlers
        .iter()
        .map(|handler| Case {
            states: match &handler.when {
                HandlerStates::Otherwise => None,
                HandlerStates::In(states) => Some(states),
            },
            condition: &handler.function.condition,
            run: run(handler),
        })
        .collect();
    dispatch::by_state(&cases, &expansion.states, &expansion.state_names)
}

fn run(expansion: &ActorExpansion<'_>, handler: &ActorHandler<'_>) -> TokenStream {
    let krate = expansion.actor.krate;
    let event = quote!(__event,);
    if handler.takes_reply {
        let call = invoke(
            handler.function,
            quote!(#event __reply.hand_over(),),
            handler.takes_cx,
        );
        return quote!(#call;);
    }
    let call = invoke(handler.function, event, handler.takes_cx);
    if handler.reply.is_none() {
        let allow = never_returns(handler.function).then(|| quote!(#[allow(unreachable_code)]));
        return quote! {
            #call;
            #allow
            __reply.send(());
        };
    }
    let name = &expansion.events[handler.event].name;
    quote! {
        let __value = #call;
        let __failure = (&#krate::__private::AutorefReply(&__value)).failure(__reply.is_nobody());
        #krate::__private::reply(__cx, #name, __reply, __value, __failure);
    }
}

fn hook_arm(expansion: &ActorExpansion<'_>, hook: &Hook<'_>) -> Option<TokenStream> {
    if !is_async(hook.function) {
        return Some(run_hook(expansion, hook));
    }
    let krate = expansion.actor.krate;
    let condition = &hook.function.condition;
    let part = part(expansion, hook)?;
    Some(quote!(#condition __call @ #part => return #krate::generated::Flow::Async(__call),))
}

fn run_hook(expansion: &ActorExpansion<'_>, hook: &Hook<'_>) -> TokenStream {
    let condition = &hook.function.condition;
    let krate = expansion.actor.krate;
    let mut call = invoke(hook.function, TokenStream::new(), hook.takes_cx);
    if let Some(output) = signature::output(&hook.function.signature) {
        let started = quote_spanned!(output.span()=> #krate::__private::started::<Self, _>);
        call = quote!(#started(#call));
    }
    part(expansion, hook).map_or_else(TokenStream::new, |part| quote!(#condition #part => #call,))
}

/// Returns the pattern of the call that runs the hook; `None` if its states are unknown.
fn part(expansion: &ActorExpansion<'_>, hook: &Hook<'_>) -> Option<TokenStream> {
    let krate = expansion.actor.krate;
    let states = hook.states.iter().map(|state| {
        let (states, name) = (&expansion.states, expansion.state_names[*state]);
        quote!(#states::#name)
    });
    match hook.part {
        HookKind::Start => Some(quote!(#krate::generated::Call::Start)),
        HookKind::Stop => Some(quote!(#krate::generated::Call::Stop)),
        _ if hook.states.is_empty() => None,
        HookKind::Entry => Some(quote!(#krate::generated::Call::Entry(#(#states)|*))),
        HookKind::Exit => Some(quote!(#krate::generated::Call::Exit(#(#states)|*))),
    }
}

/// Generates the call of the user's function, with the span of its name for errors of rustc.
fn invoke(function: &Function, arguments: TokenStream, takes_cx: bool) -> TokenStream {
    let name = &function.signature.ident;
    let span = Span::call_site().located_at(name.span());
    let cx = takes_cx.then(|| {
        let last = function.signature.inputs.last();
        let place = last.map_or(span, |last| span.located_at(last.span()));
        quote_spanned!(place=> __cx)
    });
    let call = quote_spanned!(span=> Self::#name(self, #arguments #cx));
    if is_async(function) {
        quote_spanned!(span=> #call.await)
    } else {
        call.into_token_stream()
    }
}

fn never_returns(function: &Function) -> bool {
    matches!(&function.signature.output, ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_)))
}

fn is_async(function: &Function) -> bool {
    function.signature.asyncness.is_some()
}
