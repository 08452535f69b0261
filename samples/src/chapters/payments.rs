//! A model of the environment: a line that loses messages, and a bank that crashes.

// ANCHOR: events
use std::collections::BTreeSet;
use std::time::Duration;

use actor_core::prelude::*;

/// Asks for one payment. A second request with the same number is a repetition.
#[derive(Clone, Debug)]
pub struct Pay {
    pub number: u32,
    pub receipt: Recipient<Paid>,
}
#[derive(Clone, Debug)]
pub struct Paid;
#[derive(Debug)]
pub struct NoAnswer;
// ANCHOR_END: events

// ANCHOR: bank
#[derive(Debug, Default)]
pub struct Bank {
    payments: Vec<u32>,
}

#[actor]
impl Bank {
    #[on]
    fn pay(&mut self, pay: Pay) {
        self.payments.push(pay.number);
        pay.receipt.tell(Paid);
    }
}
// ANCHOR_END: bank

// ANCHOR: line
/// The line between a shop and its bank, which loses some messages.
#[derive(Debug)]
pub struct Line {
    bank: Recipient<Pay>,
    shop: Option<Recipient<Paid>>,
    /// The number of messages that the line may still lose.
    losses: u32,
}

impl Line {
    fn loses(&mut self, cx: &mut Context<Self>) -> bool {
        let is_lost = self.losses > 0 && cx.choose_bool();
        self.losses -= u32::from(is_lost);
        is_lost
    }
}

#[actor]
impl Line {
    #[on]
    fn request(&mut self, pay: Pay, cx: &mut Context<Self>) {
        self.shop = Some(pay.receipt);
        if !self.loses(cx) {
            let number = pay.number;
            let receipt = cx.recipient();
            self.bank.tell(Pay { number, receipt });
        }
    }

    #[on]
    fn receipt(&mut self, paid: Paid, cx: &mut Context<Self>) {
        if let Some(shop) = self.shop.clone()
            && !self.loses(cx)
        {
            shop.tell(paid);
        }
    }
}
// ANCHOR_END: line

// ANCHOR: shop
/// Pays once, and repeats the request until an answer comes.
#[derive(Debug)]
pub struct Shop {
    line: ActorRef<Line>,
}

#[actor(states(Waiting, Done(ignore(Paid))))]
impl Shop {
    #[entry(Waiting)]
    fn ask(&mut self, cx: &mut Context<Self>) {
        let receipt = cx.recipient();
        self.line.tell(Pay { number: 1, receipt });
        cx.timer()
            .until_state_left()
            .after(Duration::from_secs(5), NoAnswer);
    }

    #[on(Waiting)]
    fn no_answer(&mut self, _: NoAnswer, cx: &mut Context<Self>) {
        cx.goto(ShopState::Waiting);
    }

    #[on(Waiting)]
    fn paid(&mut self, _: Paid, cx: &mut Context<Self>) {
        cx.goto(ShopState::Done);
    }
}
// ANCHOR_END: shop

// ANCHOR: careful
/// Remembers the payments that were made.
#[derive(Debug, Default)]
pub struct CarefulBank {
    payments: Vec<u32>,
    known: BTreeSet<u32>,
}

#[actor]
impl CarefulBank {
    #[on]
    fn pay(&mut self, pay: Pay) {
        if self.known.insert(pay.number) {
            self.payments.push(pay.number);
        }
        pay.receipt.tell(Paid);
    }
}
// ANCHOR_END: careful

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    pub(super) fn set_up(sys: &System, bank: Recipient<Pay>) {
        let shop = None;
        let line = sys.spawn(Line {
            bank,
            shop,
            losses: 2,
        });
        let shop = sys.spawn(Shop { line });
        sys.eventually("the shop has its receipt", move |world| {
            world.state_of(&shop) == Some("Done")
        });
    }

    #[actor_test(expect_bug = "paid once")]
    fn a_bank_pays_once(sys: &System) {
        let bank = sys.spawn(Bank::default());
        set_up(sys, bank.recipient());
        sys.always("paid once", move |world| {
            world.get(&bank).is_none_or(|bank| bank.payments.len() <= 1)
        });
    }
}
// ANCHOR_END: tests

// ANCHOR: careful_tests
#[cfg(test)]
mod careful_tests {
    use super::tests::set_up;
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    fn a_careful_bank_pays_once(sys: &System) {
        let bank = sys.spawn(CarefulBank::default());
        set_up(sys, bank.recipient());
        sys.always("paid once", move |world| {
            world.get(&bank).is_none_or(|bank| bank.payments.len() <= 1)
        });
    }
}
// ANCHOR_END: careful_tests
