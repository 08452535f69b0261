//! The types that `#[actor_test]` expands to: the declared test, its options and its body.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use actor_core::System;

use crate::declaration::parameters::Parameter;
use crate::settings::attributes::Attributes;

/// A test marked `#[actor_test]`, as the macro declares it.
#[derive(Debug)]
pub struct ActorTest {
    /// The path of the test: crate, modules and function.
    pub name: &'static str,
    /// The text by which the tool finds the test in an executable.
    pub marker: &'static str,
    /// The source file of the test.
    pub file: &'static str,
    /// The line of the test in its source file.
    pub line: u32,
    /// True if the test is marked `#[ignore]`.
    pub ignored: bool,
    /// The options of the attribute.
    pub attributes: Attributes,
    /// The parameters after the system.
    pub parameters: &'static [&'static dyn Parameter],
    /// The t of t-wise testing: any so many parameters take all combinations of their values. `pairwise` is
    /// two; `None` runs all combinations.
    pub strength: Option<usize>,
    /// The function of the test.
    pub body: TestBody,
}

/// The future of an async test.
pub type Pending<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The function of a test; the slice holds the position of each parameter's value.
#[derive(Clone, Copy)]
pub enum TestBody {
    /// `fn`
    Sync(fn(&System, &[usize])),
    /// `async fn`
    Async(for<'a> fn(&'a System, &'a [usize]) -> Pending<'a>),
}

impl Debug for TestBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sync(_) => "Sync",
            Self::Async(_) => "Async",
        })
    }
}

/// An actor test of this executable, registered with `inventory`.
#[derive(Debug)]
pub struct Registered(pub &'static ActorTest);

inventory::collect!(Registered);

/// A type that a test function may return.
pub trait TestOutcome {
    /// Panics if the outcome is an error.
    fn finish(self);
}

impl TestOutcome for () {
    fn finish(self) {}
}

impl<E: Debug> TestOutcome for Result<(), E> {
    fn finish(self) {
        if let Err(error) = self {
            panic!("the test returned Err({error:?})");
        }
    }
}

/// Finishes the outcome of a test function; panics if the outcome is an error.
pub fn finish(outcome: impl TestOutcome) {
    outcome.finish();
}

/// A type that the body of a test may return: `()`, or a future with the output `()`.
///
/// `K` tells sync bodies from async ones; the compiler infers it.
#[diagnostic::on_unimplemented(
    message = "the body of a test cannot return `{Self}`",
    label = "returns neither `()` nor a future with the output `()`",
    note = "a closure that never returns needs `-> ()`, and a future must be `'static`"
)]
pub trait BodyOutput<K> {
    /// Returns the rest of an async body; `None` for a sync one, which is over.
    #[doc(hidden)]
    fn rest(self) -> Option<Pending<'static>>;
}

/// The kind of a sync body.
#[derive(Debug)]
pub enum SyncBody {}

/// The kind of an async body.
#[derive(Debug)]
pub enum AsyncBody {}

impl BodyOutput<SyncBody> for () {
    fn rest(self) -> Option<Pending<'static>> {
        None
    }
}

impl<F: Future<Output = ()> + 'static> BodyOutput<AsyncBody> for F {
    fn rest(self) -> Option<Pending<'static>> {
        Some(Box::pin(self))
    }
}
