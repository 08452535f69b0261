//! Actors of different types in one list: each answers the same question (`ReplyRecipient`).

// ANCHOR: compare
use actor_core::ReplyRecipient;
use actor_core::prelude::*;

#[derive(Debug)]
pub struct Price(pub &'static str);

#[derive(Debug)]
pub struct Compare(pub &'static str);

#[derive(Debug)]
pub struct Comparison {
    sellers: Vec<ReplyRecipient<Price, u32>>,
}

#[actor]
impl Comparison {
    #[on]
    async fn compare(&mut self, compare: Compare) -> Option<u32> {
        let mut cheapest = None;
        for seller in &self.sellers {
            if let Ok(price) = seller.ask(Price(compare.0)).await {
                cheapest = Some(cheapest.map_or(price, |known: u32| known.min(price)));
            }
        }
        cheapest
    }
}
// ANCHOR_END: compare

pub struct Shop {
    price: u32,
}

#[actor]
impl Shop {
    #[on]
    fn price(&mut self, _: Price) -> u32 {
        self.price
    }
}

pub struct Market;

#[actor]
impl Market {
    #[on]
    fn price(&mut self, price: Price) -> u32 {
        price.0.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    async fn the_cheapest_is_found(sys: &System) {
        // ANCHOR: sellers
        let (shop, market) = (sys.spawn(Shop { price: 5 }), sys.spawn(Market));
        let sellers = vec![shop.reply_recipient(), market.reply_recipient()];
        // ANCHOR_END: sellers
        let comparison = sys.spawn(Comparison { sellers });
        assert_eq!(comparison.ask(Compare("tea")).await, Ok(Some(3)));
        assert_eq!(comparison.ask(Compare("chocolate")).await, Ok(Some(5)));
    }
}
