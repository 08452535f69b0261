//! Randomness: ranges, shuffles and weights of the crate `rand`, the same in both executors.

// ANCHOR: lottery
use actor_core::prelude::*;
use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};

#[derive(Debug)]
pub struct Draw;

#[derive(Debug, PartialEq)]
pub struct Drawn {
    pub order: Vec<&'static str>,
    pub winner: &'static str,
    pub prize: u32,
}

#[derive(Debug)]
pub struct Lottery;

#[actor]
impl Lottery {
    #[on]
    fn draw(&mut self, _: Draw, cx: &mut Context<Self>) -> Drawn {
        let mut rng = cx.rng();
        let mut order = vec!["Ada", "Grace", "Tony"];
        order.shuffle(&mut rng);
        // Ada has bought two tickets; everybody else has bought one.
        let tickets = |name: &&str| if *name == "Ada" { 2 } else { 1 };
        let winner = *order
            .choose_weighted(&mut rng, tickets)
            .expect("there are tickets");
        let prize = rng.random_range(10..=100);
        Drawn {
            order,
            winner,
            prize,
        }
    }
}
// ANCHOR_END: lottery

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    async fn everybody_takes_part(sys: &System) {
        let lottery = sys.spawn(Lottery);
        let drawn = lottery.ask(Draw).await.expect("the lottery lives");
        assert_eq!(drawn.order.len(), 3);
        assert!(drawn.order.contains(&drawn.winner));
        assert!((10..=100).contains(&drawn.prize));
    }
}
// ANCHOR_END: tests

#[cfg(test)]
mod production_tests {
    use super::*;

    #[tokio::test]
    async fn everybody_takes_part_in_production() {
        let sys = System::new();
        let lottery = sys.spawn(Lottery);
        let drawn = lottery.ask(Draw).await.expect("the lottery lives");
        assert_eq!(drawn.order.len(), 3);
        assert!(drawn.order.contains(&drawn.winner));
        assert!((10..=100).contains(&drawn.prize));
    }
}
