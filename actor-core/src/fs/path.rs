//! Normalised paths on a disk: [`normal`].

use std::io;

/// Normalises a path to names separated by slashes; the root is the empty string.
///
/// # Errors
///
/// If the path leaves the root, or has another meaning on another system.
pub(super) fn normal(path: &str) -> io::Result<String> {
    let refuse = |why: &str| {
        let message = format!(
            "the path `{path}` {why}; a path on a disk is relative to its root, as `snapshots/7`"
        );
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    };
    if path.is_empty() {
        return refuse("is empty (the root is `.`)");
    }
    if path.starts_with('/') {
        return refuse("is absolute");
    }
    if path.contains(['\\', ':', '\0']) {
        return refuse("has a backslash, a colon or a zero in it");
    }
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => return refuse("goes up"),
            name => names.push(name),
        }
    }
    Ok(names.join("/"))
}

/// As [`normal`], but refuses the root.
pub(super) fn below(path: &str) -> io::Result<String> {
    let normal = normal(path)?;
    if normal.is_empty() {
        let message = format!("the path `{path}` is the root itself, which stays as it is");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(normal)
}

#[cfg(test)]
mod tests {
    use super::{below, normal};

    #[test]
    fn what_stays_below_the_root_is_a_path() {
        for (path, expected) in [
            ("log", "log"),
            ("a/b", "a/b"),
            ("./a//b/", "a/b"),
            (".", ""),
            ("a..b/.c", "a..b/.c"),
        ] {
            assert_eq!(normal(path).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn what_leaves_it_is_refused() {
        for path in [
            "",
            "/etc/passwd",
            "..",
            "a/../../b",
            "a/..",
            "C:\\x",
            "a\\..\\b",
            "a\0b",
        ] {
            let error = normal(path).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{path:?}");
        }
        assert!(below("./").is_err(), "the root is no file");
    }
}
