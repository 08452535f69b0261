//! The rules, one file per topic.

mod actors;
mod blocking;
mod disks;
mod nodes;
mod services;
mod sync;
mod tasks;
mod time;
mod watching;

use super::rules::Rule;

pub(crate) const ALL: &[&[Rule]] = &[
    actors::RULES,
    sync::RULES,
    blocking::RULES,
    tasks::RULES,
    time::RULES,
    services::RULES,
    watching::RULES,
    disks::RULES,
    nodes::RULES,
];
