//! What came before the end of a process: a handler that never returned, aborted, overflowed its
//! stack or exited leaves no story behind.
//!
//! What an execution does is decided by its seed, so it is run once more, in a child, where a
//! `witness` of the traces writes each decision down before it has an effect. A second
//! child runs these decisions up to the step that was the last, and tells of it without taking it.

use crate::exploring::plan::Turn;
use crate::hosting::process::{Ending, Job};
use crate::hosting::protocol::{Event, Task};
use crate::report::facts::{Bug, Recording};
use crate::report::words;
use crate::settings::Settings;
use crate::settings::overrides::{MaxSteps, Overrides};
use crate::strategy::StrategySpec;
use crate::trace::witness::Reached;

/// How an execution came to take its process down.
#[derive(Clone, Debug)]
pub struct Postmortem {
    /// Its decisions and its story, which ends with the step that was not finished.
    pub recording: Recording,
    /// That step; the last one, where it was finished.
    pub step: u64,
    reached: Reached,
}

/// Looks at an iteration that took its process down, or hung, while `job` was done; `strategy` is the
/// iteration's. `None` where it does not do so again.
pub fn examine(
    job: &Job,
    settings: &Settings,
    turn: Turn,
    strategy: &str,
    run: &mut dyn FnMut(&Job) -> Option<Ending>,
) -> Option<Postmortem> {
    let again = Job {
        given: Overrides {
            workers: Some(1),
            time_limit: None,
            ..job.given.clone()
        },
        task: Some(task(job, settings, turn, strategy)),
        pin: false,
        witness: Some(turn.iteration),
        hold: false,
        ..job.clone()
    };
    let ending = run(&again).filter(Ending::is_violent)?;
    let seen = ending.witnessed?;
    if seen.reached == Reached::Over {
        return None;
    }
    let mut recording = seen.recording;
    let telling = Job {
        task: Some(Task::Replay {
            recording: Box::new(recording.clone()),
            until: Some(seen.step),
        }),
        witness: None,
        hold: false,
        ..again
    };
    if let Some(Event::Replayed { mut story, .. }) = run(&telling)?.answer {
        if seen.reached == Reached::Step {
            story.end_unfinished(&seen.choices, None);
        }
        recording.story = story;
    }
    Some(Postmortem {
        recording,
        step: seen.step,
        reached: seen.reached,
    })
}

/// What leads to the iteration again: its token where that is enough, since it is quicker.
fn task(job: &Job, settings: &Settings, turn: Turn, strategy: &str) -> Task {
    if let Some(task @ (Task::Reproduce { .. } | Task::Replay { .. })) = &job.task {
        return task.clone();
    }
    if strategy.parse::<StrategySpec>().is_ok() && job.given.max_steps != Some(MaxSteps::Auto) {
        let token = turn.token(strategy, settings);
        Task::Reproduce { token }
    } else {
        Task::Explore
    }
}

impl Postmortem {
    /// What was going on, in words: `` `Server` handles Ping from `Client` ``.
    pub fn doing(&self) -> Option<String> {
        match (self.reached, self.recording.story.steps.last()) {
            (Reached::Step, Some(step)) => Some(words::doing(&self.recording.story, step)),
            (Reached::Step, None) => None,
            _ => Some(words::dropping()),
        }
    }

    /// Adds what is known now to the bug that was found.
    pub fn add_to(self, bug: &mut Bug, end: &str) {
        bug.finding.step = self.step;
        bug.trace = self.recording;
        if self.reached == Reached::Step {
            bug.trace.story.end_unfinished(&[], Some(end));
        }
    }
}
