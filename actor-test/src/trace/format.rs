//! The format of traces, and its versions.
//!
//! A newer tool reads older versions; an older one refuses a newer version by name.

use crate::data::bug::Cycle;
use crate::data::records::StepKind;
use crate::data::story::{Operation, OperationKind, Step, Story};
use crate::settings::Semantics;
use crate::trace::schedule;

/// What a trace begins with.
pub(crate) const FORMAT: &str = "actor-test trace";

/// How many bytes of a file are read; what is read of them takes a few times as much memory.
pub(super) const BYTES_MAX: u64 = 512 << 20;

/// The version that is written, and the newest that is read.
///
/// Version 2: iterations count from one, and schedules are other ones: a step or a choice of an
/// execution may be another than in version 1. Its traces are read; where a replay leaves one, the
/// checks of its decisions tell.
///
/// Version 3: the story is data, and no longer sentences; the steps stand by name beside their
/// decisions, so that a replay can follow them in a program that was changed.
///
/// Version 4: what the program asks the operating system for follows from a seed, there may be faults,
/// clocks may be apart, steps may be those of tasks and threads, and a cycle may be one that a search of all states has found.
/// Where it does not ask, and there are none, version 3 is written, as ever.
///
/// Version 5: the steps that stand by name say what each choice was for. Where nothing was chosen, an older
/// version is written.
pub(crate) const VERSION: u32 = 5;

/// The version of a trace with that seed of the system's answers, of an execution with those semantics and
/// that story.
pub(super) fn version(
    system: Option<u64>,
    semantics: Semantics,
    cycle: Option<Cycle>,
    schedule: &str,
    story: &Story,
) -> u32 {
    let is_newer = |operation: &Operation| {
        matches!(operation.kind, OperationKind::Task | OperationKind::Thread)
    };
    let accesses = |step: &Step| step.kind == StepKind::Access;
    let shares = story.operations.iter().any(is_newer) || story.steps.iter().any(accesses);
    let is_searched = cycle.is_some_and(|cycle| cycle.is_searched());
    match system {
        _ if schedule::is_tagged(schedule) => VERSION,
        None if semantics.faults.is_none()
            && semantics.clocks.is_exact()
            && !shares
            && !is_searched =>
        {
            3
        }
        _ => 4,
    }
}

/// The first version whose schedules are those of today.
pub(super) const SCHEDULES: u32 = 2;
