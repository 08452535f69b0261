//! The functions of the C library that are defined here, so that this executable calls these.
//!
//! The definition of an executable comes before that of a library that it loads, at link time and, since
//! the linker exports what a library on its line defines as well, for `dlsym(RTLD_DEFAULT, ..)`. Each
//! does what its namesake does, but for threads that are answered.

#![expect(
    unsafe_code,
    reason = "functions of the C library can be defined, and the kernel called, in no other way"
)]

use std::arch::asm;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use libc::{c_int, c_long, c_uint, c_void, clockid_t, size_t, ssize_t, time_t, timespec, timeval};

use crate::answers::{self, EPOCH_S};

/// How many bytes `getentropy` hands out at most.
const ENTROPY_MAX: size_t = 256;

/// The C library's `clock_gettime`, which asks the kernel without entering it; null as long as it was
/// not looked for.
static CLOCK_GETTIME: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Looks for the C library's `clock_gettime`. Before, and where it is not found, the kernel is asked.
pub(crate) fn find_clock() {
    if CLOCK_GETTIME.load(Ordering::Relaxed).is_null() {
        // SAFETY: the name ends in a zero, and `RTLD_NEXT` leaves out this executable's own definition.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"clock_gettime".as_ptr()) };
        CLOCK_GETTIME.store(found, Ordering::Relaxed);
    }
}

/// `getrandom(2)`
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(bytes: *mut c_void, count: size_t, flags: c_uint) -> ssize_t {
    // SAFETY: the caller's promises are those of the function of this name.
    if unsafe { fill(bytes, count) } {
        return count as ssize_t;
    }
    let asked = [
        bytes.expose_provenance() as c_long,
        count as c_long,
        c_long::from(flags),
        0,
        0,
        0,
    ];
    // SAFETY: the arguments are those of this system call, and the caller's promises are the kernel's.
    unsafe { system(libc::SYS_getrandom, asked) as ssize_t }
}

/// `getentropy(3)`
#[unsafe(no_mangle)]
unsafe extern "C" fn getentropy(bytes: *mut c_void, count: size_t) -> c_int {
    if count > ENTROPY_MAX {
        set_error(libc::EIO);
        return -1;
    }
    let mut filled = 0;
    while filled < count {
        // SAFETY: `filled` is less than `count`, so that this points into the caller's bytes.
        let rest = unsafe { bytes.byte_add(filled) };
        // SAFETY: the caller's promises hold for a part of its bytes.
        match unsafe { getrandom(rest, count - filled, 0) } {
            // SAFETY: a number of its own for each thread, which is always there.
            failed if failed < 0 && unsafe { *libc::__errno_location() } != libc::EINTR => {
                return -1;
            }
            failed if failed < 0 => {}
            read => filled += read as size_t,
        }
    }
    0
}

/// `syscall(2)`, by which some crates ask for random bytes.
///
/// It takes as many arguments as the caller has, up to six. In the calling conventions of the two
/// processors the caller puts them where these six are looked for; the rest of those places has
/// something, which the kernel does not look at.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    match number {
        libc::SYS_getrandom => {
            let bytes = ptr::with_exposed_provenance_mut(a as usize);
            // SAFETY: the caller's promises are those of `getrandom`, for it asks for that.
            unsafe { getrandom(bytes, b as size_t, c as c_uint) as c_long }
        }
        libc::SYS_clock_gettime => {
            let time = ptr::with_exposed_provenance_mut(b as usize);
            // SAFETY: the caller's promises are those of `clock_gettime`, for it asks for that.
            unsafe { c_long::from(clock_gettime(a as clockid_t, time)) }
        }
        // SAFETY: the caller's promises are the kernel's.
        _ => unsafe { system(number, [a, b, c, d, e, f]) },
    }
}

/// `clock_gettime(2)`
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    if !time.is_null()
        && let Some(since) = since(clock)
    {
        let answer = timespec {
            tv_sec: since.as_secs() as time_t,
            tv_nsec: c_long::from(since.subsec_nanos() as i32),
        };
        // SAFETY: the caller hands over a place for a time.
        unsafe { time.write(answer) };
        return 0;
    }
    // SAFETY: the caller's promises are those of the function of this name.
    unsafe { system_clock(clock, time) }
}

/// `gettimeofday(2)`
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int {
    if !zone.is_null() {
        // What it says of zones has been of no use for long; it is as good as any answer.
        // SAFETY: the caller hands over a place for two numbers.
        unsafe { zone.cast::<[c_int; 2]>().write([0; 2]) };
    }
    if !time.is_null() {
        let now = date();
        let answer = timeval {
            tv_sec: now.tv_sec,
            tv_usec: now.tv_nsec / 1_000,
        };
        // SAFETY: the caller hands over a place for a time.
        unsafe { time.write(answer) };
    }
    0
}

/// `time(2)`
#[unsafe(no_mangle)]
unsafe extern "C" fn time(place: *mut time_t) -> time_t {
    let now = date().tv_sec;
    if !place.is_null() {
        // SAFETY: the caller hands over a place for a time.
        unsafe { place.write(now) };
    }
    now
}

/// What this clock shows to a thread that is answered. Those of the processor's time are the system's.
fn since(clock: clockid_t) -> Option<Duration> {
    let begun = match clock {
        libc::CLOCK_REALTIME
        | libc::CLOCK_REALTIME_COARSE
        | libc::CLOCK_REALTIME_ALARM
        | libc::CLOCK_TAI => Duration::from_secs(EPOCH_S).saturating_sub(answers::date_back()),
        // A program that blocks until so much later waits for a moment of the system's clock, which is
        // ahead of this one; so it waits no longer than it says.
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME
        | libc::CLOCK_BOOTTIME_ALARM => Duration::ZERO,
        _ => return None,
    };
    answers::clock().map(|since| begun.saturating_add(since))
}

/// The date, answered or not.
fn date() -> timespec {
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: there is a place for a time.
    unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    now
}

/// Fills the caller's bytes, where this thread is answered.
///
/// # Safety
///
/// `bytes` points to `count` bytes that nobody else reads or writes.
unsafe fn fill(bytes: *mut c_void, count: size_t) -> bool {
    // Who asks for none tries whether the system can.
    if count == 0 || bytes.is_null() || !answers::asks() {
        return false;
    }
    let bytes = bytes.cast::<u8>();
    // They may hold nothing yet, which is no `u8`.
    // SAFETY: the caller hands over so many bytes to be written.
    unsafe { bytes.write_bytes(0, count) };
    // SAFETY: so many bytes were written just now, and are the caller's alone.
    answers::fill(unsafe { std::slice::from_raw_parts_mut(bytes, count) });
    true
}

/// The system's clock.
///
/// # Safety
///
/// As for `clock_gettime`.
unsafe fn system_clock(clock: clockid_t, time: *mut timespec) -> c_int {
    let found = CLOCK_GETTIME.load(Ordering::Relaxed);
    if found.is_null() {
        let asked = [
            c_long::from(clock),
            time.expose_provenance() as c_long,
            0,
            0,
            0,
            0,
        ];
        // SAFETY: the arguments are those of this system call, and the caller's promises are the kernel's.
        return unsafe { system(libc::SYS_clock_gettime, asked) as c_int };
    }
    type Function = unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int;
    // SAFETY: what was found by that name is the C library's function, of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, Function>(found) };
    // SAFETY: the caller's promises are those of the function of this name.
    unsafe { function(clock, time) }
}

/// Calls the kernel; -1 and `errno` where it refuses.
///
/// # Safety
///
/// As for the system call of that number.
unsafe fn system(number: c_long, asked: [c_long; 6]) -> c_long {
    // SAFETY: the caller's promises are the kernel's.
    let answer = unsafe { call(number, asked) };
    if (-4095..0).contains(&answer) {
        set_error(-answer as c_int);
        return -1;
    }
    answer
}

#[cfg(target_arch = "x86_64")]
unsafe fn call(number: c_long, [a, b, c, d, e, f]: [c_long; 6]) -> c_long {
    let answer;
    // SAFETY: the kernel takes its arguments from these registers, and changes the three that are
    // declared to be lost; what it does to memory is what the caller asks for.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => answer,
            in("rdi") a,
            in("rsi") b,
            in("rdx") c,
            in("r10") d,
            in("r8") e,
            in("r9") f,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

#[cfg(target_arch = "aarch64")]
unsafe fn call(number: c_long, [a, b, c, d, e, f]: [c_long; 6]) -> c_long {
    let answer;
    // SAFETY: the kernel takes its arguments from these registers, and changes the first; what it does
    // to memory is what the caller asks for.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a => answer,
            in("x1") b,
            in("x2") c,
            in("x3") d,
            in("x4") e,
            in("x5") f,
            options(nostack),
        );
    }
    answer
}

fn set_error(number: c_int) {
    // SAFETY: a number of its own for each thread, which is always there.
    unsafe { *libc::__errno_location() = number };
}
