//! Tests of the ends of a coroutine: return, panic, unwinding, drop.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use super::{Coroutine, Resumed, Stack, is_running, suspend};

fn stack() -> Stack {
    Stack::new(64 * 1024).expect("there is memory")
}

struct Counts(Rc<Cell<u32>>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn coroutines_take_turns_and_nest() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let counter = |name: char| {
        let seen = seen.clone();
        Coroutine::new(stack(), move || {
            for i in 0..2 {
                seen.borrow_mut().push((name, i));
                suspend();
            }
        })
    };
    let (mut a, mut b) = (counter('a'), counter('b'));
    let inner = seen.clone();
    let mut outer = Coroutine::new(stack(), move || {
        a.resume();
        suspend();
        a.resume();
        inner.borrow_mut().push(('o', 0));
    });
    assert_eq!(outer.resume(), Resumed::Suspended);
    b.resume();
    assert_eq!(outer.resume(), Resumed::Done);
    assert_eq!(*seen.borrow(), [('a', 0), ('b', 0), ('a', 1), ('o', 0)]);
    assert!(!is_running());
}

#[test]
fn a_panic_goes_on_in_who_resumes() {
    let mut panics = Coroutine::new(stack(), || {
        suspend();
        std::panic::resume_unwind(Box::new(7_u8));
    });
    panics.resume();
    let payload = catch_unwind(AssertUnwindSafe(|| panics.resume())).expect_err("it panics");
    assert_eq!(payload.downcast_ref::<u8>(), Some(&7));
    assert!(!is_running());
    panics.end();
}

#[test]
fn what_is_suspended_is_unwound_at_its_end() {
    let dropped = Rc::new(Cell::new(0));
    let counts = Counts(dropped.clone());
    let mut waits = Coroutine::new(stack(), move || {
        let _counts = counts;
        suspend();
        unreachable!("nobody resumes it");
    });
    waits.resume();
    let again = waits.end();
    assert_eq!(dropped.get(), 1);
    let mut next = Coroutine::new(again, || {});
    assert_eq!(next.resume(), Resumed::Done);
}

#[test]
fn one_that_never_ran_is_dropped() {
    let dropped = Rc::new(Cell::new(0));
    let counts = Counts(dropped.clone());
    Coroutine::new(stack(), move || drop(counts)).end();
    assert_eq!(dropped.get(), 1);
}

#[test]
#[should_panic(expected = "nothing runs that could be suspended")]
fn nothing_is_suspended_where_nothing_runs() {
    suspend();
}
