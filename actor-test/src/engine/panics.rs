//! Panics of the program under test: they are caught and kept, and not printed while exploring.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use actor_core::seam::{Violation, ViolationKind, discard};

use crate::data::bug::BugKind;
use crate::data::problem::Problem;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

static SHOWN: AtomicBool = AtomicBool::new(false);

/// Also prints panics of the program from now on, with a backtrace if the environment asks for one.
pub(crate) fn show() {
    SHOWN.store(true, Ordering::Relaxed);
}

/// A caught panic, as the bug that it is reported as.
#[derive(Clone, Debug)]
pub(crate) struct Panic {
    pub(crate) kind: BugKind,
    pub(crate) message: String,
    pub(crate) location: Option<String>,
}

impl Panic {
    /// Reports a problem that the engine has noticed as the panic of the code that caused it.
    pub(crate) fn of(problem: &Problem) -> Self {
        Self {
            kind: problem.kind(),
            message: problem.to_string(),
            location: None,
        }
    }

    /// True if tokio panicked since its runtime is missing, which an execution under test does not have.
    pub(crate) fn wants_tokio(&self) -> bool {
        self.message.contains("there is no reactor running")
            || self.message.contains("there is no timer running")
    }
}

/// A guard: while it exists, panics of this thread are kept instead of printed.
pub(crate) struct PanicCapture {
    before: bool,
}

/// Keeps this thread's panics instead of printing them.
pub(crate) fn quiet() -> PanicCapture {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // A destructor may panic when thread-locals are gone already.
            let is_quiet = QUIET.try_with(Cell::get).unwrap_or(false);
            if is_quiet {
                keep(info);
            }
            // The engine's own payloads are not text.
            if !is_quiet || (SHOWN.load(Ordering::Relaxed) && info.payload_as_str().is_some()) {
                before(info);
            }
        }));
    });
    PanicCapture {
        before: QUIET.replace(true),
    }
}

impl Drop for PanicCapture {
    fn drop(&mut self) {
        QUIET.set(self.before);
    }
}

fn keep(info: &PanicHookInfo<'_>) {
    let panic = Panic {
        kind: BugKind::Panic,
        message: text(info.payload()),
        location: info
            .location()
            .map(|at| format!("{}:{}:{}", at.file(), at.line(), at.column())),
    };
    LAST.with(|last| {
        // The first panic is the cause; later ones come from destructors that run while the stack unwinds.
        last.borrow_mut().get_or_insert(panic);
    });
}

/// Calls a user's code, and returns its panic as an error.
#[inline]
pub(crate) fn catch<T>(f: impl FnOnce() -> T) -> Result<T, Box<Panic>> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        let panic = explain(&*payload);
        discard(payload);
        Box::new(panic)
    })
}

#[cold]
fn explain(payload: &(dyn Any + Send)) -> Panic {
    let kept = LAST.with(|last| last.borrow_mut().take());
    if let Some(violation) = payload.downcast_ref::<Violation>() {
        return Panic {
            kind: kind_of(violation.kind),
            message: violation.message.clone(),
            location: None,
        };
    }
    if let Some(StoppedHandler(problem)) = payload.downcast_ref() {
        return Panic::of(problem);
    }
    kept.unwrap_or_else(|| Panic {
        kind: BugKind::Panic,
        message: text(payload),
        location: None,
    })
}

fn kind_of(violation: ViolationKind) -> BugKind {
    match violation {
        ViolationKind::UnhandledRaise => BugKind::Unhandled,
        ViolationKind::EndlessChain => BugKind::EndlessChain,
        ViolationKind::TwoDecisions => BugKind::TwoDecisions,
        ViolationKind::UnreceivedError => BugKind::UnreceivedError,
    }
}

/// The payload with which the engine stops a handler that acts without end.
pub(crate) struct StoppedHandler(pub(crate) Problem);

/// The payload with which the engine leaves a test body that needs a stack of its own.
pub(crate) struct NeedsOwnStack;

/// Forgets the last panic of this thread, which is part of the story and no bug.
pub(crate) fn forget() {
    LAST.with(|last| last.borrow_mut().take());
}

fn text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic whose payload is no text".to_owned()
    }
}
