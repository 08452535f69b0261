//! Ask and assert on the answer: two customers check the balance before they withdraw (a race).

// ANCHOR: account
use actor_core::prelude::*;

#[derive(Debug)]
pub struct Deposit(pub u32);
#[derive(Debug)]
pub struct Withdraw(pub u32);
#[derive(Debug)]
pub struct Balance;

#[derive(Debug, PartialEq)]
pub struct TooLittle;

#[derive(Debug, Default)]
pub struct Account {
    balance: u32,
}

#[actor]
impl Account {
    #[on]
    fn deposit(&mut self, deposit: Deposit) {
        self.balance += deposit.0;
    }

    #[on]
    fn withdraw(&mut self, withdraw: Withdraw) -> Result<u32, TooLittle> {
        self.balance = self.balance.checked_sub(withdraw.0).ok_or(TooLittle)?;
        Ok(self.balance)
    }

    #[on]
    fn balance(&mut self, _: Balance) -> u32 {
        self.balance
    }
}
// ANCHOR_END: account

// ANCHOR: customer
#[derive(Debug)]
pub struct Shop;

/// Checks the balance, and then withdraws the amount.
#[derive(Debug)]
pub struct Customer {
    account: ActorRef<Account>,
}

#[actor]
impl Customer {
    #[on]
    async fn shop(&mut self, _: Shop) {
        let balance = self.account.ask(Balance).await;
        if balance.is_ok_and(|balance| balance >= 10) {
            let left = self.account.ask(Withdraw(10)).await;
            left.expect("the account lives").expect("there was enough");
        }
    }
}
// ANCHOR_END: customer

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    async fn nobody_withdraws_what_is_not_there(sys: &System) {
        let account = sys.spawn(Account::default());
        account.tell(Deposit(10));
        assert_eq!(account.ask(Withdraw(7)).await, Ok(Ok(3)));
        assert_eq!(account.ask(Withdraw(7)).await, Ok(Err(TooLittle)));
    }

    #[actor_test(expect_bug = "there was enough")]
    async fn two_customers_shop(sys: &System) {
        let account = sys.spawn(Account::default());
        account.tell(Deposit(10));
        for _ in 0..2 {
            let account = account.clone();
            sys.spawn(Customer { account }).tell(Shop);
        }
    }
}
// ANCHOR_END: tests
