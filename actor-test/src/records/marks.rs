//! Placeholders for actors in printed values, until the names of all actors are known.
//!
//! The only actor of its type is named by the type, and gets a number once there is a second one. A value
//! printed earlier must not seem to hold another actor, nor seem changed when printed again.

use std::borrow::Cow;

/// The delimiters of an actor's number: private-use code points of Unicode, which are rarely used.
const AROUND: [char; 2] = ['\u{fac70}', '\u{fac71}'];

/// Returns the placeholder of an operation.
pub(crate) fn mark(of: u32) -> String {
    format!("{}{of}{}", AROUND[0], AROUND[1])
}

/// Replaces placeholders by names. A placeholder without an operation stays as it is.
pub(crate) fn named<N: AsRef<str>>(text: &str, name: impl Fn(u32) -> Option<N>) -> Cow<'_, str> {
    if !text.contains(AROUND[0]) {
        return text.into();
    }
    let mut parts = text.split(AROUND[0]);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let marked = part.split_once(AROUND[1]);
        let found = marked.and_then(|(number, rest)| Some((name(number.parse().ok()?)?, rest)));
        match found {
            Some((name, rest)) => text.extend([name.as_ref(), rest]),
            None => {
                text.push(AROUND[0]);
                text.push_str(part);
            }
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_names_and_nothing_else_does() {
        let name = |of: u32| (of < 3).then(|| format!("Saga#{of}"));
        let text = |text: &str| named(text, name).into_owned();
        assert_eq!(text("nobody"), "nobody");
        assert_eq!(
            text(&format!("[{}, {}]", mark(1), mark(2))),
            "[Saga#1, Saga#2]"
        );
        for strange in [
            mark(3),
            mark(1)[..mark(1).len() - AROUND[1].len_utf8()].to_owned(),
            format!("{}x{}", AROUND[0], AROUND[1]),
            format!("{}{}", AROUND[1], AROUND[0]),
        ] {
            assert_eq!(text(&strange), strange);
        }
    }
}
