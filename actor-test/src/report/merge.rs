//! Merges the reports of the parts of a partitioned search.

use crate::data::coverage_claim::Gap;
use crate::report::data::{Bug, MergeData, Report, StepStatistics};
use crate::report::judging;
use crate::report::verdict::{SearchKind, Verdict};
use crate::settings::Settings;
use crate::settings::partition::Partition;

/// The maximum number of missing parts that an error lists.
const MISSING_MAX: usize = 8;

/// The reason why reports can't be merged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There is nothing to merge.
    #[error("no reports to merge")]
    Nothing,
    /// A report does not belong to a part of a search.
    #[error(
        "the report of `{0}` is not that of a part; run it with a partition, `1/4` for instance"
    )]
    NoPart(String),
    /// Two parts belong to different searches.
    #[error("{test}: parts {one} and {other} differ in their {what}: {values}")]
    Differ {
        /// The test.
        test: String,
        /// One part.
        one: Partition,
        /// The other part.
        other: Partition,
        /// The property in which they differ.
        what: &'static str,
        /// The two values.
        values: String,
    },
    /// A part occurs twice.
    #[error("{test}: part {part} is there twice")]
    Twice {
        /// The test.
        test: String,
        /// The part.
        part: Partition,
    },
    /// Parts are missing.
    #[error("{test}: part{} missing", match &parts[..] {
        [one] => format!(" {one} is"),
        several => format!("s {} are", several.join(", ")),
    })]
    Missing {
        /// The test.
        test: String,
        /// The parts, at most eight of them.
        parts: Vec<String>,
    },
}

impl Report {
    /// Merges the reports of all parts of a search, in any order.
    ///
    /// For strategies that learn nothing, the result equals that of the whole search, bug for bug, with
    /// [`keep_going`](crate::Tester::keep_going). Without it each part went on to its own first bug, of which
    /// the earliest remains. Under the portfolio, and for strategies that use the length of executions,
    /// each part has learnt by itself.
    ///
    /// # Errors
    ///
    /// A part is missing or occurs twice, or two parts differ in seed, settings or program.
    ///
    /// ```
    /// use actor_test::{Report, Tester};
    ///
    /// let part = |part: &str| Tester::new().partition(part.parse().unwrap()).run(|_| ());
    /// let whole = Report::merge([part("2/2"), part("1/2")])?;
    /// assert_eq!(whole.executions, 100);
    /// # Ok::<(), actor_test::report::MergeError>(())
    /// ```
    pub fn merge(parts: impl IntoIterator<Item = Self>) -> Result<Self, MergeError> {
        let mut parts: Vec<(MergeData, Self)> = parts
            .into_iter()
            .map(|mut report| match report.sketch.take() {
                Some(sketch) => Ok((*sketch, report)),
                None => Err(MergeError::NoPart(report.test)),
            })
            .collect::<Result<_, _>>()?;
        parts.sort_by_key(|(sketch, _)| sketch.partition.number());
        check(&parts)?;
        let mut parts = parts.into_iter();
        let (mut sketch, mut merged) = parts.next().ok_or(MergeError::Nothing)?;
        for (other_sketch, other) in parts {
            merged.add(other);
            sketch.step_sum += other_sketch.step_sum;
            sketch.behaviours.merge(other_sketch.behaviours);
        }
        merged.complete(&sketch);
        Ok(merged)
    }

    /// Returns true if the report belongs to a part of a sample, and can be merged.
    #[doc(hidden)]
    pub fn is_of_a_part(&self) -> bool {
        self.sketch.is_some()
    }

    fn add(&mut self, other: Self) {
        self.executions += other.executions;
        self.fair += other.fair;
        self.unfair += other.unfair;
        self.pruned += other.pruned;
        self.steps = match (self.steps, other.steps) {
            (Some(one), Some(other)) => Some(StepStatistics {
                min: one.min.min(other.min),
                avg: 0,
                max: one.max.max(other.max),
                count: one.count + other.count,
            }),
            (one, other) => one.or(other),
        };
        self.steps_total += other.steps_total;
        self.fair_over_unfair_bound += other.fair_over_unfair_bound;
        self.fair_at_bound += other.fair_at_bound;
        self.unfair_at_bound += other.unfair_at_bound;
        self.verdict.gaps.extend(other.verdict.gaps);
        self.undecided.merge(other.undecided);
        self.transient.merge(other.transient);
        self.unread.merge(other.unread);
        self.idle += other.idle;
        self.restless.merge(other.restless);
        self.liveness_unchecked |= other.liveness_unchecked;
        for (one, other) in self.strategies.iter_mut().zip(&other.strategies) {
            one.executions += other.executions;
            one.bugs += other.bugs;
            one.elapsed_s += other.elapsed_s;
        }
        for (label, times) in other.covered {
            *self.covered.entry(label).or_default() += times;
        }
        for (one, other) in self.faults.iter_mut().zip(&other.faults) {
            one.struck += other.struck;
            one.executions += other.executions;
            one.offered += other.offered;
        }
        let idle = |what: &String| other.without_a_chance.contains(what);
        self.without_a_chance.retain(idle);
        self.dead_letters += other.dead_letters;
        // A specification is vacuous only if it is so in all parts, and after a bug none reports it.
        self.vacuous.retain(|what| other.vacuous.contains(what));
        self.passed_over.extend(other.passed_over);
        self.passed_over.sort();
        self.passed_over.dedup();
        self.bugs.extend(other.bugs);
        self.unlisted += other.unlisted;
        // Each part ran the same saved schedules.
        self.saved = self.saved.max(other.saved);
        self.near = self.near.max(other.near);
        self.coverage.add(&other.coverage);
        self.opaque.extend(other.opaque);
        self.asked_for_bytes += other.asked_for_bytes;
        self.asked_for_time += other.asked_for_time;
        self.thread_s = self.thread_s.max(other.thread_s);
        self.elapsed_s = self.elapsed_s.max(other.elapsed_s);
    }

    /// Returns the verdict of all parts together: a sample, since each part knows only itself.
    fn merged_verdict(&self) -> Verdict {
        let cut = [
            (self.bounds.unfair(), self.unfair_at_bound),
            (self.bounds.fair(), self.fair_at_bound),
            (self.bounds.temperature(), self.transient.count),
        ];
        let were_cut = cut.into_iter().filter(|(_, executions)| *executions > 0);
        let mut gaps: Vec<Gap> = were_cut
            .map(|(bound, executions)| Gap::Steps { bound, executions })
            .collect();
        for gap in &self.verdict.gaps {
            let is_summed = matches!(gap, Gap::Steps { .. } | Gap::Parts);
            if !is_summed && !gaps.contains(gap) {
                gaps.push(gap.clone());
            }
        }
        let names = self.strategies.iter().map(|strategy| strategy.name.clone());
        Verdict {
            searched: SearchKind::Sample {
                strategies: names.collect(),
            },
            extent: None,
            gaps,
            assumptions: Vec::new(),
        }
    }

    /// Computes the values that depend on the sums.
    fn complete(&mut self, sketch: &MergeData) {
        if let Some(steps) = &mut self.steps {
            steps.avg = sketch.step_sum / steps.count.max(1);
        }
        self.verdict = self.merged_verdict();
        self.behaviours = sketch.behaviours.statistics();
        for (number, strategy) in self.strategies.iter_mut().enumerate() {
            strategy.new_behaviours = sketch.behaviours.first_seen_by(number);
            strategy.new_chance = sketch.behaviours.new_chance_of(number);
        }
        self.liveness_unchecked &= self.fair == 0 && !self.bugs.iter().any(Bug::is_liveness);
        self.opaque.sort();
        self.opaque.dedup();
        for bug in &mut self.bugs {
            // The path belongs to the machine that ran the part.
            bug.trace_path = None;
        }
        if !sketch.keep_going {
            let first = self.bugs.iter().map(|bug| bug.iteration).min();
            self.bugs.retain(|bug| Some(bug.iteration) == first);
        }
        self.list_bugs();
        judging::judge(
            self,
            &Settings {
                seed: self.seed,
                bounds: self.bounds,
                semantics: sketch.semantics,
                expect_bug: sketch.expect_bug.clone(),
                deny: sketch.deny,
                ..Settings::default()
            },
        );
    }
}

fn check(parts: &[(MergeData, Report)]) -> Result<(), MergeError> {
    let Some(((first, report), others)) = parts.split_first() else {
        return Err(MergeError::Nothing);
    };
    let test = || report.test.clone();
    for (other, other_report) in others {
        let differ = |what, one: String, another: String| MergeError::Differ {
            test: test(),
            one: first.partition,
            other: other.partition,
            what,
            values: format!("{one} and {another}"),
        };
        let names = |report: &Report| -> Vec<String> {
            let names = report
                .strategies
                .iter()
                .map(|strategy| strategy.name.clone());
            names.collect()
        };
        let text = |value: &dyn std::fmt::Debug| format!("{value:?}");
        let pairs: [(&'static str, String, String); 8] = [
            ("test", test(), other_report.test.clone()),
            (
                "number of parts",
                first.partition.of().to_string(),
                other.partition.of().to_string(),
            ),
            (
                "seed",
                report.seed.to_string(),
                other_report.seed.to_string(),
            ),
            (
                "iterations",
                report.iterations.to_string(),
                other_report.iterations.to_string(),
            ),
            (
                "strategies",
                names(report).join(", "),
                names(other_report).join(", "),
            ),
            ("bounds", text(&report.bounds), text(&other_report.bounds)),
            (
                "semantics",
                text(&(first.semantics, first.keep_going)),
                text(&(other.semantics, other.keep_going)),
            ),
            (
                "build: the same schedules went elsewhere",
                first.pilots.to_string(),
                other.pilots.to_string(),
            ),
        ];
        if let Some((what, one, another)) = pairs.into_iter().find(|(_, one, other)| one != other) {
            return Err(differ(what, one, another));
        }
    }
    let numbers: Vec<u64> = parts
        .iter()
        .map(|(sketch, _)| sketch.partition.number())
        .collect();
    if let Some(twice) = numbers.windows(2).position(|two| two[0] == two[1]) {
        return Err(MergeError::Twice {
            test: test(),
            part: parts[twice].0.partition,
        });
    }
    let of = first.partition.of();
    let missing = (1..=of).filter(|number| numbers.binary_search(number).is_err());
    let missing: Vec<String> = missing
        .take(MISSING_MAX)
        .map(|number| format!("{number}/{of}"))
        .collect();
    if !missing.is_empty() {
        return Err(MergeError::Missing {
            test: test(),
            parts: missing,
        });
    }
    Ok(())
}
