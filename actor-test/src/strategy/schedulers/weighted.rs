//! Weighted random walk, by weights of step kinds and events: [`Weighted`].

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::settings::strategy::{StrategySpec, Weights};
use crate::strategy::{
    Choice, Enabled, EventId, Execution, Fairness, Pending, Pruned, StepKind, Strategy, below,
    generator,
};

/// Picks at random by weights of step kinds (MaceMC, section 4.3): unbiased walks take unlikely paths, such
/// as a timer that fires seven times in a row before a message arrives.
///
/// Fair, since every weight is positive.
#[derive(Debug)]
pub struct Weighted {
    weights: Weights,
    /// The weights of events, by the name of their type.
    events: Vec<(String, u32)>,
    /// The looked-up weights of event types, if any event has a weight of its own.
    known: BTreeMap<EventId, Option<u32>>,
    largest: u64,
    rng: Xoshiro256PlusPlus,
}

impl Weighted {
    /// Creates a walk with the given weights; a weight of zero counts as one.
    pub fn new(weights: Weights) -> Self {
        let weights = Weights {
            work: weights.work.max(1),
            timer: weights.timer.max(1),
        };
        Self {
            weights,
            events: Vec::new(),
            known: BTreeMap::new(),
            largest: u64::from(weights.work.max(weights.timer)),
            rng: generator(0),
        }
    }

    /// Sets the weight of steps that send, handle or fire an event of a type, whatever their kind. Types
    /// are named as in their declaration, without a path. An event that never occurs changes nothing.
    ///
    /// ```
    /// use actor_test::strategy::{Strategy, Weighted, Weights};
    ///
    /// let walk = Weighted::new(Weights::default()).event("Heartbeat", 1).event("Vote", 20);
    /// assert_eq!(walk.name(), "weighted:8/1/Heartbeat=1/Vote=20");
    /// ```
    #[must_use]
    pub fn event(mut self, name: &str, weight: u32) -> Self {
        let weight = weight.max(1);
        self.largest = self.largest.max(u64::from(weight));
        self.events.push((name.into(), weight));
        self
    }

    fn weight(&mut self, pending: &Pending, enabled: &Enabled<'_>) -> u64 {
        let own = match pending.event {
            Some(event) if !self.events.is_empty() => self.weight_of(event, pending, enabled),
            _ => None,
        };
        let by_kind = match pending.kind {
            StepKind::Timer => self.weights.timer,
            _ => self.weights.work,
        };
        u64::from(own.unwrap_or(by_kind))
    }

    /// The weight of an event type of its own, if it has one.
    fn weight_of(
        &mut self,
        event: EventId,
        pending: &Pending,
        enabled: &Enabled<'_>,
    ) -> Option<u32> {
        if let Some(known) = self.known.get(&event) {
            return *known;
        }
        let name = enabled.details()?.event(pending)?;
        let named = self.events.iter().find(|(of, _)| of == name);
        let weight = named.map(|(_, weight)| *weight);
        self.known.insert(event, weight);
        weight
    }
}

impl Strategy for Weighted {
    fn name(&self) -> String {
        let spec = match self.events.is_empty() {
            true => StrategySpec::Weighted(self.weights),
            false => StrategySpec::WeightedEvents(self.weights, self.events.clone()),
        };
        spec.to_string()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.rng = generator(execution.seed);
        Some(Fairness::Fair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        // Rejection makes the price of a step independent of the number of enabled operations: one drawn
        // uniformly is taken with its share of the largest weight.
        loop {
            let index = below(&mut self.rng, enabled.len() as u64) as usize;
            let weight = self.weight(&enabled[index], enabled);
            if weight == self.largest || below(&mut self.rng, self.largest) < weight {
                return Ok(index);
            }
        }
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        Some(below(&mut self.rng, choice.bound()) as u32)
    }
}
