//! The compiler's messages for wrong input: one minimal mistake a file, named after it.

#[test]
fn refused() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
