//! Detection of an `Err` reply whose type is known by name only.

use std::any::type_name;

use crate::event::Event;

/// Returns the printed error if the value is an `Err`: for replies that only the library receives.
pub(crate) fn failure<R: Event>(value: &R) -> Option<String> {
    if !type_name::<R>().starts_with("core::result::Result<") {
        return None;
    }
    let printed = format!("{value:?}");
    let error = printed.strip_prefix("Err(")?.strip_suffix(')')?;
    Some(error.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    #[expect(dead_code, reason = "it is printed")]
    struct Err(u32);

    #[test]
    fn an_err_is_told_from_what_looks_like_one() {
        let failed: Result<(), &str> = Result::Err("no (ink)");
        assert_eq!(failure(&failed), Some("\"no (ink)\"".to_owned()));
        assert_eq!(failure(&Ok::<u32, u32>(7)), None);
        assert_eq!(failure(&Err(7)), None);
        assert_eq!(failure(&()), None);
    }
}
