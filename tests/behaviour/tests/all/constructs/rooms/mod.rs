//! The rules, by what belongs together.

mod actors;
mod sync;
mod time;

use super::rules::Rule;

pub(crate) const ALL: &[&[Rule]] = &[actors::RULES, sync::RULES, time::RULES];
