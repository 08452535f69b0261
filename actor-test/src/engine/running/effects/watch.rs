//! Watches: the notice of a start or an end is delivered to the watcher.

use actor_core::StopReason;

use crate::engine::arena::WatchNotice;
use crate::engine::running::effects::Effects;
use crate::engine::world::letter::{Envelope, PackedSender};
use crate::engine::world::watches::{EndWatch, WatchedChange};

impl Effects<'_> {
    /// Notifies a watcher, unless the watch has ended.
    pub(super) fn notify(&self, by: u32, watch: u32) {
        let (found, reason) = {
            let mut state = self.shared.state();
            let Some(watch) = state.relations.watches.take_open(watch) else {
                return;
            };
            let reason = match watch.is_broken {
                true => StopReason::Disconnected,
                false => state.operations[watch.target].ending,
            };
            (watch, reason)
        };
        let EndWatch {
            watcher,
            target,
            key,
            ..
        } = found;
        let (notice, mail) = {
            let mut arena = self.shared.arena();
            (arena.take_notice(watch), arena.mail(watcher).cloned())
        };
        let (notice, mail) = match (notice, mail, found.ask) {
            (Some(WatchNotice::Event(notice)), Some(mail), _) => (notice, mail),
            (Some(WatchNotice::Reason(put)), _, Some(ask)) => {
                put(reason);
                return self.deliver_reply(by, ask, None);
            }
            (Some(WatchNotice::Start(put)), _, Some(ask)) => {
                let has_started = found.until == WatchedChange::Started && !found.is_broken;
                put(if has_started { Ok(()) } else { Err(reason) });
                return self.deliver_reply(by, ask, None);
            }
            _ => return,
        };
        let (slot, event) = notice(&*mail, reason);
        let letter = Envelope {
            sender: PackedSender::end(target),
            key,
            ..self
                .shared
                .state()
                .operations
                .letter(target, watcher, slot, event)
        };
        let delivery = self.shared.state().deliver(watcher, letter);
        self.sent(target, watcher, letter, delivery);
    }
}
