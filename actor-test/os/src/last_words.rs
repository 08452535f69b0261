//! Messages of a dying process: printed when a signal or `exit` ends it in the middle of a call.
//!
//! Each thread prepares its message in advance and points to it. A signal handler may do very little
//! (`signal-safety(7)`): this one reads the pointer and calls `write`.

#![expect(
    unsafe_code,
    reason = "signal handlers, and a pointer that lives as long as what it points to"
)]

use std::cell::Cell;
use std::ptr;
use std::thread::{Builder, scope};

struct ExitMessage {
    before: *const str,
    after: *const str,
}

thread_local! {
    /// The message of this thread; null if there is none.
    // Invariant: points to the words of a call of `with_exit_message` that has not returned: in this thread, or
    // in one that waits for this one.
    static WORDS: Cell<*const ExitMessage> = const { Cell::new(ptr::null()) };
}

/// A guard that restores the previous message when dropped.
struct ExitMessageGuard(*const ExitMessage);

impl Drop for ExitMessageGuard {
    fn drop(&mut self) {
        WORDS.set(self.0);
    }
}

/// Calls `what` with a message. If this thread ends the process meanwhile, `before` is written to standard
/// error, then the reason, then `after`; on `exit`, the exit code becomes 101. Messages must be
/// [enabled](enable_exit_messages).
///
/// ```
/// let sum = actor_test_os::with_exit_message("while adding: ", "\n", || 1 + 2);
/// assert_eq!(sum, 3);
/// ```
pub fn with_exit_message<T>(before: &str, after: &str, what: impl FnOnce() -> T) -> T {
    let words = ExitMessage { before, after };
    let _speaking = ExitMessageGuard(WORDS.replace(&raw const words));
    what()
}

/// Calls `what` on a new thread with this thread's message, and waits for the thread. A panic is propagated.
///
/// # Panics
///
/// If the system can't start a thread.
///
/// ```
/// let thread = std::thread::Builder::new();
/// assert_eq!(actor_test_os::on_own_thread(thread, || 1 + 2), 3);
/// ```
pub fn on_own_thread<T: Send>(thread: Builder, what: impl FnOnce() -> T + Send) -> T {
    struct HandedMessage(*const ExitMessage);
    // SAFETY: the words are immutable texts that outlive the thread, which is joined below.
    unsafe impl Send for HandedMessage {}
    let handed = HandedMessage(WORDS.get());
    let ended = scope(|scope| {
        let run = move || {
            let handed = handed;
            WORDS.set(handed.0);
            what()
        };
        let thread = thread.spawn_scoped(scope, run);
        let ended = thread.expect("the system has a thread to spare").join();
        // The words are not read after this: the thread has ended.
        ended
    });
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Enables the messages of threads when the process ends. Returns true if the system supports them: on Linux.
pub fn enable_exit_messages() -> bool {
    #[cfg(target_os = "linux")]
    signals::install();
    cfg!(target_os = "linux")
}

#[cfg(target_os = "linux")]
mod signals {
    //! The signal handlers, and the `atexit` function.

    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{mem, ptr};

    use libc::{c_int, c_void, sigaction, siginfo_t};

    use super::{ExitMessage, WORDS};

    /// The signals by which a program ends itself, with the reason to print.
    const SIGNALS: [(c_int, &str); 6] = [
        (libc::SIGABRT, "the process was aborted (SIGABRT)"),
        (
            libc::SIGSEGV,
            "an invalid access to memory (SIGSEGV), or the stack overflowed",
        ),
        (libc::SIGBUS, "an invalid access to memory (SIGBUS)"),
        (libc::SIGILL, "an illegal instruction (SIGILL)"),
        (libc::SIGFPE, "an arithmetic exception (SIGFPE)"),
        (libc::SIGTRAP, "a trap (SIGTRAP)"),
    ];

    /// The previous handler of each signal: the standard library has one for stack overflows.
    static BEFORE: [OnceLock<sigaction>; SIGNALS.len()] =
        [const { OnceLock::new() }; SIGNALS.len()];

    /// The exit code of a process that calls `exit` during a test.
    const FAILED: c_int = 101;

    pub(super) fn install() {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            for ((signal, _), before) in SIGNALS.iter().zip(&BEFORE) {
                // SAFETY: all zeros are a valid `sigaction`, with an empty set of signals.
                let mut now: sigaction = unsafe { mem::zeroed() };
                now.sa_sigaction = handle as *const () as usize;
                // The alternate stack is needed, since the thread's own may have overflowed.
                now.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                // SAFETY: all zeros are a valid `sigaction`.
                let mut found: sigaction = unsafe { mem::zeroed() };
                // SAFETY: reads the current handler into `found`, which is valid for writes.
                if unsafe { sigaction(*signal, ptr::null(), &raw mut found) } != 0 {
                    continue;
                }
                // The handler reads the previous one, so this is set before the handler is installed.
                let _ = before.set(found);
                // SAFETY: `handle` has the signature of an `SA_SIGINFO` handler, and is async-signal-safe.
                unsafe { sigaction(*signal, &raw const now, ptr::null_mut()) };
            }
            // SAFETY: `exits` may be called at the end of the process.
            unsafe { libc::atexit(exits) };
        });
    }

    /// Handles a signal: prints the message and calls the previous handler.
    extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let Some(at) = SIGNALS.iter().position(|(known, _)| *known == signal) else {
            return;
        };
        speak(SIGNALS[at].1);
        let before = BEFORE[at].get().filter(|before| {
            before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN
        });
        let Some(before) = before else {
            // SAFETY: restores the default action, and raises the signal on this thread after this handler.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
            return;
        };
        if before.sa_flags & libc::SA_SIGINFO != 0 {
            type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
            // SAFETY: with this flag, the number is the address of a function of this type.
            let handler = unsafe { mem::transmute::<usize, Handler>(before.sa_sigaction) };
            handler(signal, info, context);
        } else {
            // SAFETY: without this flag, the number is the address of a function of this type.
            let handler =
                unsafe { mem::transmute::<usize, extern "C" fn(c_int)>(before.sa_sigaction) };
            handler(signal);
        }
    }

    /// Runs when `exit` is called or `main` returns; ends the process if a message was printed.
    extern "C" fn exits() {
        if speak("the process was asked to exit") {
            // The call in progress was not completed, so the exit code must be a failure.
            // SAFETY: ends the process without running further exit handlers.
            unsafe { libc::_exit(FAILED) };
        }
    }

    /// Prints this thread's message once per process; returns true if there is one.
    fn speak(why: &str) -> bool {
        static SPOKEN: AtomicBool = AtomicBool::new(false);
        let words = WORDS.get();
        if words.is_null() {
            return false;
        }
        // SAFETY: by the invariant of `WORDS`, a pointer that isn't null is valid.
        let ExitMessage { before, after } = unsafe { &*words };
        if !SPOKEN.swap(true, Ordering::Relaxed) {
            // SAFETY: the texts live as long as the words, since `with_exit_message` borrows them.
            let (before, after) = unsafe { (&**before, &**after) };
            for text in [before, why, after] {
                write(text.as_bytes());
            }
        }
        true
    }

    fn write(mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: the pointer and the length are those of one slice.
            let written = unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(written @ 1..) => bytes = &bytes[written.min(bytes.len())..],
                _ => return,
            }
        }
    }
}
