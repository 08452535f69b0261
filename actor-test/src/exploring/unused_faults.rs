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
        let is_said = kind == FaultKind::Call && !without.is_empty();
        if faults.offered == 0 && !is_said {
            let why = kind.no_chance();
            without.push(format!("fault `{kind}` never had a chance: {why}"));
        }
    }
    without
}
