//! Pinned schedules of tests that are marked `#[actor_test]`.

use crate::declaration::attribute::{ActorTest, Registered};
use crate::declaration::parameters::{self, Combination};
use crate::exploring::pinned::{self, Followed};
use crate::report::words;
use crate::settings::Settings;
use crate::settings::overrides::{Budgets, Overrides};
use crate::strategy::parse;

/// Runs a test of this executable once, under a schedule that is pinned step by step.
///
/// `test` is the path of a function that is marked `#[actor_test]`, or the end of it, with the values
/// of its parameters if it has any. `cargo actor-test minimize TRACE --as-test` writes a test that
/// calls this: what once failed stays looked at, in an ordinary test that you can read. The options
/// of the test apply, settings from elsewhere do not.
///
/// How a step is written, and what happens where the program was changed, stands at
/// [`Tester::follow`](crate::Tester::follow).
///
/// # Panics
///
/// Where there is no such test, or a step is malformed.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_test::actor_test;
///
/// #[derive(Debug)]
/// struct Job;
///
/// #[derive(Default)]
/// struct Worker {
///     done: u32,
/// }
///
/// #[actor]
/// impl Worker {
///     #[on]
///     fn job(&mut self, _: Job) {
///         self.done += 1;
///     }
/// }
///
/// #[actor_test]
/// fn a_job_is_done(sys: &System) {
///     let worker = sys.spawn(Worker::default());
///     worker.tell(Job);
///     sys.always("no more than one", move |w| w.get(&worker).is_none_or(|worker| worker.done < 2));
/// }
///
/// # fn main() {
/// # if false {
/// // In a `#[test]`:
/// let followed = actor_test::follow(
///     "a_job_is_done",
///     &[
///         ("test", "starts"),
///         ("test", "flushes"), // spawns Worker
///         ("test", "sends Job to Worker"),
///         ("Worker", "handles Job"),
///     ],
/// );
/// followed.assert_clean();
/// # }
/// # }
/// ```
#[track_caller]
pub fn follow(test: &str, steps: &[(&str, &str)]) -> Followed {
    let steps = parse(steps).unwrap_or_else(|problem| panic!("{problem}"));
    let test = find(test).unwrap_or_else(|problem| panic!("{problem}"));
    let settings = settings(&test).unwrap_or_else(|problem| panic!("{problem}"));
    pinned::follow(&test.name, &test, &settings, steps)
}

/// What a pinned schedule is followed under: what stands at the test, and nothing else.
pub(crate) fn settings(test: &Combination) -> Result<Settings, String> {
    // One execution needs no budget.
    let budgets = Budgets {
        exploring: 0,
        minimize: 0,
    };
    let (given, manifest) = (Overrides::default(), Overrides::default());
    super::run::settings(test, given, manifest, budgets)
}

/// The test of that name in this executable.
fn find(name: &str) -> Result<Combination, String> {
    let path = parameters::path(name);
    let is_called = |test: &&'static ActorTest| {
        let before = test.name.strip_suffix(path);
        before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
    };
    let all = inventory::iter::<Registered>().map(|registered| registered.0);
    let mut found: Vec<&'static ActorTest> = all.filter(is_called).collect();
    found.sort_by_key(|test| test.name);
    let [test] = found[..] else {
        let names: Vec<&str> = found.iter().map(|test| test.name).collect();
        return Err(words::no_one_test(path, &names));
    };
    let whole = format!("{}{}", test.name, &name[path.len()..]);
    let named = Combination::named(test, &whole).map_err(|error| error.to_string())?;
    named.ok_or_else(|| words::no_such_combination(&whole, test))
}
