//! Which targets can hold an actor test, so that cargo builds no others.
//!
//! A test is written with the word `actor_test`, which is looked for in the sources: not as a crate
//! that a path begins with, in a string or in a comment, nor where it is defined or exported. A file
//! without modules of its own holds what it says itself, and another one what any of the files around
//! it says. Only where a macro of another crate writes the tests nothing is seen of them; `--tests`
//! builds them all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{Metadata, Package, Target};
use memchr::memmem;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::options::Selection;

/// The attribute's name.
const WORD: &str = "actor_test";

/// Cargo's flags for what can hold a test among what is selected; `None` where nothing can.
pub(crate) fn flags(selection: &Selection, metadata: &Metadata) -> Option<Vec<String>> {
    let mut flags = selection.flags();
    if selection.names_targets() {
        return Some(flags);
    }
    let Some(selected) = selection.members(metadata) else {
        // A pattern or an address: cargo knows what it means.
        flags.push("--tests".into());
        return Some(flags);
    };
    let mut targets = BTreeSet::new();
    let mut holding = Vec::new();
    for package in selected {
        let own = holders(package);
        if !own.is_empty() {
            holding.push(package.id.repr.clone());
            targets.extend(own);
        } else if selection.workspace {
            flags.extend(["--exclude".to_owned(), package.id.repr.clone()]);
        }
    }
    if holding.is_empty() {
        return None;
    }
    if selection.is_default() {
        flags.extend(holding.into_iter().flat_map(|id| ["-p".to_owned(), id]));
    }
    flags.extend(targets.into_iter().flatten());
    Some(flags)
}

/// The flags of those targets of a package that can hold a test.
fn holders(package: &Package) -> BTreeSet<Vec<String>> {
    let directory = package.manifest_path.as_std_path().parent();
    let sources = Sources::of(package, directory.unwrap_or(Path::new(".")));
    // A macro's own unit tests can't be written with what it defines.
    let tested = package.targets.iter();
    let tested = tested.filter(|target| target.test && !target.is_proc_macro());
    let holding = tested.filter(|target| sources.may_hold(target));
    holding.map(flag).collect()
}

/// The flag that has cargo build this target. One that needs features can't be named, in case they are
/// off.
fn flag(target: &Target) -> Vec<String> {
    match kind(target) {
        Some((all, _)) if !target.required_features.is_empty() => vec![all.into()],
        _ => flag_of(target),
    }
}

/// The flag that has cargo build this target alone.
pub(crate) fn flag_of(target: &Target) -> Vec<String> {
    match kind(target) {
        Some((_, one)) => vec![one.into(), target.name.clone()],
        None => vec!["--lib".into()],
    }
}

/// The flags for all targets of this kind, and for one; `None` for a library.
fn kind(target: &Target) -> Option<(&'static str, &'static str)> {
    match target {
        target if target.is_test() => Some(("--tests", "--test")),
        target if target.is_bin() => Some(("--bins", "--bin")),
        target if target.is_example() => Some(("--examples", "--example")),
        target if target.is_bench() => Some(("--benches", "--bench")),
        _ => None,
    }
}

/// The sources of a package.
#[derive(Debug, Default)]
struct Sources {
    /// The files that targets begin with.
    roots: BTreeSet<PathBuf>,
    /// The other files that name the macro.
    naming: Vec<PathBuf>,
}

impl Sources {
    fn of(package: &Package, directory: &Path) -> Self {
        let roots = package.targets.iter();
        let roots = roots.map(|target| target.src_path.clone().into_std_path_buf());
        let mut sources = Self {
            roots: roots.collect(),
            naming: Vec::new(),
        };
        sources.walk(directory);
        sources
    }

    fn walk(&mut self, directory: &Path) {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if path.is_dir() {
                // A package of its own, or what cargo built.
                let is_apart =
                    path.join("Cargo.toml").exists() || path.join("CACHEDIR.TAG").exists();
                if !is_hidden && !is_apart && !path.is_symlink() {
                    self.walk(&path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !self.roots.contains(&path)
                && Said::by(&path).names
            {
                self.naming.push(path);
            }
        }
    }

    fn may_hold(&self, target: &Target) -> bool {
        let root = target.src_path.as_std_path();
        let said = Said::by(root);
        let around = root.parent().unwrap_or(root);
        let is_named = |path: &String| Said::may_be_in(&around.join(path));
        said.names
            || said.reads_elsewhere
            || said.paths.iter().any(is_named)
            || said.has_modules && self.naming.iter().any(|path| path.starts_with(around))
    }
}

/// What a source says.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
struct Said {
    /// It names the macro.
    names: bool,
    /// It has modules in files of their own.
    has_modules: bool,
    /// It has other files anywhere read.
    reads_elsewhere: bool,
    /// Where the files of its modules are, as it says.
    paths: Vec<String>,
}

impl Said {
    fn by(path: &Path) -> Self {
        fs::read(path).map_or(Self::default(), |text| Self::in_text(&text))
    }

    /// Whether the file at `path`, or another that it has read, names the macro.
    fn may_be_in(path: &Path) -> bool {
        let said = Self::by(path);
        let ends_here = !said.has_modules && !said.reads_elsewhere && said.paths.is_empty();
        said.names || !ends_here || !path.is_file()
    }

    fn in_text(text: &[u8]) -> Self {
        let has = |word: &str| memmem::find(text, word.as_bytes()).is_some();
        if ![WORD, "mod ", "include", "path"].into_iter().any(has) {
            return Self::default();
        }
        let tokens = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        // What can't be read is for the compiler to speak of.
        tokens.map_or(
            Self {
                names: has(WORD),
                has_modules: true,
                ..Self::default()
            },
            |tokens: TokenStream| {
                let mut said = Self::default();
                said.read(tokens);
                said
            },
        )
    }

    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            match token {
                TokenTree::Ident(word) if word == "pub" && exports(&tokens[at + 1..]) => {
                    let rest = tokens[at + 1..].iter();
                    let rest = rest.skip_while(|token| !is_punct(Some(token), ';'));
                    return self.read(rest.cloned().collect());
                }
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Bracket && is_punct(before, '#') {
                        self.read_path(group.stream());
                    }
                    self.read(group.stream());
                }
                TokenTree::Ident(word) if word == WORD => {
                    // Neither the crate, a function's own name, nor a field.
                    self.names |=
                        !is_punct(next, ':') && !is_word(before, "fn") && !is_punct(before, '.');
                }
                TokenTree::Ident(word) if word == "mod" => {
                    self.has_modules |= is_punct(tokens.get(at + 2), ';');
                }
                TokenTree::Ident(word) if word == "include" => {
                    self.reads_elsewhere |= is_punct(next, '!');
                }
                _ => {}
            }
        }
    }

    /// Reads an attribute that may be `path = "file.rs"`.
    fn read_path(&mut self, attribute: TokenStream) {
        let mut tokens = attribute.into_iter();
        if !is_word(tokens.next().as_ref(), "path") {
            return;
        }
        let literal = tokens.nth(1).map(|token| token.to_string());
        let path = literal.as_deref().and_then(|literal| {
            let quoted = literal.strip_prefix('"')?.strip_suffix('"')?;
            (!quoted.contains('\\')).then_some(quoted)
        });
        match path {
            Some(path) => self.paths.push(path.to_owned()),
            None => self.reads_elsewhere = true,
        }
    }
}

/// What follows `pub` exports a name to be used elsewhere, and under no other one.
fn exports(after: &[TokenTree]) -> bool {
    is_word(after.first(), "use") && {
        let item = after.iter().take_while(|token| !is_punct(Some(token), ';'));
        !renames(item.cloned().collect())
    }
}

fn renames(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => renames(group.stream()),
        token => is_word(Some(&token), "as"),
    })
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(is)) if is == word)
}

fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said {
        Said::in_text(text.as_bytes())
    }

    #[test]
    fn the_macro_is_named_in_every_way_to_write_it() {
        for text in [
            "#[actor_test] fn a(sys: &System) {}",
            "#[actor_test::actor_test(seed = 7)] fn a(sys: &System) {}",
            "#[cfg_attr(test, actor_test)] fn a(sys: &System) {}",
            "use actor_test::actor_test as sim;",
            "use actor_test::{Tester, actor_test};",
            "use actor_test as tester;",
            "pub use actor_test::{Tester, actor_test as sim};",
            "pub use a::b; #[actor_test] fn a(sys: &System) {}",
            "macro_rules! m { () => { #[actor_test] fn a(_: &System) {} } }",
            "mod tests { use super::*; #[ facade :: actor_test ( crate = facade ) ] fn a() {} }",
        ] {
            assert!(said(text).names, "{text}");
        }
    }

    #[test]
    fn the_crate_is_not_the_macro() {
        for text in [
            "use actor_test::Tester;",
            "/// `#[actor_test]` is for tests.\nfn a() { ::actor_test::Tester::new(); }",
            "// #[actor_test]\nconst A: &str = \"#[actor_test]\";",
            "fn my_actor_test() {}",
            "#[proc_macro_attribute] pub fn actor_test(a: TokenStream) -> TokenStream { a }",
            "struct A { actor_test: u8 } fn a(a: A) -> u8 { a.actor_test }",
            "pub use actor_macros::actor_test;",
            "mod a { pub use actor_test::{Tester, actor_test}; }",
        ] {
            assert!(!said(text).names, "{text}");
        }
    }

    #[test]
    fn other_files_are_seen() {
        assert!(said("mod common;").has_modules);
        assert!(!said("mod common { fn a() {} }").has_modules);
        assert_eq!(said("#[path = \"../a.rs\"] mod a;").paths, ["../a.rs"]);
        assert!(said("#[path = concat!(\"a\", \".rs\")] mod a;").reads_elsewhere);
        assert!(said("include!(\"a.rs\");").reads_elsewhere);
        assert!(
            !said("const A: &str = include_str!(\"a.rs\"); fn f(path: &str) {}").reads_elsewhere
        );
        // What is no Rust may be what it looks like.
        assert!(said("#[actor_test] fn (").names);
    }
}
