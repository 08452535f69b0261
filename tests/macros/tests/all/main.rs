//! The macros of `actor-core`: what they write, and what they refuse.
#![allow(missing_docs)]

mod actor_test;
mod cases;
mod helpers;
mod tables;
