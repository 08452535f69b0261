//! Faults within a step: calls to the environment that fail, and mailboxes that refuse messages.

use std::any::TypeId;

use actor_core::seam::InjectedError;

use crate::data::faults::FaultKind;
use crate::data::problem::Problem;
use crate::engine::arena::MakeError;
use crate::engine::recording::tape::RecordedDecision;
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::world::faults::may_strike;
use crate::hash::{self, mix};
use crate::records::Record;
use crate::strategy::{Choice, FaultSite, OperationId};

impl ControlledRuntime {
    /// Returns zero if no fault strikes at this place, else the way in which one does, from one.
    pub(crate) fn strike(&self, kind: FaultKind, what: u64, ways: u32) -> u32 {
        let mut state = self.state.borrow_mut();
        let current = self.current.get();
        if ways == 0 || !may_strike(&mut state, kind) || state.nodes.spares(kind, current) {
            return 0;
        }
        let offer = FaultSite {
            kind,
            what,
            ways,
            who: OperationId::actor(current),
            nodes: state.node_bits(current),
            step: state.progress.step(),
        };
        let mut source = self.strategy.borrow_mut();
        let strategy = source.strategy_mut();
        let known = self.answers.borrow_mut().pop_front();
        let answer = known.or_else(|| Choice::FaultWithin(&offer).put_to(strategy));
        let answer = answer.unwrap_or(0);
        let chosen = answer.min(ways);
        let mut session = self.session();
        if answer != chosen {
            let problem = Problem::BadFaultWithin {
                strategy: strategy.name(),
                answer,
                ways,
            };
            session.find(state.progress.step(), &problem, None);
            self.instrumented.set(true);
        }
        state.faults.offered(kind, chosen > 0);
        state.progress.add_choices(1);
        let tag = mix(0x00fa_0175, kind as u64);
        state
            .operations
            .extend_chain(current, mix(tag, u64::from(chosen)));
        state.operations[current].own_run = 0;
        let check = mix(tag, u64::from(ways)) as u32;
        session
            .tape
            .record(RecordedDecision { chosen, check }, state.progress.step());
        chosen
    }
}

impl CurrentOperation<'_> {
    /// Returns the failure of a call, if it fails; an error if the test supplies one of another type.
    pub(super) fn fail_call(
        self,
        call: &str,
        error: TypeId,
        error_name: &str,
    ) -> Result<Option<InjectedError>, String> {
        if !may_strike(&mut self.state(), FaultKind::Call) {
            return Ok(None);
        }
        self.session().calls.made(call);
        let mut ways: Vec<(bool, MakeError)> = Vec::new();
        for supply in &self.arena().supplies {
            if supply.call != call {
                continue;
            }
            if supply.error != error {
                return Err(format!(
                    "the call \"{call}\" fails with `{error_name}`, and the test supplies it with \
                     `{}`: have the closure of `sys.fails(\"{call}\", ..)` return a `{error_name}`",
                    supply.error_name
                ));
            }
            ways.push((supply.is_made, supply.make.clone()));
        }
        let ways_count = u32::try_from(ways.len()).unwrap_or(u32::MAX);
        let way = self.strike(FaultKind::Call, hash::text(call), ways_count);
        let Some((is_made, make)) = way.checked_sub(1).map(|way| &ways[way as usize]) else {
            return Ok(None);
        };
        // The user's code runs with nothing borrowed.
        let error = make();
        let who = self.number;
        self.record(|| Record::CallFailed {
            who,
            call: call.into(),
            is_made: *is_made,
        });
        Ok(Some(InjectedError {
            error,
            is_made: *is_made,
        }))
    }

    /// Returns true if a fault has a bounded mailbox refuse messages.
    pub(super) fn refuses_message(self, mailbox: u32) -> bool {
        let path = {
            let mut state = self.state();
            let is_bounded = state.operations[mailbox].bound.is_some();
            let is_spared = state.nodes.spares(FaultKind::Full, mailbox);
            if !is_bounded || is_spared || !may_strike(&mut state, FaultKind::Full) {
                return false;
            }
            state.operations.paths()[mailbox as usize]
        };
        let strikes = self.strike(FaultKind::Full, path, 1) > 0;
        if strikes {
            let who = self.number;
            self.record(|| Record::MailboxRefuses { who, of: mailbox });
        }
        strikes
    }
}
