//! Interposed functions of the C library: random bytes and clocks, simulated or forwarded.
//!
//! A definition in an executable has precedence over one in a library that it loads, at link time and also
//! for `dlsym(RTLD_DEFAULT, ..)`, since the linker exports symbols that a linked library defines as well.
//! Each function does the same as the one it replaces, except on simulated threads.

#![expect(
    unsafe_code,
    reason = "functions of the C library can be defined, and the kernel called, in no other way"
)]

use std::arch::asm;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use libc::{c_int, c_long, c_uint, c_void, clockid_t, size_t, ssize_t, time_t, timespec, timeval};

use crate::simulation::{self, EPOCH_S};

/// The maximum number of bytes of one `getentropy` call.
const ENTROPY_MAX: size_t = 256;

/// The C library's `clock_gettime`, which needs no system call; null until it is looked up.
static CLOCK_GETTIME: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Looks up the C library's `clock_gettime`. Before that, or if it is not found, the kernel is called.
pub(crate) fn find_clock() {
    if CLOCK_GETTIME.load(Ordering::Relaxed).is_null() {
        // SAFETY: the name ends in a zero, and `RTLD_NEXT` skips this executable's own definition.
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
            // SAFETY: `errno` is a number of each thread, which always exists.
            failed if failed < 0 && unsafe { *libc::__errno_location() } != libc::EINTR => {
                return -1;
            }
            failed if failed < 0 => {}
            read => filled += read as size_t,
        }
    }
    0
}

/// `syscall(2)`, which some crates use to request random bytes.
///
/// The number of arguments varies up to six. In the calling conventions of the two processors, the caller
/// passes them in the places of these six parameters. Unused places hold arbitrary values, which the kernel
/// ignores.
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
            // SAFETY: the caller requests `getrandom`, so the caller's promises are those of `getrandom`.
            unsafe { getrandom(bytes, b as size_t, c as c_uint) as c_long }
        }
        libc::SYS_clock_gettime => {
            let time = ptr::with_exposed_provenance_mut(b as usize);
            // SAFETY: the caller requests `clock_gettime`, so the caller's promises are those of
            // `clock_gettime`.
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
        // SAFETY: the caller passes a place that is valid for writes of a time.
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
        // Time zones of this function are obsolete, so zeros are as good as any answer.
        // SAFETY: the caller passes a place that is valid for writes of two numbers.
        unsafe { zone.cast::<[c_int; 2]>().write([0; 2]) };
    }
    if !time.is_null() {
        let now = date();
        let answer = timeval {
            tv_sec: now.tv_sec,
            tv_usec: now.tv_nsec / 1_000,
        };
        // SAFETY: the caller passes a place that is valid for writes of a time.
        unsafe { time.write(answer) };
    }
    0
}

/// `time(2)`
#[unsafe(no_mangle)]
unsafe extern "C" fn time(place: *mut time_t) -> time_t {
    let now = date().tv_sec;
    if !place.is_null() {
        // SAFETY: the caller passes a place that is valid for writes of a time.
        unsafe { place.write(now) };
    }
    now
}

/// Returns the value of a clock on a simulated thread; clocks of processor time are not simulated.
fn since(clock: clockid_t) -> Option<Duration> {
    let begun = match clock {
        libc::CLOCK_REALTIME
        | libc::CLOCK_REALTIME_COARSE
        | libc::CLOCK_REALTIME_ALARM
        | libc::CLOCK_TAI => Duration::from_secs(EPOCH_S).saturating_sub(simulation::date_back()),
        // A program that blocks until a time of this clock waits for a time of the system's clock, which is
        // ahead of this one; so the program does not wait too long.
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME
        | libc::CLOCK_BOOTTIME_ALARM => Duration::ZERO,
        _ => return None,
    };
    simulation::clock().map(|since| begun.saturating_add(since))
}

/// Returns the date, simulated or not.
fn date() -> timespec {
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is valid for writes.
    unsafe { clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    now
}

/// Fills the caller's bytes if this thread is simulated; returns true if so.
///
/// # Safety
///
/// `bytes` points to `count` bytes that nobody else reads or writes.
unsafe fn fill(bytes: *mut c_void, count: size_t) -> bool {
    // A request for zero bytes is a check of the system's support.
    if count == 0 || bytes.is_null() || !simulation::asks() {
        return false;
    }
    let bytes = bytes.cast::<u8>();
    // The bytes may be uninitialised, which a `u8` must not be.
    // SAFETY: the caller passes `count` bytes that are valid for writes.
    unsafe { bytes.write_bytes(0, count) };
    // SAFETY: `count` bytes were just written, and only the caller has access to them.
    simulation::fill(unsafe { std::slice::from_raw_parts_mut(bytes, count) });
    true
}

/// Reads the system's clock.
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
    // SAFETY: the symbol of that name is the C library's function, which has this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, Function>(found) };
    // SAFETY: the caller's promises are those of the function of this name.
    unsafe { function(clock, time) }
}

/// Makes a system call; returns -1 and sets `errno` if the kernel reports an error.
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
    // SAFETY: `errno` is a number of each thread, which always exists.
    unsafe { *libc::__errno_location() = number };
}
