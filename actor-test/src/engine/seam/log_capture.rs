//! Capture of the program's `tracing` output while an execution is recorded.
//!
//! A subscriber of the program's own does not receive the recorded execution, since it has received the same
//! one before. A subscriber that the test body sets up takes precedence, and nothing is captured.

use std::cell::RefCell;
use std::fmt::{self, Debug, Write};
use std::rc::Rc;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record as Values};
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Event, Level, Metadata, Subscriber, level_filters::LevelFilter};

use crate::engine::seam::shared::ControlledRuntime;
use crate::records::Record;

/// The maximum number of log events that are kept of one execution.
const HEARD_MAX: usize = 20_000;

thread_local! {
    /// The execution that is recorded in this thread, and its log output since the last call of `heard`.
    static LISTENING: RefCell<Option<(Rc<ControlledRuntime>, Vec<Record>)>> = const { RefCell::new(None) };
}

/// A guard: while it exists, the log output of this thread is kept.
pub(crate) struct LogCapture {
    _subscriber: DefaultGuard,
}

impl LogCapture {
    /// Captures the log output of an execution in this thread.
    pub(crate) fn to(shared: &Rc<ControlledRuntime>) -> Self {
        LISTENING.set(Some((shared.clone(), Vec::new())));
        Self {
            _subscriber: set_default(LogSubscriber),
        }
    }
}

impl Drop for LogCapture {
    fn drop(&mut self) {
        LISTENING.set(None);
    }
}

/// Returns the log output since the last call.
pub(crate) fn heard() -> Vec<Record> {
    LISTENING.with_borrow_mut(|listening| {
        let heard = listening.as_mut().map(|(_, heard)| heard);
        heard.map(std::mem::take).unwrap_or_default()
    })
}

struct LogSubscriber;

impl Subscriber for LogSubscriber {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::DEBUG
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Values<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let shared = LISTENING.with_borrow(|listening| {
            let listening = listening.as_ref()?;
            (listening.1.len() < HEARD_MAX).then(|| listening.0.clone())
        });
        let Some(shared) = shared else {
            return;
        };
        // The values are printed as events are, by a `Debug` that can do nothing else.
        let text = shared.printed(&LogText(event));
        let metadata = event.metadata();
        let record = Record::Logged {
            level: metadata.level().as_str(),
            target: metadata.target().to_owned(),
            text,
        };
        LISTENING.with_borrow_mut(|listening| {
            if let Some((_, heard)) = listening {
                heard.push(record);
            }
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The text of a log event: its message, then its other fields.
struct LogText<'a>(&'a Event<'a>);

impl Debug for LogText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = LogFields::default();
        self.0.record(&mut fields);
        f.write_str(&fields.message)?;
        let blank = !fields.message.is_empty() && !fields.others.is_empty();
        f.write_str(if blank { " " } else { "" })?;
        f.write_str(&fields.others)
    }
}

#[derive(Default)]
struct LogFields {
    message: String,
    others: String,
}

impl Visit for LogFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message.push_str(value),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string fails only if the value's own `Debug` does.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => {
                let blank = if self.others.is_empty() { "" } else { " " };
                write!(self.others, "{blank}{name}={value:?}")
            }
        };
    }
}
