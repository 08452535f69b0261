//! Liveness: temperatures, lassos, fair cycles, and confirmed verdicts.

mod confirmation;
mod fair_cycles;
mod lasso;
mod temperature;
