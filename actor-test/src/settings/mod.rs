//! What was asked for, from flags, variables, attributes, the manifest and defaults.
//!
//! Each place gives [`overrides`]; resolved, they are the [`Settings`] that hold for one test. They
//! go down to the engine ([`Bounds`], [`Semantics`]) and up into reports; a [`token`] is the
//! short form of what it takes to ask for one execution. Reading variables and files is `hosting`'s
//! part, flags are the tool's.

mod bounds;
mod deny;
mod effective;
#[allow(missing_docs, reason = "for the tool alone: a name may say enough")]
pub mod overrides;
pub(crate) mod partition;
mod search;
mod semantics;
pub(crate) mod token;

pub use bounds::Bounds;
pub use deny::Deny;
pub use effective::Settings;
pub use partition::Partition;
pub use search::Search;
pub use semantics::{Delivery, Semantics};
