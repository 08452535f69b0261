//! The rules, by what belongs together.

mod actors;
mod sync;

use super::rules::Rule;

pub(crate) const ALL: &[&[Rule]] = &[actors::RULES, sync::RULES];
