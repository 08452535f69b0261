//! The macros of `actor-core` and `actor-test`: [`macro@actor`], [`macro@monitor`],
//! [`macro@protocol`], [`macro@Fingerprint`] and [`macro@actor_test`].
//!
//! Users reach them through those crates, which document them: cargo builds apart what the tests of a macro crate
//! depend on, so examples here would take a second build of `actor-core`.
//!
//! All macros work in the same steps, one file a step: the arguments and the item are parsed, a model resolves
//! their names, checks inspect the whole, and the code generator writes code that could be written by hand.
//! Every mistake of one compilation is reported at its own token, and the user's item is emitted nevertheless,
//! so that one typo does not become twenty errors.
//!
//! Some checks are left to rustc, or to the tester. Types are compared as they are written, so that `Ping`
//! and `self::Ping` are two events here, and conflicting implementations to rustc.

#![forbid(unsafe_code)]

mod actor;
mod block;
mod condition;
mod dispatch;
mod errors;
mod events;
mod fingerprint;
mod fingerprint_methods;
mod monitor;
mod nearest;
mod options;
mod owned;
mod protocol;
mod roles;
mod select;
mod signature;
#[cfg(test)]
mod snapshots;
mod states;
mod test;
mod types;

use proc_macro::TokenStream;

/// The expansion of `actor_core::actor`, which documents the attribute.
#[proc_macro_attribute]
pub fn actor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    actor::expand(arguments.into(), item.into()).into()
}

/// The expansion of `actor_core::monitor`, which documents the attribute.
#[proc_macro_attribute]
pub fn monitor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    monitor::expand(arguments.into(), item.into()).into()
}

/// The expansion of `actor_core::protocol`, which documents the attribute.
#[proc_macro_attribute]
pub fn protocol(arguments: TokenStream, item: TokenStream) -> TokenStream {
    protocol::expand(arguments.into(), item.into()).into()
}

/// Derives the fingerprint with which the tester compares values: see the trait `actor_core::Fingerprint`.
///
/// Every field is fed by its own `Fingerprint`, or else by its `Hash`, except for those with
/// `#[fingerprint(skip)]`. On the type of an actor, `#[fingerprint(interchangeable)]` declares that the
/// actors of the type are interchangeable, and `#[fingerprint(crate = path)]` gives the path of `actor_core`,
/// if that is not `::actor_core`.
#[proc_macro_derive(Fingerprint, attributes(fingerprint))]
pub fn fingerprint(item: TokenStream) -> TokenStream {
    fingerprint::expand(item.into()).into()
}

/// The expansion of `actor_test::actor_test`, which documents the attribute.
#[proc_macro_attribute]
pub fn actor_test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(arguments.into(), item.into()).into()
}

/// The expansion of `actor_core::select!`; the first argument is the path of `actor_core`.
#[doc(hidden)]
#[proc_macro]
pub fn select(input: TokenStream) -> TokenStream {
    select::expand(input.into()).into()
}
