//! Settings from the attribute of a test.

use crate::data::faults::FaultKind;

/// The options of `#[actor_test(…)]`; `None` where not given.
#[derive(Clone, Copy, Debug)]
pub struct Attributes {
    /// `iterations = N`
    pub iterations: Option<u64>,
    /// `max_steps = N` or `"N:M"`
    pub max_steps: Option<(u64, Option<u64>)>,
    /// `temperature = T`
    pub temperature: Option<u64>,
    /// `seed = S`
    pub seed: Option<u64>,
    /// `strategy = "NAME:VALUE"`, once or more
    pub strategies: &'static [&'static str],
    /// `minimize = STEPS`
    pub minimize: Option<u64>,
    /// `expect_bug = "text"`
    pub expect_bug: Option<&'static str>,
    /// `deny = "vacuous"`
    pub deny: Option<&'static str>,
    /// `faults(call = 2, ..)`; empty if not given
    pub faults: &'static [(FaultKind, u16)],
    /// `delivery = bag`
    pub delivery: Option<&'static str>,
    /// `clocks(offset = "20ms", ..)`, as `--clocks` takes them
    pub clocks: Option<&'static str>,
    /// `timers = patient`
    pub patient_timers: bool,
    /// `atomic_handlers`
    pub atomic_handlers: bool,
    /// `supervised`
    pub supervised: bool,
    /// `clock_error_ms = N`
    pub clock_error_ms: Option<u64>,
}
