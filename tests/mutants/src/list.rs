//! The list of mutants to try: those of cargo-mutants, and random samples of them.

use std::collections::BTreeSet;
use std::process::Command;

use serde::Deserialize;

/// A mutant, as cargo-mutants describes it.
#[derive(Clone, Deserialize)]
pub struct Mutant {
    pub file: String,
    pub name: String,
    pub genre: Genre,
    pub replacement: String,
    pub span: Span,
}

/// The kind of syntax that is changed.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
pub enum Genre {
    FnValue,
    BinaryOperator,
    UnaryOperator,
    MatchArm,
    MatchArmGuard,
    StructField,
}

/// The span of the change in the source.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
pub struct Span {
    pub start: Place,
    pub end: Place,
}

/// A line and a column, both from one; columns count characters.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// One of several parts of the list.
#[derive(Clone, Copy)]
pub struct Part {
    pub index: usize,
    pub of: usize,
}

impl Part {
    /// Parses `K/N`, from `0/N`.
    pub fn parse(text: &str) -> Option<Self> {
        let (index, of) = text.split_once('/')?;
        let part = Self {
            index: index.parse().ok()?,
            of: of.parse().ok()?,
        };
        (part.index < part.of).then_some(part)
    }
}

/// Returns all mutants that cargo-mutants lists for this project.
pub fn all() -> Result<Vec<Mutant>, String> {
    let output = Command::new("cargo")
        .args(["mutants", "--list", "--json"])
        .output()
        .map_err(|error| format!("failed to run cargo-mutants: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "cargo-mutants failed: {}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo-mutants listed something else: {error}"))
}

/// Returns one part of the mutants. A hash of the name decides the part, so a part is a
/// random sample: the same on each machine, and independent of other changes in the source.
pub fn part(mut all: Vec<Mutant>, part: Part) -> Vec<Mutant> {
    all.retain(|mutant| drawn(&mutant.name) % part.of as u64 == part.index as u64);
    all.sort_by_cached_key(|mutant| (drawn(&mutant.name), mutant.name.clone()));
    all
}

/// Returns the mutants that are named in a list of results, at their current places.
pub fn named(mut all: Vec<Mutant>, lines: &str) -> Vec<Mutant> {
    let named: BTreeSet<(&str, &str)> = lines
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(_, name)| place_and_what(name))
        .collect();
    all.retain(|mutant| named.contains(&place_and_what(&mutant.name)));
    all
}

/// Returns the file of a mutant and its change, without line and column.
fn place_and_what(name: &str) -> (&str, &str) {
    let mut parts = name.splitn(4, ':');
    let file = parts.next().unwrap_or_default();
    (file, parts.nth(2).unwrap_or_default())
}

/// Returns a hash of the name, without line and column.
fn drawn(name: &str) -> u64 {
    let (file, what) = place_and_what(name);
    // FNV-1a, and the finalizer of splitmix64, since the first bits of FNV differ little.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in file.bytes().chain(what.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
