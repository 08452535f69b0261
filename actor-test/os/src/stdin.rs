//! Exclusive access to standard input for the tester.

use std::io::BufRead;

/// Takes standard input over for the caller; on Linux, other code then finds standard input empty.
///
/// ```
/// use std::io::BufRead;
///
/// let lines = actor_test_os::take_stdin().lines();
/// # drop(lines);
/// let mut line = String::new();
/// # if cfg!(target_os = "linux") {
/// assert_eq!(std::io::stdin().read_line(&mut line)?, 0);
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn take_stdin() -> Box<dyn BufRead> {
    #[cfg(target_os = "linux")]
    if let Ok(taken) = linux::take() {
        return Box::new(std::io::BufReader::new(taken));
    }
    Box::new(std::io::stdin().lock())
}

#[cfg(target_os = "linux")]
mod linux {
    #![expect(
        unsafe_code,
        reason = "the standard library can't put another file in the place of standard input"
    )]

    use std::fs::File;
    use std::io::{Error, Result};
    use std::os::fd::{AsFd, AsRawFd};

    pub(super) fn take() -> Result<File> {
        let taken = std::io::stdin().as_fd().try_clone_to_owned()?;
        let nothing = File::open("/dev/null")?;
        // SAFETY: both descriptors are open; `taken` owns a copy of the one that is closed.
        match unsafe { libc::dup2(nothing.as_raw_fd(), libc::STDIN_FILENO) } {
            -1 => Err(Error::last_os_error()),
            _ => Ok(taken.into()),
        }
    }
}
