//! The trait of spawning parents: a system or an actor, of either executor.

use crate::parts::SpawnOptions;
use crate::production::{Factory, Hub, NamesOn, Spawn, Target};
use crate::supervision::Supervision;

pub trait SpawnParent {
    fn start(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> Target;
    /// Starts an actor as a supervised child of the parent.
    fn start_with(&self, factory: Factory, options: &SpawnOptions) -> Target;
    /// Returns the registry of names; starts `registry` if there is none yet.
    fn names(&self, registry: &mut dyn Spawn) -> Target;
    fn names_on(&self, node: &str) -> NamesOn;
    fn supervise(&self, supervision: Supervision);
    /// Returns what the actors of a production system share; `None` under test.
    fn hub(&self) -> Option<&Hub>;

    fn is_live(&self) -> bool {
        self.hub().is_some()
    }
}
