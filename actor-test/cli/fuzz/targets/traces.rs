//! Reads and tells whatever the fuzzer thinks of.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cargo_actor_test::hostile::feed(bytes));
