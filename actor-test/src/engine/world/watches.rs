//! Who is told when whom has stopped: [`Watch`].

use crate::engine::world::operation::Effect;
use crate::engine::world::owned::Neighbours;
use crate::engine::world::state::State;

/// Who is told when whom has stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    pub(crate) watcher: u32,
    pub(crate) target: u32,
    /// Its watcher is still to be told.
    pub(crate) is_open: bool,
    /// Identifies the notice within the behaviour.
    pub(crate) key: u64,
    /// The other watches of its target's.
    of_target: Neighbours,
    /// The other watches of its watcher's.
    of_watcher: Neighbours,
}

impl State {
    /// Begins a watch; tells its number.
    pub(crate) fn watch(&mut self, watcher: u32, target: u32) -> u32 {
        let key = self.child_key_of(watcher);
        let watches = &mut self.watches;
        watches.push(Watch {
            watcher,
            target,
            is_open: true,
            key,
            of_target: Neighbours::default(),
            of_watcher: Neighbours::default(),
        });
        let watch = watches.len() as u32 - 1;
        self.watched_by
            .add(target, watches, watch, |watch| &mut watch.of_target);
        self.watching
            .add(watcher, watches, watch, |watch| &mut watch.of_watcher);
        watch
    }

    /// The watcher does not want to be told of anyone any more.
    pub(crate) fn end_watches_of(&mut self, watcher: u32) {
        let mut next = self.watching.first(watcher);
        while let Some(watch) = next {
            let watch = &mut self.watches[watch as usize];
            watch.is_open = false;
            next = watch.of_watcher.after();
        }
        self.watching.forget(watcher);
    }

    /// Tells the watchers of an operation, one effect each.
    pub(crate) fn notify_watchers(&mut self, index: u32) {
        let mut next = self.watched_by.first(index);
        while let Some(watch) = next {
            let Watch {
                is_open, of_target, ..
            } = self.watches[watch as usize];
            if is_open {
                self.push(index, Effect::Notice { watch });
            }
            next = of_target.after();
        }
        self.refresh(index);
    }
}
