//! A processor that boots and should sleep meanwhile, after a bug in an operating system told in
//! "Finding and Reproducing Heisenbugs in Concurrent Programs" (Musuvathi and others, OSDI 2008).
//!
//! [`Boot`] waits for the first interrupt of the clock. Until then it halts, and each interrupt
//! wakes it. The interrupts of other devices are for the [`Dispatcher`], which acknowledges them;
//! the [`Controller`] raises no other before.
//!
//! **The bug it teaches.** With [`Bug::HaltReturnsIfAny`], an interrupt that Boot does not wait for
//! stays where it is. The next halt returns at once, since an interrupt is pending, and Boot looks
//! again, and halts again: it is busy, and gets nowhere. No assertion fails and nobody waits, so
//! there is no deadlock. The tester needs no specification for it, though: an actor that handles
//! nothing but its own events, for long and to no effect, is reported by itself.

use std::collections::VecDeque;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// To halt returns where any interrupt is pending, and those of others are left pending.
    HaltReturnsIfAny,
}

/// What can interrupt the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// Nobody waits for it while booting.
    Keyboard,
    /// Boot waits for it.
    Clock,
}

/// Interrupts the processor.
#[derive(Debug)]
pub struct Interrupt(pub Device);

/// Boot's word to itself: the processor is awake.
#[derive(Debug)]
pub struct Awake;

/// Hands an interrupt to the dispatcher.
#[derive(Debug)]
pub struct Dispatch(pub Device);

/// Tells the controller that the interrupt was seen to.
#[derive(Debug)]
pub struct Acknowledge;

/// Asks Boot how many interrupts it had; answered when it has booted.
#[derive(Debug)]
pub struct Interrupts;

// ANCHOR: boot
/// Waits for the clock.
#[derive(Debug)]
pub struct Boot {
    dispatcher: ActorRef<Dispatcher>,
    pending: VecDeque<Device>,
    interrupts: u32,
    bug: Option<Bug>,
}

#[actor(states(Waiting(defer(Interrupts)), Booted(ignore(Awake))))]
impl Boot {
    #[on]
    fn interrupt(&mut self, interrupt: Interrupt, cx: &mut Context<Self>) {
        self.interrupts += 1;
        self.pending.push_back(interrupt.0);
        cx.me().tell(Awake);
    }

    #[on(Waiting)]
    fn awake(&mut self, _: Awake, cx: &mut Context<Self>) {
        if self.pending.contains(&Device::Clock) {
            cx.goto(BootState::Booted);
            return;
        }
        if self.bug != Some(Bug::HaltReturnsIfAny) {
            for device in self.pending.drain(..) {
                self.dispatcher.tell(Dispatch(device));
            }
        }
        self.halt(cx);
    }

    /// Sleeps until there is an interrupt.
    fn halt(&self, cx: &mut Context<Self>) {
        if !self.pending.is_empty() {
            cx.me().tell(Awake);
        }
    }

    #[on(Booted)]
    fn interrupts(&mut self, _: Interrupts) -> u32 {
        self.interrupts
    }
}
// ANCHOR_END: boot

/// Sees to the interrupts that nobody waits for.
#[derive(Debug)]
pub struct Dispatcher {
    controller: ActorRef<Controller>,
}

#[actor]
impl Dispatcher {
    #[on]
    fn dispatch(&mut self, _: Dispatch) {
        self.controller.tell(Acknowledge);
    }
}

/// Tells the controller whom to interrupt.
#[derive(Debug)]
pub struct Connect(pub ActorRef<Boot>);

/// Interrupts the processor, one device after the other.
#[derive(Debug)]
pub struct Controller {
    devices: VecDeque<Device>,
    boot: Option<ActorRef<Boot>>,
}

#[actor]
impl Controller {
    #[on]
    fn connect(&mut self, connect: Connect) {
        self.boot = Some(connect.0);
        self.interrupt();
    }

    #[on]
    fn acknowledge(&mut self, _: Acknowledge) {
        self.interrupt();
    }

    fn interrupt(&mut self) {
        if let (Some(boot), Some(device)) = (&self.boot, self.devices.pop_front()) {
            boot.tell(Interrupt(device));
        }
    }
}

/// The processor boots, in the end.
#[derive(Debug, Default)]
pub struct Boots;

#[monitor(hot(Booting), cold(Up))]
impl Boots {
    #[on]
    fn interrupt(&mut self, interrupt: &Interrupt, cx: &mut MonitorContext<Self>) {
        cx.goto(match interrupt.0 {
            Device::Clock => BootsState::Up,
            Device::Keyboard => BootsState::Booting,
        });
    }
}

/// Starts a processor that has so many interrupts of the keyboard before that of the clock.
pub fn set_up(sys: &System, keys: usize, bug: Option<Bug>) -> ActorRef<Boot> {
    let mut devices = VecDeque::from(vec![Device::Keyboard; keys]);
    devices.push_back(Device::Clock);
    let controller = sys.spawn(Controller {
        devices,
        boot: None,
    });
    let dispatcher = sys.spawn(Dispatcher {
        controller: controller.clone(),
    });
    let boot = sys.spawn(Boot {
        dispatcher,
        pending: VecDeque::new(),
        interrupts: 0,
        bug,
    });
    controller.tell(Connect(boot.clone()));
    boot
}
