//! Dining philosophers with a fork between each two of them; each eats once.

use std::collections::BTreeSet;

use actor_core::prelude::*;

#[derive(Clone, Hash, Debug)]
struct Take(ActorRef<Philosopher>);
#[derive(Clone, Copy, Hash, Debug)]
struct Taken;
#[derive(Clone, Copy, Hash, Debug)]
struct Finish;
#[derive(Clone, Copy, Hash, Debug)]
struct Put;
/// A philosopher is hungry.
#[derive(Clone, Copy, Hash, Debug)]
struct Hungry;
/// A philosopher begins to eat, or ends.
#[derive(Clone, Copy, Hash, Debug)]
struct Eats {
    forks: [usize; 2],
    begins: bool,
}

#[derive(Default, Hash)]
struct Fork {
    is_taken: bool,
    waiting: Option<ActorRef<Philosopher>>,
}

#[actor]
impl Fork {
    #[on]
    fn take(&mut self, take: Take) {
        if self.is_taken {
            self.waiting = Some(take.0);
        } else {
            self.is_taken = true;
            take.0.tell(Taken);
        }
    }

    #[on]
    fn put(&mut self, _: Put) {
        match self.waiting.take() {
            Some(next) => next.tell(Taken),
            None => self.is_taken = false,
        }
    }
}

#[derive(Hash)]
struct Philosopher {
    /// The forks in the order in which they are taken.
    forks: [ActorRef<Fork>; 2],
    /// The numbers of the forks.
    numbers: [usize; 2],
    taken: usize,
    is_done: bool,
}

#[actor]
impl Philosopher {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Hungry);
        self.forks[0].tell(Take(cx.me()));
    }

    #[on]
    fn taken(&mut self, _: Taken, cx: &mut Context<Self>) {
        self.taken += 1;
        match self.forks.get(self.taken) {
            Some(fork) => fork.tell(Take(cx.me())),
            None => {
                self.announce(true, cx);
                cx.me().tell(Finish);
            }
        }
    }

    #[on]
    fn finish(&mut self, _: Finish, cx: &mut Context<Self>) {
        self.taken = 0;
        self.is_done = true;
        self.announce(false, cx);
        self.forks.iter().for_each(|fork| fork.tell(Put));
    }

    fn announce(&self, begins: bool, cx: &mut Context<Self>) {
        let forks = self.numbers;
        cx.announce(Eats { forks, begins });
    }
}

/// Nobody eats with a fork with which another eats.
#[derive(Default, Hash)]
struct Exclusion {
    used: BTreeSet<usize>,
}

#[monitor(cold(Watching))]
impl Exclusion {
    #[on]
    fn eats(&mut self, eats: &Eats) {
        for fork in eats.forks {
            if eats.begins {
                assert!(self.used.insert(fork), "two eat with the same fork");
            } else {
                self.used.remove(&fork);
            }
        }
    }
}

/// Each hungry philosopher eats.
#[derive(Default, Hash)]
struct Meals {
    hungry: usize,
}

#[monitor(hot(Hunger), cold(Content))]
impl Meals {
    #[on]
    fn hungry(&mut self, _: &Hungry, cx: &mut MonitorContext<Self>) {
        self.hungry += 1;
        cx.goto(MealsState::Hunger);
    }

    #[on]
    fn eats(&mut self, eats: &Eats, cx: &mut MonitorContext<Self>) {
        self.hungry -= usize::from(eats.begins);
        if self.hungry == 0 {
            cx.goto(MealsState::Content);
        }
    }
}

pub(super) fn set_up(sys: &System, philosophers: u32) {
    sys.monitor::<Exclusion>();
    sys.monitor::<Meals>();
    let forks: Vec<_> = (0..philosophers)
        .map(|_| sys.spawn(Fork::default()))
        .collect();
    for place in 0..forks.len() {
        let mut numbers = [place, (place + 1) % forks.len()];
        if place == 0 {
            // Without this one, each may take one fork, and wait for the other.
            numbers.reverse();
        }
        sys.spawn(Philosopher {
            forks: numbers.map(|number| forks[number].clone()),
            numbers,
            taken: 0,
            is_done: false,
        });
    }
}
