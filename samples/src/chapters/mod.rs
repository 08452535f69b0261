//! The programs in the chapters of the book, each complete, to be typed into `src/lib.rs`.

pub mod account;
pub mod cache;
pub mod documents;
pub mod lottery;
pub mod payments;
pub mod prices;
#[cfg(test)]
mod printed;
pub mod seats;
pub mod session;
pub mod shelf;
pub mod stock;
pub mod transfer;
#[expect(
    clippy::iter_over_hash_type,
    reason = "it is the mistake that the chapter is about"
)]
pub mod treasure;
pub mod weather;
