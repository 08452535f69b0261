//! Requested faults that never had an opportunity.

use crate::data::faults::FaultKind;
use crate::engine::Calls;
use crate::report::data::FaultStatistics;

/// Lists the requested faults that never had an opportunity, with the reasons.
pub(crate) fn without(faults: &[FaultStatistics], calls: &Calls) -> Vec<String> {
    let mut without = Vec::new();
    for faults in faults {
        let kind = faults.kind;
        if kind == FaultKind::Call {
            without.extend(calls.unsupplied().map(|call| {
                format!(
                    "fault `{kind}`: the call \"{call}\" can't fail, since the test does not say \
                     with what: `sys.fails(\"{call}\", || ..)`"
                )
            }));
            without.extend(calls.never_made().map(|call| {
                format!("fault `{kind}`: no call \"{call}\" was made while faults may strike")
            }));
        }
        let why = match kind {
            _ if faults.offered > 0 => continue,
            FaultKind::Call if !without.is_empty() => continue,
            FaultKind::Call => "nothing called `cx.fallible`",
            FaultKind::Full => "nothing was sent to a bounded mailbox",
            FaultKind::Disk => "nothing was written to a disk",
            FaultKind::Drop | FaultKind::Duplicate => "nothing was sent from one node to another",
            FaultKind::Delay => "no two messages were on the way from one node to another",
            FaultKind::Partition | FaultKind::Break => "no two nodes were up at a time",
            FaultKind::Crash
            | FaultKind::Restart
            | FaultKind::Wipe
            | FaultKind::Stop
            | FaultKind::Clock => "there was no node",
            FaultKind::Wake => "no thread parked or waited for a `Condvar`",
        };
        without.push(format!("fault `{kind}` never had a chance: {why}"));
    }
    without
}
