//! What stands for an actor in a printed value until all names are known.
//!
//! An actor that is the only one of its type is called by the type, and by a number as well once there is a
//! second one. A value that was printed before must not read as if it had held somebody else, nor as if it
//! had changed when it is printed again.

use std::borrow::Cow;

/// Around the number of an actor. Letters that Unicode leaves to private use, and hardly anybody uses.
const AROUND: [char; 2] = ['\u{fac70}', '\u{fac71}'];

/// Stands for an operation.
pub(crate) fn mark(of: u32) -> String {
    format!("{}{of}{}", AROUND[0], AROUND[1])
}

/// A text with names in the place of marks. What no operation is behind stays as it is.
pub(crate) fn named<N: AsRef<str>>(text: &str, name: impl Fn(u32) -> Option<N>) -> Cow<'_, str> {
    if !text.contains(AROUND[0]) {
        return text.into();
    }
    let mut parts = text.split(AROUND[0]);
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let marked = part.split_once(AROUND[1]);
        let found = marked.and_then(|(number, rest)| Some((name(number.parse().ok()?)?, rest)));
        match found {
            Some((name, rest)) => told.extend([name.as_ref(), rest]),
            None => {
                told.push(AROUND[0]);
                told.push_str(part);
            }
        }
    }
    told.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_names_and_nothing_else_does() {
        let name = |of: u32| (of < 3).then(|| format!("Saga#{of}"));
        let told = |text: &str| named(text, name).into_owned();
        assert_eq!(told("nobody"), "nobody");
        assert_eq!(
            told(&format!("[{}, {}]", mark(1), mark(2))),
            "[Saga#1, Saga#2]"
        );
        for strange in [
            mark(3),
            mark(1)[..mark(1).len() - AROUND[1].len_utf8()].to_owned(),
            format!("{}x{}", AROUND[0], AROUND[1]),
            format!("{}{}", AROUND[1], AROUND[0]),
        ] {
            assert_eq!(told(&strange), strange);
        }
    }
}
