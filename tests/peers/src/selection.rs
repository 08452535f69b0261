//! The selection of contenders, scenarios and executors by the command line.

use crate::contenders::{Actix, Actors, Kameo, Mailbox, Mpsc, Ractor, Tasks, Xtra};
use crate::entrant::Entrant;
use crate::scenario::Scenario;
use crate::table;

/// The names of the executors, and the number of
/// workers of each; zero stands for the current thread.
const EXECUTORS: [(&str, usize); 3] = [("one-thread", 0), ("one-worker", 1), ("two-workers", 2)];

/// The selected items; all of a kind if none of that kind is named.
pub(crate) struct Selection {
    contenders: Vec<Box<dyn Entrant>>,
    scenarios: Vec<Scenario>,
    executors: Vec<(&'static str, usize)>,
}

impl Selection {
    /// Returns the selection by these names, or an error with the known names.
    pub(crate) fn of(names: &[String]) -> Result<Self, String> {
        let known = known();
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(format!(
                "nothing is called `{name}`; there are: {}",
                known.join(", ")
            ));
        }
        Ok(Self {
            contenders: named(contenders(), |contender| contender.name(), names),
            scenarios: named(Scenario::ALL.to_vec(), |scenario| scenario.name(), names),
            executors: named(EXECUTORS.to_vec(), |executor| executor.0, names),
        })
    }

    pub(crate) fn print(&self) {
        for (executor, workers) in &self.executors {
            // One worker and one thread differ only in delays.
            let of_interest = |scenario: &&Scenario| *workers != 1 || scenario.is_delay();
            let scenarios: Vec<_> = self.scenarios.iter().filter(of_interest).copied().collect();
            table::print(executor, *workers, &self.contenders, &scenarios);
        }
    }

    /// Prints the memory of an idle actor of one contender on one executor.
    pub(crate) fn weigh(&self) {
        if let ([contender], [(_, workers)]) = (&self.contenders[..], &self.executors[..]) {
            println!("{}", contender.weigh(*workers));
        }
    }
}

/// Returns our actors, the other frameworks, and the solutions without a framework.
fn contenders() -> Vec<Box<dyn Entrant>> {
    vec![
        Box::new(Actors::<false>),
        Box::new(Actix::<false>),
        Box::new(Ractor),
        Box::new(Kameo::<false>),
        Box::new(Xtra::<false>),
        Box::new(Tasks(Mpsc)),
        Box::new(Tasks(Mailbox)),
    ]
}

fn known() -> Vec<&'static str> {
    let contenders = contenders();
    let contenders = contenders.iter().map(|contender| contender.name());
    let scenarios = Scenario::ALL.iter().map(|scenario| scenario.name());
    let executors = EXECUTORS.iter().map(|(name, _)| *name);
    contenders.chain(scenarios).chain(executors).collect()
}

fn named<T>(all: Vec<T>, name: impl Fn(&T) -> &'static str, names: &[String]) -> Vec<T> {
    let is_named = |one: &T| names.iter().any(|wanted| wanted == name(one));
    let any = all.iter().any(is_named);
    all.into_iter()
        .filter(|one| !any || is_named(one))
        .collect()
}
