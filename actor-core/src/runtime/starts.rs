//! Where an actor may be started: in a system, or by another actor.

use crate::parts::SpawnOptions;
use crate::production::{Factory, NamesOn, Spawn, Target};

/// Who starts actors.
pub(crate) trait Starts {
    fn start(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> Target;
    /// Starts an actor as a supervised child of its own.
    fn start_with(&self, factory: Factory, options: &SpawnOptions) -> Target;
    /// The registry of names; `registry` is started where there is none yet.
    fn names(&self, registry: &mut dyn Spawn) -> Target;
    /// The registry of names of a node.
    fn names_on(&self, node: &str) -> NamesOn;
}
