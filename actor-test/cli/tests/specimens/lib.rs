//! Specimens for the tests of the tool: clean programs, and programs with a bug of each common kind.

use actor_core::prelude::*;

#[derive(Debug)]
pub struct Add(pub u32);
#[derive(Debug)]
pub struct Double;
#[derive(Debug)]
pub struct Go;

/// A number that two actors change.
#[derive(Default)]
pub struct Cell {
    pub value: u32,
}

#[actor]
impl Cell {
    #[on]
    fn add(&mut self, add: Add) {
        self.value += add.0;
    }

    /// Does nothing if the bug is fixed.
    #[on]
    fn double(&mut self, _: Double) {
        self.value *= if cfg!(feature = "fixed") { 1 } else { 2 };
    }
}

pub struct Adder {
    pub cell: ActorRef<Cell>,
}

#[actor]
impl Adder {
    #[on]
    fn go(&mut self, _: Go) {
        self.cell.tell(Add(3));
    }
}

pub struct Doubler {
    pub cell: ActorRef<Cell>,
}

#[actor]
impl Doubler {
    #[on]
    fn go(&mut self, _: Go) {
        self.cell.tell(Double);
    }
}

/// An actor that sends `Go` to itself for ever.
pub struct Clock;

#[actor]
impl Clock {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.after(std::time::Duration::from_secs(1), Go);
    }
}

/// A state machine of which a test reaches only a part.
pub struct Lamp;

#[actor(states(Dark, Lit, Broken))]
impl Lamp {
    #[on(Dark)]
    fn light(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(LampState::Lit);
    }

    #[on(Lit)]
    fn darken(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.goto(LampState::Dark);
    }

    #[on(Lit)]
    fn overload(&mut self, _: Double, cx: &mut Context<Self>) {
        cx.goto(LampState::Broken);
    }

    #[on]
    fn add(&mut self, _: Add) {}
}

/// A monitor: every `Go` is followed by an `Add` eventually.
#[derive(Default)]
pub struct Added;

#[monitor(hot, cold)]
impl Added {
    #[on]
    fn go(&mut self, _: &Go, cx: &mut MonitorContext<Self>) {
        cx.goto(AddedState::Hot);
    }

    #[on]
    fn add(&mut self, _: &Add, cx: &mut MonitorContext<Self>) {
        cx.goto(AddedState::Cold);
    }
}

pub fn race(sys: &System) -> ActorRef<Cell> {
    let cell = heard(sys.spawn(Cell::default()));
    if cfg!(feature = "changed") {
        cell.tell(Add(0));
    }
    sys.spawn(Adder { cell: cell.clone() }).tell(Go);
    sys.spawn(Doubler { cell: cell.clone() }).tell(Go);
    cell
}

#[cfg(test)]
mod tests {
    use actor_test::actor_test;

    use super::*;

    #[actor_test]
    fn at_most_six(sys: &System) {
        let cell = race(sys);
        sys.always("at most six", move |w| {
            w.get(&cell).is_none_or(|cell| cell.value <= 6)
        });
    }

    #[actor_test]
    fn never_six(sys: &System) {
        let cell = race(sys);
        sys.always("never six", move |w| {
            w.get(&cell).is_none_or(|cell| cell.value != 6)
        });
    }

    #[actor_test(expect_bug = "never six")]
    fn expected(sys: &System) {
        let cell = race(sys);
        sys.always("never six", move |w| {
            w.get(&cell).is_none_or(|cell| cell.value != 6)
        });
    }

    #[actor_test(expect_bug = "never seven")]
    fn expected_in_vain(sys: &System) {
        let cell = race(sys);
        sys.always("never seven", move |w| {
            w.get(&cell).is_none_or(|cell| cell.value != 7)
        });
    }

    #[actor_test]
    fn hot_at_the_end(sys: &System) {
        sys.monitor::<Added>();
        let cell = sys.spawn(Cell::default());
        sys.spawn(Doubler { cell }).tell(Go);
    }

    #[actor_test(max_steps = 20)]
    fn too_hot(sys: &System) {
        sys.monitor::<Added>();
        sys.spawn(Clock).tell(Go);
    }

    #[actor_test(max_steps = "20:40", temperature = 1000)]
    fn undecided(sys: &System) {
        sys.monitor::<Added>();
        sys.spawn(Clock).tell(Go);
    }

    #[actor_test]
    fn vacuous(sys: &System) {
        sys.monitor::<Added>();
        sys.spawn(Cell::default()).tell(Double);
    }

    #[actor_test]
    fn lamp(sys: &System) {
        let lamp = sys.spawn(Lamp);
        lamp.tell(Go);
        lamp.tell(Go);
        lamp.tell(Add(1));
    }

    #[actor_test(deny = "vacuous,unreached", iterations = 10)]
    fn denied(sys: &System) {
        sys.monitor::<Added>();
        sys.sometimes("the lamp is not there", |w| w.all::<Lamp>().count() == 0);
        sys.spawn(Lamp);
        sys.spawn(Cell::default()).tell(Double);
    }

    #[actor_test]
    #[ignore]
    fn ignored(sys: &System) {
        race(sys);
    }

    #[actor_test]
    async fn asynchronous(sys: &System) {
        race(sys);
    }

    /// The tool must not run this test.
    #[test]
    fn ordinary() {
        assert!(
            std::env::var_os("ACTOR_TEST_REQUEST").is_none(),
            "an ordinary test was run"
        );
    }
}

/// Prints a line if enabled. The function is last, so that line numbers above stay the same.
fn heard(cell: ActorRef<Cell>) -> ActorRef<Cell> {
    if std::env::var_os("SPECIMENS_PRINT").is_some() {
        println!("a race is on");
        eprintln!("and off");
    }
    cell
}
