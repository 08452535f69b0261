//! How much a search by deviations has before it: [`Forecast`].

use crate::strategy::SizeEstimate;

/// What came of the executions of a stratum so far.
///
/// What takes more deviations has fewer places left to deviate, and meets fewer states that are new; so it is
/// at the most as if each execution to come led to as many others as those of the stratum in progress.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forecast {
    executions: u64,
    /// Others that they led to which take no more deviations, and which take more.
    same_cost: u64,
    further: u64,
    /// How many states were known before them, and how many each execution of the stratum before has met.
    known: u64,
    rate: f64,
}

impl Forecast {
    /// A stratum begins where so many states are known.
    pub(super) fn begin(&mut self, known: u64) {
        *self = Self {
            known,
            rate: self.rate(known),
            ..Self::default()
        };
    }

    /// An execution has led to these others.
    pub(super) fn took(&mut self, alike: u64, further: u64) {
        self.executions += 1;
        self.same_cost += alike;
        self.further += further;
    }

    /// How many executions come of one that may deviate so often, it among them; none where no end is in
    /// sight.
    fn executions_of_one(&self, left: u32) -> Option<f64> {
        let executions = self.executions.max(1) as f64;
        let (alike, further) = (
            self.same_cost as f64 / executions,
            self.further as f64 / executions,
        );
        let each = (alike < 1.0).then(|| 1.0 / (1.0 - alike))?;
        let strata = (0..left).scan(each, |of, _| {
            *of *= further * each;
            Some(*of)
        });
        Some(each + strata.sum::<f64>())
    }

    /// How many states each execution has met that were new, where so many are known now.
    fn rate(&self, known: u64) -> f64 {
        (known - self.known) as f64 / self.executions.max(1) as f64
    }

    /// From what is noted: how often each may deviate yet, and how many they are; and how many states are
    /// known, where these are what is counted, or else how many executions were run.
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
        // The first of a stratum may meet what those of the one before have met.
        let rate = self.rate(met).max(self.rate);
        let most = most.map(|most| doubted(most * rate));
        SizeEstimate::between(met, met as f64, most)
    }
}
