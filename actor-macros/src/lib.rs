//! The macros of `actor-core`.

#![forbid(unsafe_code)]

mod actor;
mod block;
mod condition;
mod dispatch;
mod errors;
mod events;
mod monitor;
mod nearest;
mod options;
mod roles;
mod signature;
#[cfg(test)]
mod snapshots;
mod states;
mod test;
mod types;

use proc_macro::TokenStream;

/// Being written.
#[proc_macro_attribute]
pub fn actor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    actor::expand(arguments.into(), item.into()).into()
}

/// Being written.
#[proc_macro_attribute]
pub fn monitor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    monitor::expand(arguments.into(), item.into()).into()
}

/// Being written.
#[proc_macro_attribute]
pub fn actor_test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(arguments.into(), item.into()).into()
}
