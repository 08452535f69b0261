//! Commands and paths as a user would type them in a shell.

use std::path::{Path, PathBuf};

/// Returns the directory in which the user typed the command: cargo runs tests in the package's directory,
/// but `PWD` is still that of the shell.
pub(crate) fn directory() -> PathBuf {
    let shell = std::env::var_os("PWD").map(PathBuf::from);
    shell
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_default()
}

/// Returns the flag for the package of the test; empty in a directory where cargo selects it anyway.
pub(crate) fn package(here: &Path) -> Vec<String> {
    let variable = |name| std::env::var_os(name);
    let (Some(package), Some(directory)) = (
        variable("CARGO_PKG_NAME"),
        variable("CARGO_MANIFEST_DIR").map(PathBuf::from),
    ) else {
        return Vec::new();
    };
    let nearest = here
        .ancestors()
        .find(|directory| directory.join("Cargo.toml").is_file());
    match nearest == Some(&directory) {
        true => Vec::new(),
        false => vec!["-p".into(), package.to_string_lossy().into_owned()],
    }
}

/// Formats a path as a user would type it in the directory `here`: relative, if it is below.
pub(crate) fn short(path: &Path, here: &Path) -> String {
    let short = path
        .strip_prefix(here)
        .ok()
        .filter(|short| !short.as_os_str().is_empty());
    quoted(&short.unwrap_or(path).display().to_string())
}

/// Quotes a word for a shell, if needed.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=@+,%".contains(c);
    if word.chars().all(plain) && !word.is_empty() {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
