//! Strategies within one execution, their contract, and the schedules that they pin.

mod determinism;
mod every_strategy;
mod pinned;
mod portfolio;
mod prompt_delivery;
mod samplers;
mod strategy_seam;
