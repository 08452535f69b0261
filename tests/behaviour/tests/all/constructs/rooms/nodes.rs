//! The rules of nodes: links, faults and clocks.

use std::time::Duration;

use actor_core::Scope;

use crate::constructs::actors::{Echo, Note, Question};
use crate::constructs::kit::{FIRST_NODE as ONE, SECOND_NODE as OTHER};
use crate::constructs::rules::{ok, rules};

fn ms(number: u64) -> Duration {
    Duration::from_millis(1 + number % 2)
}

/// Returns the two nodes of a link, in one direction or the other.
fn way(number: u64) -> (&'static str, &'static str) {
    match number % 2 {
        0 => (ONE, OTHER),
        _ => (OTHER, ONE),
    }
}

rules! {
    "nodes" {
        fault_crash STACKED ["System::faults", "Faults::crash"] |k, _n| { k.sys().faults().crash(ONE); 0 };
        fault_restart STACKED ["Faults::restart"] |k, _n| { k.sys().faults().restart(ONE); 0 };
        fault_wipe STACKED ["Faults::restart_without_disk"] |k, _n| {
            k.sys().faults().restart_without_disk(ONE);
            0
        };
        fault_pause STACKED ["Faults::pause"] |k, _n| { k.sys().faults().pause(ONE); 0 };
        fault_resume STACKED ["Faults::resume"] |k, _n| { k.sys().faults().resume(ONE); 0 };
        fault_ahead STACKED ["Faults::set_ahead"] |k, n| { k.sys().faults().set_ahead(ONE, ms(n)); 0 };
        fault_back STACKED ["Faults::set_back"] |k, n| { k.sys().faults().set_back(ONE, ms(n)); 0 };
        fault_spare STACKED ["Faults::spare"] |k, _n| { k.sys().faults().spare(ONE); 0 };
        find_echo STACKED ["System::node"] |k, _n| ok(&k.sys().lookup::<Echo>("first/echo").await);
        ask_echo STACKED ["System::node"] |k, n| {
            match k.sys().lookup::<Echo>("first/echo").await {
                Ok(echo) => echo.ask(Question(n)).await.unwrap_or(99),
                Err(_) => 90,
            }
        };
        tell_echo STACKED ["System::node"] |k, n| {
            match k.sys().lookup::<Echo>("first/echo").await {
                Ok(echo) => { echo.tell(Note(n)); 1 }
                Err(_) => 0,
            }
        };
        fault_when BODY ["System::when"] |k, n| {
            let crashes = n % 2 == 0;
            k.sys().when(
                "something is echoed",
                |world| world.all::<Echo>().any(Echo::has_handled),
                move |faults| if crashes { faults.crash(ONE) } else { faults.restart(ONE) },
            );
            0
        };
    }
    "links" {
        partition STACKED ["Faults::partition"] |k, _n| { k.sys().faults().partition(&[ONE], &[OTHER]); 0 };
        cut STACKED ["Faults::cut"] |k, n| { k.sys().faults().cut(way(n).0, way(n).1); 0 };
        heal STACKED ["Faults::heal"] |k, _n| { k.sys().faults().heal(); 0 };
        heal_between STACKED ["Faults::heal_between"] |k, _n| { k.sys().faults().heal_between(ONE, OTHER); 0 };
        break_connection STACKED ["Faults::break_connection"] |k, _n| {
            k.sys().faults().break_connection(ONE, OTHER);
            0
        };
        half_open STACKED ["Faults::half_open"] |k, n| { k.sys().faults().half_open(way(n).0, way(n).1); 0 };
        fill_link STACKED ["Faults::fill"] |k, n| { k.sys().faults().fill(way(n).0, way(n).1); 0 };
        drain_link STACKED ["Faults::drain"] |k, n| { k.sys().faults().drain(way(n).0, way(n).1); 0 };
        hold_link STACKED ["Faults::hold"] |k, n| { k.sys().faults().hold(way(n).0, way(n).1); 0 };
        release_link STACKED ["Faults::release"] |k, n| { k.sys().faults().release(way(n).0, way(n).1); 0 };
        drop_next STACKED ["Faults::drop_next"] |k, _n| { k.sys().faults().drop_next::<Note>(OTHER, ONE); 0 };
        duplicate_next STACKED ["Faults::duplicate_next"] |k, _n| {
            k.sys().faults().duplicate_next::<Note>(OTHER, ONE);
            0
        };
        delay_next STACKED ["Faults::delay_next"] |k, _n| { k.sys().faults().delay_next::<Note>(OTHER, ONE); 0 };
        spare_link STACKED ["Faults::spare_link"] |k, _n| { k.sys().faults().spare_link(ONE, OTHER); 0 };
    }
}
