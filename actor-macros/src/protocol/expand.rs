//! Code generation of a protocol. All mistakes of the user were reported before.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{ItemTrait, TraitItem, Type, parse_quote};

use super::model::{ProtocolEvent, ProtocolModel};
use crate::types;

/// Generates the type of the reference, and the implementations in an anonymous constant.
pub(crate) fn expand(protocol: &ProtocolModel<'_>) -> TokenStream {
    let ProtocolModel {
        name,
        visibility,
        condition,
        krate,
        events,
        ..
    } = protocol;
    let handle = format_ident!("{name}Ref");
    let doc = format!("Any actor that offers [`{name}`].");
    let fields = events.iter().map(|event| {
        let ProtocolEvent { function, ty, .. } = event;
        let reply = event.reply();
        quote!(#function: #krate::__private::EventSender<#ty, #reply>)
    });
    let (tables, memberships) = (implementations(protocol), memberships(protocol));
    quote! {
        #condition
        #[doc = #doc]
        #visibility type #handle = #krate::protocols::ProtocolRef<dyn #name>;
        #condition
        #[allow(deprecated)]
        const _: () = {
            pub struct __Table { #(#fields,)* }
            #tables
            #memberships
        };
    }
}

/// Generates the implementations of `Protocol` and `OfferedBy`.
fn implementations(protocol: &ProtocolModel<'_>) -> TokenStream {
    let ProtocolModel {
        name,
        krate,
        events,
        ..
    } = protocol;
    let text = name.unraw().to_string();
    let types: Vec<&Type> = events.iter().map(|event| event.ty).collect();
    let names = types::names(&types).into_iter().map(|(name, _)| name);
    let bounds = events.iter().map(|event| {
        let (ty, reply) = (event.ty, event.reply());
        quote!(#krate::Handler<#ty, Reply = #reply>)
    });
    let entries = events.iter().map(|event| {
        let function = event.function;
        quote!(#function: #krate::__private::EventSender::of::<__A>())
    });
    quote! {
        #[automatically_derived]
        impl #krate::protocols::Protocol for dyn #name + '_ {
            type Table = __Table;
            const NAME: &'static str = #text;
            const EVENTS: &'static [#krate::generated::EventInfo] = &[
                #(#krate::generated::EventInfo::of::<#types>(#names),)*
            ];
        }
        #[automatically_derived]
        impl<__A> #krate::protocols::OfferedBy<__A> for dyn #name + '_
        where
            __A: #krate::Actor #(+ #bounds)*,
        {
            const TABLE: &'static __Table = &__Table { #(#entries,)* };
        }
    }
}

/// Generates the implementation of `EventOf` for each event.
fn memberships(protocol: &ProtocolModel<'_>) -> TokenStream {
    let ProtocolModel {
        name,
        krate,
        events,
        ..
    } = protocol;
    let implementations = events.iter().enumerate().map(|(index, event)| {
        let ProtocolEvent { function, ty, .. } = event;
        let (reply, index) = (event.reply(), Literal::usize_unsuffixed(index));
        quote! {
            #[automatically_derived]
            impl #krate::protocols::EventOf<dyn #name + '_> for #ty {
                type Reply = #reply;
                const EVENT: u16 = #index;
                fn __entry(__table: &__Table) -> &#krate::__private::EventSender<#ty, #reply> {
                    &__table.#function
                }
            }
        }
    });
    quote!(#(#implementations)*)
}

impl ProtocolEvent<'_> {
    fn reply(&self) -> TokenStream {
        match self.reply {
            Some(reply) => quote!(#reply),
            None => quote!(()),
        }
    }
}

/// Makes the trait object-safe and suppresses warnings: the trait only names the protocol, as `dyn Name`, and
/// nobody implements it or calls its functions.
pub(crate) fn allow_objects(item: &mut ItemTrait) {
    item.attrs.push(parse_quote!(#[allow(dead_code)]));
    for part in &mut item.items {
        if let TraitItem::Fn(function) = part {
            let clause = function.sig.generics.make_where_clause();
            clause
                .predicates
                .push(parse_quote!(Self: ::core::marker::Sized));
        }
    }
}
