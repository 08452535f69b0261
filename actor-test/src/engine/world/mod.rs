//! The state of one execution, as plain data that can be cloned.
//!
//! The root is [`state::ExecutionState`], which has thirteen parts, each with methods of its own:
//!
//! - [`operations`] with their queues and types, and the [`enabled`] steps among them;
//! - [`timers`], with the time; [`requests`](state::Requests), which are [`asks`] and requests for
//!   [`capacity`]; [`relations`](children::Relations), which are supervision, [`watches`] and links;
//! - [`disks`], [`nodes`] with the network, [`names`], [`shared_objects`];
//! - [`temperature`]s of obligations, [`faults`], the [`footprint`] of the step in progress, and the
//!   [`progress`] of the execution.
//!
//! A method of a part takes the other parts that it reads or changes as parameters. A rule that updates the
//! enabled steps, and with them most parts, is a method of the root, in the file of its subject. A part that a
//! step shares with other operations takes the footprint where it is read or changed, and records the access
//! there. `seam` puts [effects](effect) into outboxes; `running` carries them out and takes events from
//! inboxes. Work that needs nothing to be borrowed is returned as data. Nothing here calls or holds a user's
//! code, and nothing is recorded or judged.

pub(crate) mod actor_links;
pub(crate) mod aliases;
pub(crate) mod arming;
pub(crate) mod asks;
pub(crate) mod capacity;
pub(crate) mod children;
pub(crate) mod delivery;
pub(crate) mod disks;
pub(crate) mod effect;
pub(crate) mod enabled;
pub(crate) mod endings;
pub(crate) mod fast_path;
pub(crate) mod faults;
pub(crate) mod footprint;
pub(crate) mod futures;
pub(crate) mod inbox;
pub(crate) mod letter;
pub(crate) mod marks;
pub(crate) mod names;
pub(crate) mod network;
pub(crate) mod node_clocks;
pub(crate) mod nodes;
pub(crate) mod numbering;
pub(crate) mod operation;
pub(crate) mod operations;
pub(crate) mod orders;
pub(crate) mod outbox;
pub(crate) mod owner_lists;
pub(crate) mod passing;
pub(crate) mod pauses;
pub(crate) mod pending;
pub(crate) mod progress;
pub(crate) mod queue;
pub(crate) mod references;
pub(crate) mod shared_objects;
pub(crate) mod state;
pub(crate) mod temperature;
pub(crate) mod timers;
pub(crate) mod types;
pub(crate) mod vector_clocks;
pub(crate) mod wake;
pub(crate) mod watches;
