//! The macros of `actor-core` and `actor-test`: what they write, and what they refuse.

mod actor_test;
mod cases;
mod helpers;
mod tables;
