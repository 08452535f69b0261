//! The production executor under test: see `tests/`.
