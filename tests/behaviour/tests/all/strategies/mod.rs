//! Strategies within one execution, their contract, and the schedules that they pin.

mod determinism;
mod every_strategy;
mod pinned;
mod portfolio;
mod samplers;
mod strategy_seam;
