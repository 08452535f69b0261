//! Fuzz target: reads arbitrary bytes as a trace and prints the result.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| cargo_actor_test::hostile::feed(bytes));
