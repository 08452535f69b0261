//! What must hold, and whether it does: specifications, temperatures, verdicts.

pub(crate) mod cycle;
pub(crate) mod finish;
pub(crate) mod landmarks;
pub(crate) mod leftovers;
pub(crate) mod observations;
pub(crate) mod observers;
pub(crate) mod specifications;
pub(crate) mod tally;
pub(crate) mod thermometer;
pub(crate) mod verdict;
