//! Settings of a test: the values that the methods of [`Tester`](crate::Tester) take.
//!
//! They are resolved from flags, variables, attributes, the manifest and defaults.

// Each of these sources gives `overrides`, which resolve to the `Settings` of one test. The engine receives
// parts of them (`Bounds`, `Semantics`), and reports contain them. A `token` is a short form that identifies
// one execution. `hosting` reads variables and files; the tool reads flags.

pub(crate) mod attributes;
mod bounds;
mod deny;
#[allow(missing_docs, reason = "the methods of `Tester` document the fields")]
mod effective;
#[doc(hidden)]
#[allow(missing_docs, reason = "for the tool alone: a name may say enough")]
pub mod overrides;
pub(crate) mod partition;
mod search;
mod semantics;
pub(crate) mod strategy;
pub(crate) mod token;
pub(crate) mod turn;

pub use bounds::Bounds;
pub use deny::Deny;
pub use partition::{Partition, PartitionError};
pub use search::Search;
pub use semantics::{Delivery, Semantics};
pub use token::TokenError;

#[doc(hidden)]
pub use effective::Settings;
