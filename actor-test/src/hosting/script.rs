//! Pinned schedules of `#[actor_test]` tests: [`follow`] replays written steps.

use crate::data::test_name;
use crate::declaration::attribute::{ActorTest, Registered};
use crate::declaration::parameters::{self, Combination};
use crate::exploring::script::{self, ScriptResult};
use crate::report::words;
use crate::settings::Settings;
use crate::settings::overrides::{Budgets, Overrides};
use crate::strategy::parse;

/// Runs a test of this executable once, under a schedule that is pinned step by step.
///
/// `test` is the path of a function marked `#[actor_test]`, or the end of the path, with the values of its
/// parameters if it has any. `cargo actor-test minimize TRACE --as-test` writes a test that calls this
/// function: a readable regression test for a bug. The options of the test apply; settings from the
/// environment and the manifest do not.
///
/// [`Tester::follow`](crate::Tester::follow) documents the syntax of steps, and changes of the program.
///
/// # Panics
///
/// If there is no such test, or a step is malformed.
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
/// let followed = actor_test::script::follow(
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
pub fn follow(test: &str, steps: &[(&str, &str)]) -> ScriptResult {
    let steps = parse(steps).unwrap_or_else(|problem| panic!("{problem}"));
    let test = find(test).unwrap_or_else(|problem| panic!("{problem}"));
    let settings = settings(&test).unwrap_or_else(|problem| panic!("{problem}"));
    script::follow(&test.name, &test, &settings, steps)
}

/// Returns the settings for a pinned schedule: only the options of the test apply.
pub(crate) fn settings(test: &Combination) -> Result<Settings, String> {
    // A single execution needs no budget.
    let budgets = Budgets {
        exploring: 0,
        minimize: 0,
    };
    let (given, manifest) = (Overrides::default(), Overrides::default());
    super::run::settings(test, given, manifest, budgets)
}

/// Finds the only test in this executable whose path is or ends with `name`.
fn find(name: &str) -> Result<Combination, String> {
    let path = test_name::path(name);
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
    named.ok_or_else(|| words::no_such_combination(&whole, &parameters::names(test)))
}
