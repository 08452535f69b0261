//! Delaying explorers (delay bounding), and random search bounded by their delays.

mod delayed;
mod led;
mod round_robin;
mod run_to_completion;

use std::fmt;

pub use delayed::Delayed;
pub(super) use led::ExplorerDriver;
pub use round_robin::RoundRobin;
pub use run_to_completion::RunToCompletion;

use crate::strategy::{Enabled, Execution, FaultTiming, OperationId, Pending, PossibleFault};

/// A default schedule, and a way to deviate from it (Desai, Qadeer and Seshia, Systematic Testing of
/// Asynchronous Reactive Systems, ESEC/FSE 2015, section 3).
///
/// The explorer chooses the next operation, and a search chooses the steps at which that one is passed
/// over. Executions with fewer delays are explored sooner, so the explorer decides in which schedules bugs
/// are found first: [`RoundRobin`] in nearly fair ones, [`RunToCompletion`] along chains of events, your
/// own one in the phase of the protocol that matters most.
///
/// An explorer must be *sound*: with n enabled operations, n - 1 delays bring each of them to the front
/// once, so that every schedule is possible. [`Bounded`](crate::strategy::Bounded) checks this at run time, and makes
/// no coverage claim for an explorer that isn't sound.
///
/// # Example
///
/// In chain replication (section 5.4 of the paper), servers form a chain, a master monitors them, and a
/// fault injector removes servers. Faults during the set-up find shallow bugs only. This explorer takes
/// operations in the order of creation, but keeps the last two, master and injector, at the end of the
/// round until the set-up is over. From there on it puts them first. Faults of `faults(..)` are no operations:
/// these it holds back by [`fault_timing`](DelayingExplorer::fault_timing).
///
/// ```
/// use actor_test::Tester;
/// use actor_test::strategy::{
///     Delayed, DelayingExplorer, Enabled, Execution, FaultTiming, OperationId, Pending, PossibleFault,
/// };
///
/// #[derive(Debug)]
/// struct FaultsLate {
///     /// The operations that wait for the set-up to end: their numbers in order of creation.
///     disturbers: [usize; 2],
///     /// How many steps the set-up takes.
///     set_up: u64,
///     steps: u64,
///     /// Who comes next, or the first behind it in the round.
///     head: Option<(bool, OperationId)>,
/// }
///
/// impl FaultsLate {
///     /// The place in the round.
///     fn place(&self, operation: OperationId) -> (bool, OperationId) {
///         let disturbs = !operation.is_timer() && self.disturbers.contains(&operation.index());
///         let early = self.steps < self.set_up;
///         (disturbs == early, operation)
///     }
/// }
///
/// impl DelayingExplorer for FaultsLate {
///     fn name(&self) -> String {
///         "faults-late".into()
///     }
///     fn begin(&mut self, _: &Execution) {
///         (self.steps, self.head) = (0, None);
///     }
///     fn next(&self, enabled: &Enabled<'_>) -> usize {
///         let order = |index: &usize| {
///             let place = self.place(enabled[*index].operation);
///             (self.head.is_some_and(|head| place < head), place)
///         };
///         (0..enabled.len()).min_by_key(order).unwrap_or(0)
///     }
///     fn delay(&mut self, enabled: &Enabled<'_>) {
///         let passed = self.place(enabled[self.next(enabled)].operation);
///         let places = enabled.iter().map(|pending| self.place(pending.operation));
///         let behind = places.clone().filter(|place| *place > passed).min();
///         self.head = behind.or(places.min());
///     }
///     fn stepped(&mut self, step: &Pending) {
///         self.steps += 1;
///         // The phase that begins goes round from its own first.
///         let same_phase = self.steps != self.set_up;
///         self.head = same_phase.then(|| self.place(step.operation));
///     }
///     fn times_faults(&self) -> bool {
///         true
///     }
///     fn fault_timing(&self, _: PossibleFault<'_>) -> FaultTiming {
///         match self.steps < self.set_up {
///             true => FaultTiming::Later,
///             false => FaultTiming::Placed,
///         }
///     }
/// }
///
/// // Four servers, which are operations 1 to 4 after the body, then the two that disturb them.
/// let explorer = FaultsLate { disturbers: [5, 6], set_up: 40, steps: 0, head: None };
/// let report = Tester::new().custom_strategy(Box::new(Delayed::new(explorer, 3))).run(|sys| {
///     // sys.spawn(...)
/// #   let _ = sys;
/// });
/// report.assert_clean();
/// ```
///
/// Instead of counting steps, the program can report the change of phase (`changeorder` in the paper). Give
/// the explorer and an actor the same `Arc<AtomicBool>`, let the actor set it after the set-up, and reset
/// it in [`begin`](Self::begin). Read it in [`next`](Self::next), `delay` and `fault_timing`, and keep it out
/// of fingerprints.
///
/// # Searches
///
/// [`Delayed`] delays at random steps; [`Bounded`](crate::strategy::Bounded) tries all, the fewest delays first.
pub trait DelayingExplorer: fmt::Debug + Send {
    /// The name of the explorer, as a part of the strategy's.
    fn name(&self) -> String;

    /// Starts an execution.
    fn begin(&mut self, execution: &Execution);

    /// Reads the enabled operations once before each step, between `finished` and `delay` or `next`.
    fn observe(&mut self, _enabled: &Enabled<'_>) {}

    /// The position in `enabled` of the operation that comes next.
    fn next(&self, enabled: &Enabled<'_>) -> usize;

    /// Passes over the operation that would come next.
    fn delay(&mut self, enabled: &Enabled<'_>);

    /// Notifies the explorer of an operation that is enabled for the first time in this execution.
    fn started(&mut self, _operation: OperationId) {}

    /// Notifies the explorer that the operation of the last step waits for an event, or has ended.
    fn finished(&mut self, _operation: OperationId) {}

    /// Notifies the explorer of a step that is taken; for a send, `step.inbox` is the receiver.
    fn stepped(&mut self, step: &Pending);

    /// True if the explorer answers [`fault_timing`](Self::fault_timing), which is not asked otherwise.
    fn times_faults(&self) -> bool {
        false
    }

    /// The time of a fault of `faults(..)` that is possible now. Asked for every such fault before each step,
    /// after `stepped` for the last one, and for each within a step.
    ///
    /// The budgets hold for faults [now](FaultTiming::Now) as well. Of several, the first one strikes; then
    /// the others are asked for again. A search with [bounded delays](crate::strategy::Bounded) tries such a
    /// fault first, and pays a delay where it does not strike; where faults are for
    /// [later](FaultTiming::Later) it tries none, and names that in its coverage claim.
    fn fault_timing(&self, _fault: PossibleFault<'_>) -> FaultTiming {
        FaultTiming::Placed
    }

    /// A fingerprint of the explorer's state: with an equal one, and in the same state of a program, the
    /// same steps come, before and after every delay. [Started](Self::started) operations can be left out.
    ///
    /// A [bounded search](crate::strategy::Bounded) that keeps the program's states compares it. Without it, such a
    /// search can't claim that it has run every schedule within a bound.
    fn state(&self) -> Option<u64> {
        None
    }
}

impl<E: DelayingExplorer + ?Sized> DelayingExplorer for Box<E> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn begin(&mut self, execution: &Execution) {
        (**self).begin(execution);
    }

    fn observe(&mut self, enabled: &Enabled<'_>) {
        (**self).observe(enabled);
    }

    fn next(&self, enabled: &Enabled<'_>) -> usize {
        (**self).next(enabled)
    }

    fn delay(&mut self, enabled: &Enabled<'_>) {
        (**self).delay(enabled);
    }

    fn started(&mut self, operation: OperationId) {
        (**self).started(operation);
    }

    fn finished(&mut self, operation: OperationId) {
        (**self).finished(operation);
    }

    fn stepped(&mut self, step: &Pending) {
        (**self).stepped(step);
    }

    fn times_faults(&self) -> bool {
        (**self).times_faults()
    }

    fn fault_timing(&self, fault: PossibleFault<'_>) -> FaultTiming {
        (**self).fault_timing(fault)
    }

    fn state(&self) -> Option<u64> {
        (**self).state()
    }
}
