//! The macros of `actor-core`.
