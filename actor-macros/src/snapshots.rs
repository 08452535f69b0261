//! Snapshot tests of macro expansions: `snapshots/*.in.rs` against `snapshots/*.out.rs`.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p actor-macros` rewrites the latter; check the difference.

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::{TokenStream, TokenTree};

#[test]
fn expansions_read_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let mut inputs: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the snapshots are part of the crate")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.to_string_lossy().ends_with(".in.rs"))
        .collect();
    inputs.sort();
    let different: Vec<String> = inputs
        .iter()
        .filter_map(|input| difference(input))
        .collect();
    assert!(
        different.is_empty(),
        "expansions changed; look at `UPDATE_SNAPSHOTS=1 cargo test -p actor-macros`\n{}",
        different.join("\n")
    );
}

/// Returns the generated code if it differs from the recorded code.
fn difference(input: &Path) -> Option<String> {
    let source = fs::read_to_string(input).expect("a readable file");
    let found = expanded(&source);
    let recorded = PathBuf::from(input.to_string_lossy().replace(".in.rs", ".out.rs"));
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&recorded, &found).expect("a writable folder");
    }
    let expected = fs::read_to_string(&recorded).unwrap_or_default();
    (expected != found).then(|| format!("{}:\n{found}", recorded.display()))
}

fn expanded(source: &str) -> String {
    let mut trees = source.parse::<TokenStream>().expect("Rust").into_iter();
    let attribute = match (trees.next(), trees.next()) {
        (Some(TokenTree::Punct(_)), Some(TokenTree::Group(attribute))) => attribute.stream(),
        _ => panic!("a snapshot starts with the attribute to expand"),
    };
    let item: TokenStream = trees.collect();
    let (name, arguments) = name_and_arguments(attribute);
    let code = match name.as_str() {
        "actor" => crate::actor::expand(arguments, item),
        "derive" => crate::fingerprint::expand(item),
        "monitor" => crate::monitor::expand(arguments, item),
        "protocol" => crate::protocol::expand(arguments, item),
        "actor_test" => crate::test::expand(arguments, item),
        other => panic!("no macro is called `{other}`"),
    };
    prettyplease::unparse(&syn::parse2(code).expect("the expansion is Rust"))
}

fn name_and_arguments(attribute: TokenStream) -> (String, TokenStream) {
    let mut trees = attribute.into_iter();
    let name = trees.next().expect("an attribute has a name").to_string();
    match trees.next() {
        Some(TokenTree::Group(arguments)) => (name, arguments.stream()),
        _ => (name, TokenStream::new()),
    }
}
