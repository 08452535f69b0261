//! What the macros accept, and what they say of everything else.

/// Programs that compile and run.
#[test]
fn accepted() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/pass/*.rs");
}

/// One minimal mistake a file, named after it; what the compiler says stands beside it.
#[test]
fn refused() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
