//! Discovery of actor tests in executables, by markers, without running them.
//!
//! Each test leaves a marker in its executable, a string that survives stripping and optimisation:
//! `\0actor-test:1:<path>\0`. The path is followed by `[]` if the test takes parameters, whose values only
//! the test itself can list. An executable without a marker is never run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;

use memchr::memmem;

use super::Trouble;
use super::build::{BuildOutput, Executable};
use super::options::Filter;
use crate::words;
use actor_test::tool::test_name;

/// The maximum length of a test's path.
const NAME_MAX: usize = 4096;

/// The number of bytes read at a time.
const CHUNK: usize = 1 << 20;

/// An actor test, or a combination of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// The path of the test (crate, modules and function), then the values of its parameters, once known.
    pub(crate) name: String,
    pub(crate) executable: Executable,
    pub(crate) parameters: Parameters,
    /// The properties that distinguish the test from others of the same path; none if its path is unique.
    pub(crate) apart: Disambiguation,
}

/// The properties that distinguish a test from others of the same path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Disambiguation {
    /// True if a test of another package has the path, as `tests/it.rs` of two packages may.
    pub(crate) by_package: bool,
    /// True if a test of another target of the package has the path, as in a library and a binary.
    pub(crate) by_target: bool,
}

/// The state of a test's parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Parameters {
    /// The test has no parameters.
    None,
    /// The test has parameters whose values were not queried.
    Unasked,
    /// The test is one of so many combinations.
    OneOf(usize),
    /// The values can't be listed; the text has the reason.
    Unknown(String),
}

impl Test {
    /// Creates a test from its marker.
    fn marked(marker: &str, executable: &Executable) -> Self {
        let (name, parameters) = match marker.strip_suffix(WITH_PARAMETERS) {
            Some(name) => (name, Parameters::Unasked),
            None => (marker, Parameters::None),
        };
        Self {
            name: name.to_owned(),
            executable: executable.clone(),
            parameters,
            apart: Disambiguation::default(),
        }
    }

    /// Returns the same test with values of its parameters.
    pub(crate) fn named(&self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..self.clone()
        }
    }

    /// Returns the name for users, with the package and target if the name is ambiguous.
    pub(crate) fn title(&self) -> String {
        self.disambiguated(&self.name)
    }

    /// Returns the path for users, with the package and target if the path is ambiguous.
    pub(crate) fn path_title(&self) -> String {
        self.disambiguated(self.path())
    }

    fn disambiguated(&self, name: &str) -> String {
        let Executable { package, flag, .. } = &self.executable;
        let package = self.apart.by_package.then_some(["-p", &package.name]);
        let package = package.into_iter().flatten();
        let target = flag.iter().filter(|_| self.apart.by_target);
        let words = std::iter::once(name).chain(package);
        let words: Vec<&str> = words.chain(target.map(String::as_str)).collect();
        words.join(" ")
    }

    /// Returns true if another test has the same path.
    pub(crate) fn is_shared(&self) -> bool {
        self.apart != Disambiguation::default()
    }

    /// Returns the path of the test: crate, modules and function.
    pub(crate) fn path(&self) -> &str {
        test_name::path(&self.name)
    }
}

/// The suffix of the path in the marker of a test with parameters.
const WITH_PARAMETERS: &str = "[]";

/// Returns all tests, in the order of their packages, targets and names.
pub(crate) fn discover(built: &BuildOutput) -> Result<Vec<Test>, Trouble> {
    let mut tests = Vec::new();
    for executable in &built.executables {
        let path = &executable.path;
        let file = File::open(path).and_then(|mut file| scan(&mut file));
        let names =
            file.map_err(|error| Trouble(format!("can't read {}: {error}", path.display())))?;
        tests.extend(names.iter().map(|name| Test::marked(name, executable)));
    }
    Ok(mark_ambiguous(tests))
}

/// Marks the tests whose paths two packages share, or two targets of one.
fn mark_ambiguous(mut tests: Vec<Test>) -> Vec<Test> {
    type Targets = BTreeMap<String, BTreeSet<Vec<String>>>;
    let mut known: BTreeMap<String, Targets> = BTreeMap::new();
    for test in &tests {
        let packages = known.entry(test.name.clone()).or_default();
        let targets = packages.entry(test.executable.package.name.clone());
        targets.or_default().insert(test.executable.flag.clone());
    }
    for test in &mut tests {
        let packages = &known[&test.name];
        test.apart = Disambiguation {
            by_package: packages.len() > 1,
            by_target: packages[&test.executable.package.name].len() > 1,
        };
    }
    tests
}

/// Selects tests by the filter; an error if none is left lists similar ones.
pub(crate) fn select(
    tests: Vec<Test>,
    filter: &Filter,
    selection: &[String],
) -> Result<Vec<Test>, Trouble> {
    if tests.is_empty() {
        let flags: String = selection.iter().map(|flag| format!(" {flag}")).collect();
        return Err(Trouble(words::nothing_there(&flags)));
    }
    let wanted = |test: &&Test| filter.takes(&test.name, test.path());
    let selected: Vec<Test> = tests.iter().filter(wanted).cloned().collect();
    if selected.is_empty() {
        let nearest = nearest(&tests, &filter.filters);
        return Err(Trouble(words::nothing_matches(
            &filter.filters,
            &nearest,
            tests.len(),
        )));
    }
    Ok(selected)
}

/// Returns up to three tests whose names, or parts of them, resemble a filter.
pub(crate) fn nearest<'a>(tests: &'a [Test], filters: &[String]) -> Vec<&'a str> {
    let likeness = |name: &str, filter: &str| {
        let path = test_name::path(name);
        let parts = path.split("::").chain([path, name]);
        parts
            .map(|part| strsim::jaro_winkler(part, filter))
            .fold(0.0, f64::max)
    };
    let mut near: Vec<(f64, &str)> = tests
        .iter()
        .map(|test| {
            let likeness = filters
                .iter()
                .map(|filter| likeness(&test.name, filter))
                .fold(0.0, f64::max);
            (likeness, &*test.name)
        })
        .filter(|(likeness, _)| *likeness > 0.8)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Returns the tests whose markers are in the bytes of `source`.
fn scan(source: &mut impl Read) -> std::io::Result<BTreeSet<String>> {
    let marker = prefix();
    let finder = memmem::Finder::new(&marker);
    let mut names = BTreeSet::new();
    let mut window = Vec::with_capacity(CHUNK + NAME_MAX);
    loop {
        let read = source
            .by_ref()
            .take(CHUNK as u64)
            .read_to_end(&mut window)?;
        names.extend(names_in(&window, &finder));
        if read == 0 {
            return Ok(names);
        }
        // The end of the window may contain the beginning of a marker, so it is kept for the next chunk.
        let done = window.len().saturating_sub(NAME_MAX);
        window.drain(..done);
    }
}

/// Returns the prefix of markers, composed at run time, so that this executable has no marker itself.
fn prefix() -> Vec<u8> {
    [b"\0", &b"actor-test:"[..], b"1:"].concat()
}

fn names_in(bytes: &[u8], marker: &memmem::Finder<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = bytes;
    while let Some(at) = marker.find(rest) {
        rest = &rest[at + marker.needle().len()..];
        let end = rest.iter().take(NAME_MAX).position(|byte| *byte == 0);
        let name = end.and_then(|end| std::str::from_utf8(&rest[..end]).ok());
        names.extend(name.filter(|name| is_path(name)).map(str::to_owned));
    }
    names
}

fn is_path(name: &str) -> bool {
    let name = name.strip_suffix(WITH_PARAMETERS).unwrap_or(name);
    name.contains("::")
        && name.split("::").all(|segment| {
            !segment.is_empty()
                && segment
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_#".contains(c))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(name: &str) -> Vec<u8> {
        [&prefix()[..], name.as_bytes(), b"\0"].concat()
    }

    #[test]
    fn markers_are_found_wherever_a_chunk_ends() {
        for offset in [0, 1, CHUNK - 20, CHUNK - 5, CHUNK, CHUNK + 1] {
            let mut bytes = vec![7; offset];
            bytes.extend(marked("krate::module::test"));
            bytes.extend(marked("krate::größe"));
            bytes.extend(marked("krate::with_parameters[]"));
            bytes.extend(vec![0; 3]);
            let names = scan(&mut &bytes[..]).unwrap();
            assert_eq!(
                names.into_iter().collect::<Vec<_>>(),
                [
                    "krate::größe",
                    "krate::module::test",
                    "krate::with_parameters[]"
                ]
            );
        }
    }

    #[test]
    fn what_only_looks_like_a_marker_is_not_one() {
        let mut bytes = prefix();
        bytes.extend(b"{}\0");
        bytes.extend(marked("no path"));
        bytes.extend(marked("a::b c"));
        bytes.extend(marked("a::b[n=2]"));
        bytes.extend(prefix());
        assert_eq!(scan(&mut &bytes[..]).unwrap(), BTreeSet::new());
    }
}
