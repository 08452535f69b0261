//! The clock model of nodes: offset, drift, jumps and timestamp resolution, and their parser.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

const BILLION: f64 = 1e9;

/// The largest drift: the slowest clock goes at half the speed.
const DRIFT_MAX_PPB: u32 = 500_000_000;

/// The default jump of a clock.
const JUMP: Duration = Duration::from_secs(1);

/// The limits of clock skew between nodes, and from the right time. Default: no skew.
///
/// ```
/// use std::time::Duration;
/// use actor_test::clocks::Clocks;
///
/// let clocks: Clocks = "offset=20ms, drift=0.001".parse()?;
/// assert_eq!(clocks, Clocks::exact().with_offset(Duration::from_millis(20)).with_drift_ppb(1_000_000));
/// assert_eq!(clocks.to_string(), "offset=20ms,drift=0.001");
/// assert_eq!("drift=0.1%".parse::<Clocks>(), "drift=1000ppm".parse());
/// assert_eq!("exact".parse(), Ok(Clocks::exact()));
/// assert!("drift=2".parse::<Clocks>().unwrap_err().to_string().contains("drift=0.001"));
/// # Ok::<(), actor_test::clocks::ClocksError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Clocks {
    offset: Duration,
    drift_ppb: u32,
    jump: Duration,
    resolution: Duration,
}

impl Clocks {
    /// Creates clocks that all agree, and whose timestamps always compare exactly.
    pub const fn exact() -> Self {
        Self {
            offset: Duration::ZERO,
            drift_ppb: 0,
            jump: JUMP,
            resolution: Duration::ZERO,
        }
    }

    /// Sets the largest difference between any two clocks at the start.
    #[must_use]
    pub const fn with_offset(mut self, offset: Duration) -> Self {
        self.offset = offset;
        self
    }

    /// Sets how many nanoseconds a clock gains or loses in a second at most; half a second at most.
    #[must_use]
    pub const fn with_drift_ppb(mut self, ppb: u32) -> Self {
        self.drift_ppb = if ppb > DRIFT_MAX_PPB {
            DRIFT_MAX_PPB
        } else {
            ppb
        };
        self
    }

    /// Sets how far a clock jumps by a [fault](crate::faults::FaultKind::Clock). Default: a second.
    #[must_use]
    pub const fn with_jump(mut self, jump: Duration) -> Self {
        self.jump = jump;
        self
    }

    /// Sets up to which difference two [`Timestamp`](actor_core::Timestamp)s may compare in either order.
    #[must_use]
    pub const fn with_resolution(mut self, resolution: Duration) -> Self {
        self.resolution = resolution;
        self
    }

    /// Returns the largest difference between two clocks at the start.
    pub const fn offset(&self) -> Duration {
        self.offset
    }

    /// Returns the largest number of nanoseconds that a clock may gain or lose in a second.
    pub const fn drift_ppb(&self) -> u32 {
        self.drift_ppb
    }

    /// Returns how far a clock jumps.
    pub const fn jump(&self) -> Duration {
        self.jump
    }

    /// Returns the largest difference of two timestamps that may compare in either order.
    pub const fn resolution(&self) -> Duration {
        self.resolution
    }

    /// Returns true if no clock error is asked for.
    pub fn is_exact(&self) -> bool {
        *self == Self::exact()
    }

    /// Returns true if the clocks of nodes may differ without a fault.
    pub(crate) fn are_apart(&self) -> bool {
        !self.offset.is_zero() || self.drift_ppb > 0
    }
}

impl Default for Clocks {
    fn default() -> Self {
        Self::exact()
    }
}

impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            offset,
            drift_ppb,
            jump,
            resolution,
        } = *self;
        let own = |value: Duration, default| (value != default).then(|| duration_text(value));
        let drift = (drift_ppb > 0).then(|| drift_text(drift_ppb));
        let parts = [
            ("offset", own(offset, Duration::ZERO)),
            ("drift", drift),
            ("jump", own(jump, JUMP)),
            ("resolution", own(resolution, Duration::ZERO)),
        ];
        let parts = parts
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let parts: Vec<String> = parts.collect();
        match parts.is_empty() {
            true => f.write_str("exact"),
            false => f.write_str(&parts.join(",")),
        }
    }
}

/// Formats a drift as a fraction of one, for instance `0.001`.
fn drift_text(ppb: u32) -> String {
    let digits = format!("{ppb:09}");
    format!("0.{}", digits.trim_end_matches('0'))
}

/// Formats a duration as the parser reads it, in letters that need no quotes.
fn duration_text(duration: Duration) -> String {
    format!("{duration:?}").replace('µ', "u")
}

impl From<Clocks> for String {
    fn from(clocks: Clocks) -> Self {
        clocks.to_string()
    }
}

impl TryFrom<String> for Clocks {
    type Error = ClocksError;

    fn try_from(text: String) -> Result<Self, ClocksError> {
        text.parse()
    }
}

/// The reason why a text does not describe clocks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClocksError {
    /// The text names a setting that does not exist.
    #[error("clocks have no `{name}`; there are `offset`, `drift`, `jump` and `resolution`")]
    Unknown {
        /// The name in the text.
        name: String,
    },
    /// The text has a value that can't be parsed.
    #[error(
        "`{text}` is not of the form NAME=VALUE with commas between: `offset=20ms` (how far two clocks \
         may be apart at the start), `drift=0.001`, `drift=0.1%` or `drift=1000ppm` (how much faster or \
         slower one may go, up to a half), `jump=1s`, `resolution=1ms` (timestamps that are no further apart \
         compare either way); or `exact`"
    )]
    Malformed {
        /// The malformed part of the text.
        text: String,
    },
    /// The text gives a setting twice.
    #[error("`{name}` is given twice; give it once")]
    Twice {
        /// The name of the setting.
        name: String,
    },
}

impl FromStr for Clocks {
    type Err = ClocksError;

    fn from_str(text: &str) -> Result<Self, ClocksError> {
        let mut clocks = Self::exact();
        if text.trim() == "exact" {
            return Ok(clocks);
        }
        let mut given = Vec::new();
        for part in text.split(',').map(str::trim) {
            let malformed = || ClocksError::Malformed { text: part.into() };
            let (name, value) = part.split_once('=').ok_or_else(malformed)?;
            let (name, value) = (name.trim(), value.trim());
            clocks = match name {
                "offset" => duration(value).map(|offset| clocks.with_offset(offset)),
                "drift" => drift(value).map(|ppb| clocks.with_drift_ppb(ppb)),
                "jump" => duration(value)
                    .filter(|jump| !jump.is_zero())
                    .map(|jump| clocks.with_jump(jump)),
                "resolution" => duration(value).map(|it| clocks.with_resolution(it)),
                _ => return Err(ClocksError::Unknown { name: name.into() }),
            }
            .ok_or_else(malformed)?;
            if given.contains(&name) {
                return Err(ClocksError::Twice { name: name.into() });
            }
            given.push(name);
        }
        Ok(clocks)
    }
}

/// Splits a text into a number and the unit behind it.
fn amount(text: &str) -> Option<(f64, &str)> {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let digits = text.find(|c| !is_of_number(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit.trim()))
}

/// Parses a duration with its unit, of up to a year.
fn duration(text: &str) -> Option<Duration> {
    let (amount, unit) = amount(text)?;
    let nanoseconds = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" | "min" => 60e9,
        "h" => 3600e9,
        _ => return None,
    };
    let nanoseconds = (amount * nanoseconds).round();
    let year = 365.0 * 24.0 * 3600e9;
    (nanoseconds <= year).then(|| Duration::from_nanos(nanoseconds as u64))
}

/// Parses a drift, and returns it in parts per billion.
fn drift(text: &str) -> Option<u32> {
    let (amount, unit) = amount(text)?;
    let of = match unit {
        "" => 1.0,
        "%" => 1e2,
        "ppm" => 1e6,
        "ppb" => BILLION,
        _ => return None,
    };
    let ppb = (amount / of * BILLION).round();
    (ppb <= f64::from(DRIFT_MAX_PPB)).then_some(ppb as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for offset in [0, 1, 20_000, 1_500_000_000, 3_600_000_000_001] {
            for drift in [0, 1, 10, 1_000_000, 123_456_789, DRIFT_MAX_PPB] {
                for jump in [1, 1_000_000_000] {
                    let clocks = Clocks::exact()
                        .with_offset(Duration::from_nanos(offset))
                        .with_drift_ppb(drift)
                        .with_jump(Duration::from_nanos(jump))
                        .with_resolution(Duration::from_nanos(offset / 2));
                    let text = clocks.to_string();
                    assert_eq!(text.parse(), Ok(clocks), "{text}");
                    assert!(text.is_ascii() && !text.contains('-'), "{text}");
                }
            }
        }
    }

    #[test]
    fn an_error_says_what_would_be_right() {
        for wrong in [
            "",
            "offset",
            "offset=",
            "offset=5",
            "offset=5 parsecs",
            "offset=-1ms",
            "offset=366000h",
            "drift=0.6",
            "drift=51%",
            "drift=x",
            "drift=-0.1",
            "jump=0s",
            "offset=1ms,",
            "resolution=.",
            "exact,offset=1ms",
            "none",
        ] {
            let error = wrong.parse::<Clocks>().expect_err(wrong).to_string();
            assert!(error.contains("NAME=VALUE"), "{wrong}: {error}");
        }
        let error = |text: &str| text.parse::<Clocks>().expect_err(text).to_string();
        assert!(error("skew=1ms").starts_with("clocks have no `skew`; there are `offset`"));
        assert!(error("drift=0.1,drift=0.1").starts_with("`drift` is given twice"));
    }
}
