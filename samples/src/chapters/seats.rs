//! Seats that travellers book: the program of the chapter on proofs.

// ANCHOR: office
use actor_core::prelude::*;

/// Asks for the number of free seats.
#[derive(Debug)]
pub struct Free;

/// Books one seat.
#[derive(Debug)]
pub struct Book;

/// Sells the seats of a bus.
#[derive(Debug)]
pub struct Office {
    seats: u32,
    sold: u32,
}

#[actor]
impl Office {
    #[on]
    fn free(&mut self, _: Free) -> u32 {
        self.seats - self.sold
    }

    #[on]
    fn book(&mut self, _: Book) {
        self.sold += 1;
        assert!(self.sold <= self.seats, "a seat was sold twice");
    }
}

/// Books a seat if one is free.
#[derive(Debug)]
pub struct Traveller {
    office: ActorRef<Office>,
}

#[actor]
impl Traveller {
    #[start]
    async fn start(&mut self) {
        if self.office.ask(Free).await == Ok(0) {
            return;
        }
        self.office.tell(Book);
    }
}
// ANCHOR_END: office

// ANCHOR: mended
/// Books one seat if there is one.
#[derive(Debug)]
pub struct TryBook;

/// Sells the seats of a bus, and refuses when all are sold.
#[derive(Debug)]
pub struct CarefulOffice {
    seats: u32,
    sold: u32,
}

#[actor]
impl CarefulOffice {
    #[on]
    fn book(&mut self, _: TryBook) -> bool {
        let is_free = self.sold < self.seats;
        self.sold += u32::from(is_free);
        assert!(self.sold <= self.seats, "a seat was sold twice");
        is_free
    }
}

/// Books a seat.
#[derive(Debug)]
pub struct CarefulTraveller {
    office: ActorRef<CarefulOffice>,
    /// True if the booking succeeded.
    pub has_seat: bool,
}

#[actor]
impl CarefulTraveller {
    #[start]
    async fn start(&mut self) {
        self.has_seat = self.office.ask(TryBook).await == Ok(true);
    }
}
// ANCHOR_END: mended

// ANCHOR: test
#[cfg(test)]
mod before {
    use super::*;
    use actor_test::actor_test;

    #[actor_test(strategy = "dpor", expect_bug = "a seat was sold twice")]
    fn no_seat_is_sold_twice(sys: &System) {
        let office = sys.spawn(Office { seats: 2, sold: 0 });
        for _ in 0..3 {
            let office = office.clone();
            sys.spawn(Traveller { office });
        }
    }
}
// ANCHOR_END: test

// ANCHOR: proof
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test(strategy = "dpor")]
    fn no_seat_is_sold_twice_by_the_careful(sys: &System) {
        let office = sys.spawn(CarefulOffice { seats: 2, sold: 0 });
        for _ in 0..4 {
            let (office, has_seat) = (office.clone(), false);
            sys.spawn(CarefulTraveller { office, has_seat });
        }
    }
}
// ANCHOR_END: proof
