//! What is still said when the process ends in the middle of something: by a signal, or since somebody
//! calls `exit`.
//!
//! The words are prepared while all is well, and a thread points to them. A signal handler may do next to
//! nothing (`signal-safety(7)`): this one reads the pointer and calls `write`.

#![expect(
    unsafe_code,
    reason = "signal handlers, and a pointer that lives as long as what it points to"
)]

use std::cell::Cell;
use std::ptr;
use std::thread::{Builder, scope};

/// What a thread has to say.
struct Words {
    before: *const str,
    after: *const str,
}

thread_local! {
    /// What this thread has to say; null where it has nothing.
    // Invariant: points to the words of a call of `with_last_words` that has not returned: in this thread,
    // or in one that waits for this one.
    static WORDS: Cell<*const Words> = const { Cell::new(ptr::null()) };
}

/// The words of before are back when this is dropped.
struct Speaking(*const Words);

impl Drop for Speaking {
    fn drop(&mut self) {
        WORDS.set(self.0);
    }
}

/// Does something. Where the process ends meanwhile, by this thread's doing, `before` is written to
/// standard error, then the reason, then `after`; and where it was told to exit, its exit code is 101.
/// Nothing is, unless it was [asked for](speak_at_the_end).
///
/// ```
/// let sum = actor_test_os::with_last_words("while adding: ", "\n", || 1 + 2);
/// assert_eq!(sum, 3);
/// ```
pub fn with_last_words<T>(before: &str, after: &str, what: impl FnOnce() -> T) -> T {
    let words = Words { before, after };
    let _speaking = Speaking(WORDS.replace(&raw const words));
    what()
}

/// Does something on a thread of its own, and waits for it: a panic goes on here. What this thread has to
/// say, that one has.
///
/// # Panics
///
/// Where the system has no thread to spare.
///
/// ```
/// let thread = std::thread::Builder::new();
/// assert_eq!(actor_test_os::on_own_thread(thread, || 1 + 2), 3);
/// ```
pub fn on_own_thread<T: Send>(thread: Builder, what: impl FnOnce() -> T + Send) -> T {
    struct Handed(*const Words);
    // SAFETY: the words are texts that nobody changes, and outlive the thread, which is waited for below.
    unsafe impl Send for Handed {}
    let handed = Handed(WORDS.get());
    let ended = scope(|scope| {
        let run = move || {
            let handed = handed;
            WORDS.set(handed.0);
            what()
        };
        let thread = thread.spawn_scoped(scope, run);
        let ended = thread.expect("the system has a thread to spare").join();
        // The words are not looked at after this: the thread is over.
        ended
    });
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// From now on threads that have something to say do so where the process ends. Tells whether they do:
/// on Linux.
pub fn speak_at_the_end() -> bool {
    #[cfg(target_os = "linux")]
    signals::install();
    cfg!(target_os = "linux")
}

#[cfg(target_os = "linux")]
mod signals {
    //! The handlers.

    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{mem, ptr};

    use libc::{c_int, c_void, sigaction, siginfo_t};

    use super::{WORDS, Words};

    /// The signals by which a program ends itself, and what each says.
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

    /// Who handled each before: the standard library has a handler for the overflow of a stack.
    static BEFORE: [OnceLock<sigaction>; SIGNALS.len()] =
        [const { OnceLock::new() }; SIGNALS.len()];

    /// The exit code of a process that was told to exit.
    const FAILED: c_int = 101;

    pub(super) fn install() {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            for ((signal, _), before) in SIGNALS.iter().zip(&BEFORE) {
                // SAFETY: all zeros are a valid `sigaction`, with an empty set of signals.
                let mut now: sigaction = unsafe { mem::zeroed() };
                now.sa_sigaction = handle as *const () as usize;
                // On the other stack, where a thread has one: its own may have overflowed.
                now.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                // SAFETY: all zeros are a valid `sigaction`.
                let mut found: sigaction = unsafe { mem::zeroed() };
                // SAFETY: asks who handles it, and there is a place for the answer.
                if unsafe { sigaction(*signal, ptr::null(), &raw mut found) } != 0 {
                    continue;
                }
                // Before the handler is there, which needs it.
                let _ = before.set(found);
                // SAFETY: `handle` is a handler of this kind, which does nothing but what one may do.
                unsafe { sigaction(*signal, &raw const now, ptr::null_mut()) };
            }
            // SAFETY: `exits` is a function that may be called at the end of the process.
            unsafe { libc::atexit(exits) };
        });
    }

    /// A signal is there.
    extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let Some(at) = SIGNALS.iter().position(|(known, _)| *known == signal) else {
            return;
        };
        speak(SIGNALS[at].1);
        let before = BEFORE[at].get().filter(|before| {
            before.sa_sigaction != libc::SIG_DFL && before.sa_sigaction != libc::SIG_IGN
        });
        let Some(before) = before else {
            // SAFETY: makes the signal what it is by default, and sends it to this thread, which has it
            // when this handler has returned.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
            return;
        };
        if before.sa_flags & libc::SA_SIGINFO != 0 {
            type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
            // SAFETY: with this flag the number is a function of this type.
            let handler = unsafe { mem::transmute::<usize, Handler>(before.sa_sigaction) };
            handler(signal, info, context);
        } else {
            // SAFETY: without it, of this one.
            let handler =
                unsafe { mem::transmute::<usize, extern "C" fn(c_int)>(before.sa_sigaction) };
            handler(signal);
        }
    }

    /// Somebody has called `exit`, or `main` has returned, where nobody has anything to say.
    extern "C" fn exits() {
        if speak("the process was told to exit") {
            // What was under way is not done, whatever the code says.
            // SAFETY: ends the process, with what is left to be done at its end undone.
            unsafe { libc::_exit(FAILED) };
        }
    }

    /// Says what this thread has to say, once; tells whether it has anything.
    fn speak(why: &str) -> bool {
        static SPOKEN: AtomicBool = AtomicBool::new(false);
        let words = WORDS.get();
        if words.is_null() {
            return false;
        }
        // SAFETY: as the invariant says, what it points to is there.
        let Words { before, after } = unsafe { &*words };
        if !SPOKEN.swap(true, Ordering::Relaxed) {
            // SAFETY: the texts live as long as the words, whose maker borrows them.
            let (before, after) = unsafe { (&**before, &**after) };
            for text in [before, why, after] {
                write(text.as_bytes());
            }
        }
        true
    }

    fn write(mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: so many bytes are there.
            let written = unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(written @ 1..) => bytes = &bytes[written.min(bytes.len())..],
                _ => return,
            }
        }
    }
}
