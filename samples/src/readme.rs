//! The README shows a program that works.

/// The program of the README, as a sample. In the sample, the bug is expected.
const PROGRAM: &str = include_str!("first_program.rs");
const README: &str = include_str!("../../README.md");

#[test]
fn the_first_program_is_that_of_the_samples() {
    let (_, after) = README
        .split_once("```rust\n")
        .expect("the README shows a program");
    let (shown, _) = after.split_once("```").expect("the program has an end");
    let (_doc, sample) = PROGRAM
        .split_once("\n\n")
        .expect("the sample begins with its docs");
    let sample = sample.replace(
        "#[actor_test(expect_bug = \"both jobs are done\")]",
        "#[actor_test]",
    );
    assert_eq!(shown, sample);
    assert!(
        shown.lines().filter(|line| !line.is_empty()).count() <= 40,
        "it has grown"
    );
}
