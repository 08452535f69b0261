//! Versions of the trace format: a newer tool reads older ones, an older tool refuses newer ones.

use crate::data::bug::Cycle;
use crate::data::step::StepKind;
use crate::data::story::{Operation, OperationKind, Step, Story};
use crate::settings::Semantics;
use crate::trace::schedule;

/// The value of the field `format`, with which a trace begins.
pub(crate) const FORMAT: &str = "actor-test trace";

/// The maximum number of bytes read of a file; parsing them takes a few times as much memory.
pub(super) const BYTES_MAX: u64 = 512 << 20;

/// The version that is written at most, and the newest that is read.
///
/// Version 2: iterations count from one, and schedules changed: steps or choices may differ from version 1.
/// Traces of version 1 are read; the checks of their decisions detect where a replay diverges.
///
/// Version 3: the story is data instead of sentences, and the steps are named beside their decisions, so that
/// a replay can follow them in a changed program.
///
/// Version 4: the answers of the operating system follow from a seed. Faults, clock skew, steps of tasks and
/// threads, and cycles found by a search of all states are possible. A trace without any of these is written
/// as version 3.
///
/// Version 5: the named steps include the purpose of each choice, if there are choices.
pub(crate) const VERSION: u32 = 5;

/// Returns the lowest version that can express a trace with these parts.
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

/// The first version with today's schedules.
pub(super) const SCHEDULES: u32 = 2;
