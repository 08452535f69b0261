//! Post-mortem analysis of a crashed or hanging execution: finds the step that ended the process.
//!
//! A handler that never returns, aborts, overflows its stack or exits leaves no story behind. The seed
//! determines the execution, so a child process runs it once more. There, a `decision_log` records each
//! decision in a file before the decision takes effect. A second child replays these decisions and describes the
//! last step without taking it.

use crate::data::bug::Finding;
use crate::protocol::decision_log::ExecutionPhase;
use crate::protocol::process::{ChildEnd, ChildJob};
use crate::protocol::{ChildEvent, Task};
use crate::report::data::{Bug, Recording, Report};
use crate::report::words;
use crate::settings::Settings;
use crate::settings::overrides::{MaxSteps, Overrides};
use crate::settings::strategy::StrategySpec;
use crate::settings::turn::StrategyTurn;

/// The execution that crashed its process or hung, reconstructed.
#[derive(Clone, Debug)]
pub struct Postmortem {
    /// The decisions and the story, which ends with the unfinished step.
    pub recording: Recording,
    /// The unfinished step; the last step if it was finished.
    pub step: u64,
    reached: ExecutionPhase,
}

/// Reconstructs an iteration that crashed its process, or hung, during `job`; `strategy` is the iteration's.
/// Returns `None` if it does not do so again.
pub fn examine(
    job: &ChildJob,
    settings: &Settings,
    turn: StrategyTurn,
    strategy: &str,
    run: &mut dyn FnMut(&ChildJob) -> Option<ChildEnd>,
) -> Option<Postmortem> {
    let again = ChildJob {
        given: Overrides {
            workers: Some(1),
            time_limit: None,
            ..job.given.clone()
        },
        task: Some(task(job, settings, turn, strategy)),
        pin: false,
        decision_log: Some(turn.iteration),
        hold: false,
        ..job.clone()
    };
    let ending = run(&again).filter(ChildEnd::is_crash_or_hang)?;
    let seen = ending.decisions?;
    if seen.reached == ExecutionPhase::Over {
        return None;
    }
    let mut recording = seen.recording;
    let recording_job = ChildJob {
        task: Some(Task::Replay {
            recording: Box::new(recording.clone()),
            until: Some(seen.step),
        }),
        decision_log: None,
        hold: false,
        ..again
    };
    if let Some(ChildEvent::Replayed { mut story, .. }) = run(&recording_job)?.answer {
        if seen.reached == ExecutionPhase::Step {
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

/// Returns the task that repeats the iteration: its token if that is enough, since a token is quicker.
fn task(job: &ChildJob, settings: &Settings, turn: StrategyTurn, strategy: &str) -> Task {
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
    /// Describes the unfinished step in words: `` `Server` handles Ping from `Client` ``.
    pub fn doing(&self) -> Option<String> {
        match (self.reached, self.recording.story.steps.last()) {
            (ExecutionPhase::Step, Some(step)) => Some(words::doing(&self.recording.story, step)),
            (ExecutionPhase::Step, None) => None,
            _ => Some(words::dropping()),
        }
    }

    /// Adds the reconstructed execution to the bug.
    pub fn add_to(self, bug: &mut Bug, end: &str) {
        bug.finding.step = self.step;
        bug.trace = self.recording;
        if self.reached == ExecutionPhase::Step {
            bug.trace.story.end_unfinished(&[], Some(end));
        }
    }
}

/// Returns the report of a test that crashed its process, or was killed.
pub fn crash_report(
    test: &str,
    settings: &Settings,
    finding: Finding,
    strategy: &str,
    turn: StrategyTurn,
) -> Report {
    let mut report = Report::empty(test, settings);
    let mut bug = Bug::unrecorded(finding, strategy, turn.iteration, settings);
    bug.token = turn.token(strategy, settings);
    report.bugs.push(bug);
    report
}
