//! Clocks, as actors under test meet them: how a node's goes, and how two timestamps compare.

use std::time::Duration;

use crate::data::records::{Record, nanoseconds};
use crate::data::story::Asked;
use crate::engine::seam::shared::{Phase, Shared};
use crate::strategy::Choice;

/// How far ahead a clock may be, as parts of the most: not at all, by all of it, by half.
const OFFSETS: [u32; 3] = [0, 2, 1];

/// Which way it may drift: not at all, faster, slower.
const DRIFTS: [i64; 3] = [0, 1, -1];

impl Shared {
    /// Has it drawn how the clock of a new node goes, where those of nodes may be apart.
    pub(super) fn draw_clock(&self, node: u32) {
        let allowed = self.state.borrow().nodes.clocks_allowed;
        if !allowed.are_apart() {
            return;
        }
        let drawn = |is_wanted: bool, asked| match is_wanted {
            true => self.decide(Choice::Below(3), asked) as usize,
            false => 0,
        };
        let offset = drawn(!allowed.offset().is_zero(), Asked::Offset);
        let drift = drawn(allowed.drift_ppb() > 0, Asked::Drift);
        let ahead = allowed.offset() * OFFSETS[offset] / 2;
        let drift_ppb = DRIFTS[drift] * i64::from(allowed.drift_ppb());
        self.state
            .borrow_mut()
            .nodes
            .set_clock(node, ahead, drift_ppb);
        self.attention.set(true);
        self.record(|| Record::Clock {
            node: self.state.borrow().nodes.name(node).to_owned(),
            ahead_ns: nanoseconds(ahead),
            drift_ppb,
        });
    }

    /// Whether one time is before another: either, where clocks can't tell.
    pub(super) fn compare(&self, one: Duration, other: Duration) -> bool {
        let is_before = one < other;
        let resolution = self.state.borrow().nodes.clocks_allowed.resolution();
        let is_apart = one.abs_diff(other) > resolution;
        // Who looks on, or cleans up, decides nothing.
        if resolution.is_zero() || is_apart || self.phase.get() != Phase::Running {
            return is_before;
        }
        let turned = self.decide(Choice::Below(2), Asked::Comparison) == 1;
        is_before != turned
    }
}
