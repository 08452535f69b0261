//! Lifelines of a story: the incarnations of one actor are one lifeline, and those of a node are neighbours.

use std::collections::{BTreeMap, BTreeSet};

use super::{Effect, Operation, OperationKind, Story, Text};

/// The place of an actor in a drawing of a story: see [`Story::lifelines`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Lifeline {
    /// The name of the node, if the actor is on one.
    pub node: Option<Text>,
    /// The name of the actor, without its node: `server` of `n1/server` and `n1(2)/server`.
    pub name: Text,
    /// The operations of the lifeline in the order of creation: one for each incarnation.
    pub operations: Vec<u32>,
    /// True for boot code, names and links, unless a step of theirs is the last one, has a fault, or
    /// changes a monitor.
    pub is_plumbing: bool,
}

/// The operations of a lifeline on a node: the node, the name, and the number among those of one name and
/// incarnation.
type Shared<'a> = (&'a str, &'a str, usize);

impl Story {
    /// Groups the operations into lifelines, in the order of creation; those of one node are neighbours.
    ///
    /// An actor that a restarted node starts anew stays in its lifeline, if it has the same name.
    ///
    /// ```
    /// use actor_test::story::Story;
    ///
    /// let story: Story = serde_json::from_str(r#"{
    ///     "operations": [
    ///         { "name": "test", "kind": "test", "path": "0" },
    ///         { "name": "n1/boot", "kind": "boot", "path": "1" },
    ///         { "name": "n1/server", "kind": "actor", "path": "2" },
    ///         { "name": "n1(2)/boot", "kind": "boot", "path": "3" },
    ///         { "name": "n1(2)/server", "kind": "actor", "path": "4" }
    ///     ],
    ///     "steps": []
    /// }"#)?;
    /// let lifelines = story.lifelines();
    /// assert_eq!(lifelines[2].node.as_deref(), Some("n1"));
    /// assert_eq!((&*lifelines[2].name, &*lifelines[2].operations), ("server", &[2, 4][..]));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn lifelines(&self) -> Vec<Lifeline> {
        let nodes = self.incarnations();
        let important = self.important_operations();
        let mut lifelines: Vec<Lifeline> = Vec::new();
        let mut shared: BTreeMap<Shared<'_>, usize> = BTreeMap::new();
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        let mut groups = Vec::new();
        for (who, operation) in (0..).zip(&self.operations) {
            let (node, name) = place(&operation.name, &nodes);
            // A name is drawn where the actor is that has it.
            let nth = match operation.kind {
                OperationKind::Name => &1,
                _ => {
                    let nth = count.entry(&operation.name).or_default();
                    *nth += 1;
                    nth
                }
            };
            let next = lifelines.len();
            let number = match node {
                Some(node) => *shared.entry((node, name, *nth)).or_insert(next),
                None => next,
            };
            if number == next {
                groups.push(node.map_or(next, |node| *first.entry(node).or_insert(next)));
                lifelines.push(Lifeline {
                    node: node.map(Text::from),
                    name: name.into(),
                    operations: Vec::new(),
                    is_plumbing: true,
                });
            }
            let lifeline = &mut lifelines[number];
            lifeline.operations.push(who);
            lifeline.is_plumbing &= is_plumbing(operation) && !important.contains(&who);
        }
        let mut lifelines: Vec<(usize, Lifeline)> = groups.into_iter().zip(lifelines).collect();
        lifelines.sort_by_key(|(group, _)| *group);
        let lifelines = lifelines.into_iter().map(|(_, lifeline)| lifeline);
        lifelines.collect()
    }

    /// Returns the node of each incarnation, by the names of incarnations: `n1`, and after a restart `n1(2)`.
    fn incarnations(&self) -> BTreeMap<&str, &str> {
        let mut nodes = BTreeMap::new();
        for operation in &self.operations {
            if operation.kind == OperationKind::Boot
                && let Some(incarnation) = operation.name.strip_suffix("/boot")
            {
                let first = first_incarnation(incarnation);
                let node = first.and_then(|first| nodes.get(first).copied());
                nodes.insert(incarnation, node.unwrap_or(incarnation));
            }
        }
        nodes
    }

    /// Returns the operations with a fault or a change of a monitor in a step of theirs, and that of the last
    /// step.
    fn important_operations(&self) -> BTreeSet<u32> {
        let is_struck = |effect: &Effect| {
            effect.is_fault() || matches!(effect, Effect::LostOnLink { .. } | Effect::Failed { .. })
        };
        let struck = self
            .steps
            .iter()
            .filter(|step| step.effects.iter().any(is_struck) || !step.monitors.is_empty());
        struck
            .chain(self.steps.last())
            .map(|step| step.who)
            .collect()
    }
}

/// Returns `n1` for the name of a later incarnation, `n1(2)`.
fn first_incarnation(incarnation: &str) -> Option<&str> {
    let (first, number) = incarnation.strip_suffix(')')?.rsplit_once('(')?;
    number.parse::<u32>().ok().map(|_| first)
}

/// Returns the node of an operation, and its name there. Of several nodes, the one with the longest name counts.
fn place<'a>(name: &'a str, nodes: &BTreeMap<&str, &'a str>) -> (Option<&'a str>, &'a str) {
    let ends = name.rmatch_indices('/').map(|(end, _)| end);
    let mut places = ends.filter_map(|end| Some((*nodes.get(&name[..end])?, &name[end + 1..])));
    places
        .next()
        .map_or((None, name), |(node, name)| (Some(node), name))
}

fn is_plumbing(operation: &Operation) -> bool {
    matches!(
        operation.kind,
        OperationKind::Boot | OperationKind::Link | OperationKind::Name
    )
}
