//! The rules of an execution, actor by actor: messages, ends, supervision, services.

mod asks;
mod auto_traits;
mod corners;
mod decisions;
mod ends;
mod groups_and_pools;
mod mailboxes;
mod names;
mod names_in_values;
mod probes;
mod protocols;
mod proxies;
mod ref_counted;
pub mod rules;
mod selects;
mod streams;
mod supervision;
mod system;
mod timeouts;
