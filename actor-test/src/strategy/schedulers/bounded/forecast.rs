//! The estimated size of a bounded search: [`Forecast`].

use crate::data::extent::SizeEstimate;

/// The branching so far in a stratum, which holds the work items with equally many deviations.
///
/// Executions with more deviations have fewer places left to deviate, and meet fewer new states. So the
/// upper estimate supposes that each remaining execution branches like those of the current stratum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forecast {
    executions: u64,
    /// The alternatives that these executions noted, without and with additional deviations.
    same_cost: u64,
    further: u64,
    /// The number of states met before this stratum, and the new states per execution of the previous one.
    known: u64,
    rate: f64,
}

impl Forecast {
    /// Begins a stratum when `known` states have been met.
    pub(super) fn begin(&mut self, known: u64) {
        *self = Self {
            known,
            rate: self.rate(known),
            ..Self::default()
        };
    }

    /// Records the alternatives that an execution noted.
    pub(super) fn took(&mut self, same_cost: u64, further: u64) {
        self.executions += 1;
        self.same_cost += same_cost;
        self.further += further;
    }

    /// The expected executions from one with `left` deviations to spare, itself included, if they end.
    fn executions_of_one(&self, left: u32) -> Option<f64> {
        let executions = self.executions.max(1) as f64;
        let (same_cost, further) = (
            self.same_cost as f64 / executions,
            self.further as f64 / executions,
        );
        let each = (same_cost < 1.0).then(|| 1.0 / (1.0 - same_cost))?;
        let strata = (0..left).scan(each, |of, _| {
            *of *= further * each;
            Some(*of)
        });
        Some(each + strata.sum::<f64>())
    }

    /// The number of new states per execution of this stratum, when `known` states have been met.
    fn rate(&self, known: u64) -> f64 {
        (known - self.known) as f64 / self.executions.max(1) as f64
    }

    /// Estimates the extent from the pending items, given as deviations left and count. The search counts
    /// states if `by_states` is set, and executions otherwise; `met` is their number so far.
    pub(super) fn extent(
        &self,
        noted: impl Iterator<Item = (u32, u64)>,
        (met, by_states): (u64, bool),
    ) -> SizeEstimate {
        let (mut least, mut most) = (0, Some(0.0));
        for (left, count) in noted {
            least += count;
            let each = self.executions_of_one(left);
            most = most
                .zip(each)
                .map(|(most, each)| most + each * count as f64);
        }
        let doubted = |more: f64| met as f64 + more * SizeEstimate::ERROR_FACTOR;
        if !by_states {
            return SizeEstimate::between(met, (met + least) as f64, most.map(doubted));
        }
        // The first executions of a stratum may meet as many new states as those of the one before.
        let rate = self.rate(met).max(self.rate);
        let most = most.map(|most| doubted(most * rate));
        SizeEstimate::between(met, met as f64, most)
    }
}
