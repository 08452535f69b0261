//! Printing of the program's values with `Debug`, up to a limit.

use std::fmt::{self, Debug, Write};

/// The maximum number of bytes that are printed of a value.
const PRINTED_MAX: usize = 64 << 10;

/// Returns the `Debug` text of a value, cut off at the limit.
pub(crate) fn bounded(value: &(impl Debug + ?Sized)) -> String {
    let mut sink = BoundedWriter {
        text: String::new(),
        is_full: false,
    };
    // A `Debug` that fails has printed a part, which is kept.
    let _ = write!(sink, "{value:?}");
    if sink.is_full {
        sink.text.push('…');
    }
    sink.text
}

struct BoundedWriter {
    text: String,
    is_full: bool,
}

impl Write for BoundedWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = PRINTED_MAX.saturating_sub(self.text.len());
        let fits = text.floor_char_boundary(room);
        self.text.push_str(&text[..fits]);
        if fits < text.len() {
            // The error stops a `Debug` that would print without end.
            self.is_full = true;
            return Err(fmt::Error);
        }
        Ok(())
    }
}
