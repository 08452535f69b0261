//! A livelock while a processor boots, after an operating system bug in "Finding and
//! Reproducing Heisenbugs in Concurrent Programs" (Musuvathi and others, OSDI 2008).
//!
//! [`Boot`] waits for the first clock interrupt. Until then it halts the processor, and each
//! interrupt wakes it. The [`Dispatcher`] receives the interrupts of other devices, and
//! acknowledges them; the [`Controller`] raises the next interrupt after the acknowledgement.
//!
//! **The bug it teaches.** With [`Bug::HaltReturnsIfAny`], an interrupt that Boot does
//! not wait for stays pending. The next halt returns at once, since an interrupt is
//! pending. Boot checks again, halts again, and spins for ever. No assertion fails, and
//! no actor waits, so there is no deadlock. The tester needs no specification to find it:
//! an actor that handles only its own events for long, without an effect, is reported.

use std::collections::VecDeque;

use actor_core::prelude::*;

#[cfg(test)]
mod tests;

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The halt returns if any interrupt is pending, and interrupts of other devices stay pending.
    HaltReturnsIfAny,
}

/// A device that can interrupt the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// A device that nobody waits for during the boot.
    Keyboard,
    /// The device that Boot waits for.
    Clock,
}

/// Interrupts the processor.
#[derive(Debug)]
pub struct Interrupt(pub Device);

/// Boot sends this to itself: the processor is awake.
#[derive(Debug)]
pub struct Awake;

/// Hands an interrupt to the dispatcher.
#[derive(Debug)]
pub struct Dispatch(pub Device);

/// Notifies the controller that the interrupt was handled.
#[derive(Debug)]
pub struct Acknowledge;

/// Asks Boot for the number of interrupts it had; answered when it has booted.
#[derive(Debug)]
pub struct Interrupts;

// ANCHOR: boot
/// Waits for the clock interrupt.
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

/// Acknowledges the interrupts that Boot does not wait for.
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

/// Gives the controller the actor to interrupt.
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

/// A liveness property: the processor boots eventually.
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

/// Starts a processor that gets `keys` keyboard interrupts before the clock interrupt.
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
