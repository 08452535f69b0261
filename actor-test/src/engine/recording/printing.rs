//! Printing values of the program's, whatever they print.

use std::fmt::{self, Debug, Write};

/// How many bytes of a value are printed at most.
const PRINTED_MAX: usize = 64 << 10;

/// What a value's `Debug` prints, as far as there is room.
pub(crate) fn bounded(value: &(impl Debug + ?Sized)) -> String {
    let mut sink = BoundedWriter {
        text: String::new(),
        is_full: false,
    };
    // A `Debug` that fails has printed what it has.
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
            // Whoever prints stops here, even where there is no end.
            self.is_full = true;
            return Err(fmt::Error);
        }
        Ok(())
    }
}
