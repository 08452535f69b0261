//! The progress line of a test, fitted to the width of the terminal.

use std::time::Duration;

use actor_test::tool::extent::SizeEstimate;

use crate::words;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    pub(crate) executions: u64,
    /// The planned number of executions; `None` if a time limit decides.
    pub(crate) of: Option<u64>,
    pub(crate) steps: u64,
    pub(crate) bugs: u64,
    pub(crate) elapsed: Duration,
    /// The time limit of the test.
    pub(crate) limit: Option<Duration>,
    /// The estimated size of an exhaustive search.
    pub(crate) extent: Option<SizeEstimate>,
}

/// The least share of a search from which on the remaining time is estimated; an early estimate of the size
/// may be wrong by orders of magnitude.
const ETA_FROM: f64 = 0.01;

/// The minimum number of columns left for a test's name.
const NAME_MIN: usize = 16;

impl Progress {
    /// Returns the name of the test and the progress, together below `width` columns if `width` is 40 or
    /// more. Less important parts are dropped first, then the beginning of the name.
    pub(crate) fn line(&self, test: &str, width: usize) -> (String, String) {
        let room = width.saturating_sub(1);
        let least = wide(test).min(NAME_MIN);
        let forms = self.forms();
        let fitting = forms.iter().find(|form| wide(form) + least <= room);
        let rest = fitting.or(forms.last()).cloned().unwrap_or_default();
        (shortened(test, room.saturating_sub(wide(&rest))), rest)
    }

    /// Returns the possible texts after the name, the longest first.
    fn forms(&self) -> Vec<String> {
        let seconds = self.elapsed.as_secs_f64().max(0.001);
        let rate = |count: u64| rounded(count as f64 / seconds);
        let (done, bugs) = (self.executions, words::count(self.bugs, "bug"));
        let of = self.of.map_or_else(String::new, |of| format!(" of {of}"));
        let short = self.of.map_or_else(String::new, |of| format!("/{of}"));
        let (share, eta, bar) = (self.share(), self.eta(), self.bar(20));
        let (schedules, steps) = (rate(done), rate(self.steps));
        vec![
            format!(
                " {bar} {done}{of} schedules, {schedules} schedules/s, {steps} steps/s, {bugs}{share}{eta}"
            ),
            format!(" {bar} {done}{of} schedules, {schedules}/s, {bugs}{share}{eta}"),
            format!(" {bar} {done}{of} schedules, {bugs}{share}"),
            format!(" {bar} {done}{of} schedules, {bugs}"),
            format!(" {} {done}{short}, {bugs}", self.bar(10)),
            format!(" {done}{short}, {bugs}"),
        ]
    }

    /// Returns the progress without colours, for output that is not a terminal.
    pub(crate) fn words(&self) -> String {
        let bugs = words::count(self.bugs, "bug");
        let of = self.of.map_or_else(String::new, |of| format!(" of {of}"));
        let (share, eta) = (self.share(), self.eta());
        format!("{}{of} schedules, {bugs}{share}{eta}", self.executions)
    }

    fn fraction(&self) -> f64 {
        let fraction = match (self.of, self.limit, self.extent) {
            (Some(of), ..) => self.executions as f64 / of.max(1) as f64,
            (None, Some(limit), _) => self.elapsed.as_secs_f64() / limit.as_secs_f64(),
            // The lower estimate of the share is used.
            (None, None, Some(extent)) => extent.done().0,
            (None, None, None) => 0.0,
        };
        fraction.clamp(0.0, 1.0)
    }

    /// Returns the share of the search that is done, if it can be estimated.
    fn share(&self) -> String {
        let Some(extent) = &self.extent else {
            return String::new();
        };
        let (least, most) = extent.done();
        match (percent(least), percent(most)) {
            (_, most) if extent.most.is_none() => match extent.least == extent.met {
                true => ", no end in sight".into(),
                false => format!(", at most {most} done by estimate"),
            },
            (least, _) if extent.least == extent.met => {
                format!(", at least {least} done by estimate")
            }
            (least, most) if least == most => format!(", {most} done by estimate"),
            (least, most) => format!(", {least} to {most} done by estimate"),
        }
    }

    fn bar(&self, cells: usize) -> String {
        let full = (self.fraction() * cells as f64) as usize;
        let head = if full < cells { ">" } else { "" };
        format!("[{:cells$}]", format!("{}{head}", "=".repeat(full)))
    }

    /// Returns the remaining time, if it can be estimated.
    fn eta(&self) -> String {
        let fraction = self.fraction();
        let is_estimate = self.of.is_none() && self.limit.is_none();
        if fraction == 0.0 || is_estimate && fraction < ETA_FROM {
            return String::new();
        }
        let left = self.elapsed.as_secs_f64() * (1.0 - fraction) / fraction;
        let seconds = left.ceil() as u64;
        match seconds {
            0..60 => format!(", ETA {seconds}s"),
            60..3600 => format!(", ETA {}m {:02}s", seconds / 60, seconds % 60),
            _ => format!(", ETA {}h {:02}m", seconds / 3600, seconds / 60 % 60),
        }
    }
}

/// Formats a share with at most two digits, and never as 100 %.
fn percent(share: f64) -> String {
    match share * 100.0 {
        share if share >= 99.0 => "99 %".into(),
        share if share >= 10.0 => format!("{share:.0} %"),
        share if share >= 0.1 => format!("{share:.1} %"),
        _ => "less than 0.1 %".into(),
    }
}

fn wide(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Returns the end of the name, in at most `columns` columns.
fn shortened(name: &str, columns: usize) -> String {
    if wide(name) <= columns {
        return name.to_owned();
    }
    let mut end = name.chars();
    while wide(end.as_str()) + 1 > columns && end.next().is_some() {}
    format!("…{}", end.as_str())
}

fn rounded(rate: f64) -> String {
    match rate {
        rate if rate >= 1e6 => format!("{:.1} M", rate / 1e6),
        rate if rate >= 1e3 => format!("{:.0} k", rate / 1e3),
        rate => format!("{rate:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "samples::coffee_machine::failover_in_the_middle_of_a_brew";

    fn progress(executions: u64, of: Option<u64>) -> Progress {
        Progress {
            executions,
            of,
            steps: executions * 57,
            bugs: 1,
            elapsed: Duration::from_secs(30),
            limit: of.is_none().then(|| Duration::from_secs(120)),
            extent: None,
        }
    }

    fn shown(progress: &Progress, width: usize) -> String {
        let (name, rest) = progress.line(TEST, width);
        name + &rest
    }

    #[test]
    fn the_line_fits_40_80_and_200_columns() {
        let some = progress(41_000, Some(100_000));
        assert_eq!(
            shown(&some, 200),
            format!(
                "{TEST} [========>           ] 41000 of 100000 schedules, 1 k schedules/s, 78 k steps/s, 1 bug, ETA 44s"
            )
        );
        assert_eq!(
            shown(&some, 80),
            "…n_the_middle_of_a_brew [========>           ] 41000 of 100000 schedules, 1 bug"
        );
        assert_eq!(shown(&some, 40), "…e_middle_of_a_brew 41000/100000, 1 bug");
        for width in 40..=200 {
            for progress in [
                some,
                progress(3_000_000_000, None),
                progress(0, Some(u64::MAX / 2)),
            ] {
                let line = shown(&progress, width);
                assert!(wide(&line) < width, "{width}: {line}");
            }
        }
    }

    /// The bar shows the lower estimate of the share, and the ETA the longer time.
    #[test]
    fn an_estimate_is_shown_as_one() {
        let extent = |least, most| Progress {
            limit: None,
            extent: Some(SizeEstimate::between(41_000, least, most)),
            ..progress(41_000, None)
        };
        assert_eq!(
            shown(&extent(205_000.0, Some(410_000.0)), 200),
            format!(
                "{TEST} [==>                 ] 41000 schedules, 1 k schedules/s, 78 k steps/s, 1 bug, 10 % to 20 % done by estimate, ETA 4m 30s"
            )
        );
        let words = |least, most| extent(least, most).words();
        assert_eq!(
            words(41_000.0, Some(82_000.0)),
            "41000 schedules, 1 bug, at least 50 % done by estimate, ETA 30s"
        );
        assert_eq!(
            words(41_000.0, None),
            "41000 schedules, 1 bug, no end in sight"
        );
        assert_eq!(
            words(410_000.0, None),
            "41000 schedules, 1 bug, at most 10 % done by estimate"
        );
        assert_eq!(
            words(4_100_000.0, Some(4_100_000.0)),
            "41000 schedules, 1 bug, 1.0 % done by estimate, ETA 49m 30s"
        );
        // Below one part in a hundred, the estimate is too uncertain.
        assert_eq!(
            words(4_200_000.0, Some(4_200_000.0)),
            "41000 schedules, 1 bug, 1.0 % done by estimate"
        );
        assert_eq!(
            words(1e9, Some(1e9)),
            "41000 schedules, 1 bug, less than 0.1 % done by estimate"
        );
        for width in 40..=200 {
            assert!(wide(&shown(&extent(1e5, Some(1e6)), width)) < width);
        }
    }

    #[test]
    fn a_bar_is_full_at_the_end_and_not_before() {
        assert_eq!(progress(0, Some(10)).bar(10), "[>         ]");
        assert_eq!(progress(9, Some(10)).bar(10), "[=========>]");
        assert_eq!(progress(10, Some(10)).bar(10), "[==========]");
        assert_eq!(progress(12, Some(10)).bar(10), "[==========]");
        assert_eq!(progress(7, None).bar(8), "[==>     ]");
    }
}
