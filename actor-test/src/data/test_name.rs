//! Names of tests: `krate::module::test[n=2]`, with the values of parameters.

/// Returns the name of a test without the values of its parameters.
pub fn path(name: &str) -> &str {
    name.split_once('[').map_or(name, |(path, _)| path)
}

/// Returns the name of a test in libtest: its path without the crate.
pub fn libtest_name(name: &str) -> &str {
    let path = path(name);
    path.split_once("::").map_or(path, |(_, rest)| rest)
}
