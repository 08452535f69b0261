//! Delaying explorers, and random search that is bounded by their delays.

mod delayed;
mod led;
mod round_robin;
mod run_to_completion;

use std::fmt;

pub use delayed::Delayed;
pub(super) use delayed::{DELAYS, DELAYS_MAX};
pub(super) use led::ExplorerDriver;
pub use round_robin::RoundRobin;
pub use run_to_completion::RunToCompletion;

use super::{Enabled, Execution, OperationId, Pending};

/// A default schedule, and a way to deviate from it (Desai, Qadeer and Seshia, Systematic Testing of
/// Asynchronous Reactive Systems, ESEC/FSE 2015, section 3).
///
/// The explorer says which operation would come next; a search says where it is passed over. The
/// fewer delays an execution takes, the sooner it is explored, so an explorer tells where bugs are
/// looked for first: [`RoundRobin`] near fair schedules, [`RunToCompletion`] along chains of events,
/// one of your own wherever your protocol is at its most interesting. [`Delayed`] makes a strategy
/// of it.
///
/// An explorer must be *sound*: as many delays as there are enabled operations, less one, bring each
/// of them to the front once, so that no schedule is out of reach. [`Bounded`](super::Bounded) looks
/// whether it is, and claims nothing where it is not.
///
/// # Example
///
/// A protocol that is set up first and can fail afterwards, as chain replication (section 5.4 of the
/// paper): servers form a chain, a master watches over them, and a fault injector takes servers
/// away. Faults during the set-up find shallow bugs only. This explorer goes round all operations as
/// they were created, but keeps the last two, master and injector, at the end of the round until
/// the set-up is over, and puts them first from there on.
///
/// ```
/// use actor_test::Tester;
/// use actor_test::strategy::{Delayed, DelayingExplorer, Enabled, Execution, OperationId, Pending};
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
/// }
///
/// // Four servers, which are operations 1 to 4 after the body, then the two that disturb them.
/// let explorer = FaultsLate { disturbers: [5, 6], set_up: 40, steps: 0, head: None };
/// let report = Tester::new().run_with(Box::new(Delayed::new(explorer, 3)), |sys| {
///     // sys.spawn(...)
/// #   let _ = sys;
/// });
/// report.assert_clean();
/// ```
///
/// Instead of counting steps, the program can say when the phase changes (`changeorder` in the paper): give
/// the explorer and an actor the same `Arc<AtomicBool>`, have the actor set it where all is set up, and
/// [`begin`](Self::begin) take it back. It is read in [`next`](Self::next) and `delay`; the actor that
/// holds it leaves it out of its fingerprint.
///
/// # Searches
///
/// [`Delayed`] draws where to delay; [`Bounded`](super::Bounded) tries everything, the fewest delays first.
pub trait DelayingExplorer: fmt::Debug + Send {
    /// The name, as a part of the strategy's.
    fn name(&self) -> String;

    /// Starts an execution.
    fn begin(&mut self, execution: &Execution);

    /// A look at who is enabled, once before each step: after `started` and `finished`, ahead of
    /// `delay` and `next`.
    fn look(&mut self, _enabled: &Enabled<'_>) {}

    /// The position in `enabled` of the operation that comes next.
    fn next(&self, enabled: &Enabled<'_>) -> usize;

    /// Passes over the operation that would come next: another one does.
    fn delay(&mut self, enabled: &Enabled<'_>);

    /// An operation is enabled for the first time in this execution.
    fn started(&mut self, _operation: OperationId) {}

    /// The operation that took the last step is not enabled after it: it waits for an event, or it
    /// has ended.
    fn finished(&mut self, _operation: OperationId) {}

    /// A step is taken; for a send, `step.inbox` is its receiver.
    fn stepped(&mut self, step: &Pending);

    /// A fingerprint of all that it goes by: where it is the same in the same state of a program, the
    /// same steps come, and the same after every delay. Who has [started](Self::started) need not be in
    /// it.
    ///
    /// A [search](super::Bounded) that keeps the states of the program compares it, where it is to say
    /// that it has run every schedule up to so many delays; without it, it can't say so.
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

    fn look(&mut self, enabled: &Enabled<'_>) {
        (**self).look(enabled);
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

    fn state(&self) -> Option<u64> {
        (**self).state()
    }
}
