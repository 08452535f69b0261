//! Who and what is measured, as the command line says: [`Selection`].

use crate::contenders::{Actix, Actors, Kameo, Mailbox, Mpsc, Ractor, Tasks, Xtra};
use crate::entrant::Entrant;
use crate::scenario::Scenario;
use crate::table;

/// How the executors are called, and how many workers each has; with none, it is the current
/// thread.
const EXECUTORS: [(&str, usize); 3] = [("one-thread", 0), ("one-worker", 1), ("two-workers", 2)];

/// All of a kind where none of that kind is named.
pub(crate) struct Selection {
    contenders: Vec<Box<dyn Entrant>>,
    scenarios: Vec<Scenario>,
    executors: Vec<(&'static str, usize)>,
}

impl Selection {
    /// What the names say, or which names there are.
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
            // One worker differs from one thread in who is held up, and in little else.
            let of_interest = |scenario: &&Scenario| *workers != 1 || scenario.is_delay();
            let scenarios: Vec<_> = self.scenarios.iter().filter(of_interest).copied().collect();
            table::print(executor, *workers, &self.contenders, &scenarios);
        }
    }

    /// Tells what an idle actor of one contender weighs on one executor.
    pub(crate) fn weigh(&self) {
        if let ([contender], [(_, workers)]) = (&self.contenders[..], &self.executors[..]) {
            println!("{}", contender.weigh(*workers));
        }
    }
}

/// Us, the frameworks, and what can be written without one.
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
