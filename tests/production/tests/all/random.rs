//! Random choices and generators, in production.

use std::collections::BTreeSet;

use actor_core::prelude::*;

#[derive(Debug)]
struct Roll(usize);
#[derive(Debug)]
struct Flip;
#[derive(Debug)]
struct Draw;

struct Dice;

#[actor]
impl Dice {
    #[on]
    fn roll(&mut self, roll: Roll, cx: &mut Context<Self>) -> usize {
        cx.choose(roll.0)
    }

    #[on]
    fn flip(&mut self, _: Flip, cx: &mut Context<Self>) -> bool {
        cx.choose_bool()
    }

    #[on]
    fn draw(&mut self, _: Draw, cx: &mut Context<Self>) -> u64 {
        use rand_core::Rng;
        cx.rng().next_u64()
    }
}

/// The probability that a face never comes in 1 000 rolls is below 10^-78.
#[tokio::test]
async fn every_outcome_comes_and_no_other() {
    let sys = System::new();
    let dice = sys.spawn(Dice);
    let mut seen = BTreeSet::new();
    let mut sides = BTreeSet::new();
    for _ in 0..1_000 {
        seen.insert(dice.ask(Roll(6)).await.unwrap());
        sides.insert(dice.ask(Flip).await.unwrap());
    }
    assert_eq!(seen, (0..6).collect());
    assert_eq!(sides.len(), 2);
    assert_eq!(sys.choose(1), 0);
}

/// The probability that two draws are equal is 2^-64.
#[tokio::test]
async fn generators_differ() {
    let sys = System::new();
    let dice = sys.spawn(Dice);
    assert_ne!(dice.ask(Draw).await, dice.ask(Draw).await);
}

#[tokio::test]
async fn a_choice_among_nothing_is_a_failure() {
    let sys = System::new();
    let dice = sys.spawn(Dice);
    assert_eq!(dice.ask(Roll(0)).await, Err(AskError::Failed));
}
