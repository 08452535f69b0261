//! Searches that prove: exact counts, reductions, states, bounds, and what they assume.

mod bounded;
mod checkpoints;
mod counts;
mod differential;
mod dpor;
mod exhausting;
mod extents;
mod for_granted;
mod lattice;
mod local_steps;
mod model_search;
mod races;
mod shortest;
mod states;
mod symmetry;
mod trying;
