//! Tests of invalid requests: errors and hints.

use std::fs;

use crate::project::{copy, redact, tool};

#[test]
fn no_test_matches() {
    let said = tool().args("never_sx").run();
    let error = redact(said.error());
    assert!(
        error.starts_with("error: no actor test matches `never_sx` among "),
        "{error}"
    );
    assert!(
        error.contains("did you mean specimens::tests::never_six"),
        "{error}"
    );
}

#[test]
fn no_test_at_all() {
    let said = tool().args("--test no_harness").run();
    assert!(
        said.error()
            .contains("no actor test in what is selected --test no_harness"),
        "{}",
        said.stderr
    );
}

#[test]
fn no_test_is_ignored() {
    let said = tool().args("list --test bad --ignored").run();
    let error = said.error();
    assert!(
        error.starts_with("error: no actor test is ignored among "),
        "{error}"
    );
    let allowed = tool().args("list --test bad --ignored --no-tests=pass");
    assert_eq!(allowed.run().code, Some(0));
}

#[test]
fn a_failed_build() {
    let said = tool().args("--features nonsense").run();
    assert!(said.error().contains("nonsense"), "{}", said.stderr);
}

#[test]
fn no_such_manifest() {
    let said = tool().args("--manifest-path nowhere/Cargo.toml").run();
    assert!(
        said.error().contains("cargo can't read the workspace"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_token_belongs_to_one_test() {
    let said = tool().args("six --reproduce random@7-1-v4").run();
    assert!(
        said.error()
            .contains("a token belongs to one test; give its path"),
        "{}",
        said.stderr
    );
}

#[test]
fn malformed_tokens() {
    for (token, message) in [
        (
            "nonsense",
            "malformed token `nonsense`; the form is STRATEGY@SEED",
        ),
        ("random@xyz", "malformed token `random@xyz`"),
        ("random@7-0-v4", "malformed token `random@7-0-v4`"),
        (
            "random@7-1",
            "the token `random@7-1` was made by an earlier version",
        ),
        ("random@7-1-v5", "was made by a later version of actor-test"),
        (
            "rnadom@7-1-v4",
            "no strategy `rnadom`; did you mean `random`?",
        ),
    ] {
        let words = tool()
            .args("never_six --reproduce")
            .arg(token)
            .run()
            .words(2);
        assert!(words.contains(message), "{words}");
    }
}

/// A command line in the style of `coyote test` is rejected with a hint.
#[test]
fn what_coyote_spells_otherwise_is_told() {
    for (arguments, message) in [
        (
            "six -i 100 --max-steps 200 1000",
            "Coyote's --max-steps 200 1000 is --max-steps 200:1000 here",
        ),
        ("six -p 4", "Coyote's -p 4 is -j 4 here"),
    ] {
        let said = tool().args(arguments).run();
        assert!(said.error().contains(message), "{}", said.stderr);
    }
    // A number without an option is a filter.
    let said = tool().args("list --test bad 1000").run();
    assert!(said.error().contains("no actor test matches `1000`"));
}

/// The profile of the user's manifest is used as it is, so cargo's error about it is seen.
#[test]
fn the_manifests_own_profile_holds() {
    let project = copy("");
    let path = project.path().join("Cargo.toml");
    let manifest = fs::read_to_string(&path).expect("the manifest");
    let manifest = manifest.replace("inherits = \"release\"", "inherits = \"nowhere\"");
    fs::write(&path, manifest).expect("it is writable");
    let said = tool().within(project.path()).arg("--lib").run();
    assert!(
        said.error().contains("inherits from `nowhere`"),
        "{}",
        said.stderr
    );
}
