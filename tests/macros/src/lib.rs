//! Cases for the macros of `actor-core`: see `tests/`.
