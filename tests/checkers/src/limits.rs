//! Limits on one search.

use cpu_time::ProcessTime;

/// The CPU time and the memory after which a search is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) seconds: u64,
    kilobytes: u64,
}

impl Limits {
    /// Reads seconds and megabytes, each of which may be missing.
    pub(crate) fn of(arguments: &[String]) -> Option<Self> {
        let number = |at: usize| match arguments.get(at) {
            Some(text) => text.parse().ok(),
            None => Some(u64::from(u32::MAX)),
        };
        Some(Self {
            seconds: number(0)?,
            kilobytes: number(1)? * 1024,
        })
    }

    /// Returns true once this process has used more than either limit.
    pub(crate) fn are_passed(self) -> bool {
        let used = ProcessTime::try_now().map_or(0, |now| now.as_duration().as_secs());
        used >= self.seconds || memory_kb("VmRSS:") >= self.kilobytes
    }
}

/// Returns a figure on this process, `VmRSS:` or `VmHWM:`, in kB; zero if the system does not report it.
pub(crate) fn memory_kb(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
