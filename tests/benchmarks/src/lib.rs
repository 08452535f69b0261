//! The programs of the benchmarks: as actors, as a plain loop, and under shuttle.

pub mod peer;
pub mod peer_heisenbugs;
pub mod ping_pong;
pub mod plain;
pub mod planted;
