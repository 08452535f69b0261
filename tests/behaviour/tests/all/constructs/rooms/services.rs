//! The rules of groups, topics, pools, probes and proxies.

use std::time::Duration;

use actor_core::Scope;
use actor_core::services::{Group, Pool, PoolRef, Probe, Topics};
use actor_core::supervision::Unread;

use crate::constructs::actors::*;
use crate::constructs::kit::Kit;
use crate::constructs::rules::rules;

fn ms(number: u64) -> Duration {
    Duration::from_millis(1 + number % 2)
}

impl Kit {
    fn worker(&self) -> impl FnMut(usize) -> Worker + Send + use<> {
        let row = self.row.other(500 + self.row.of);
        move |number| Worker::new(row.clone(), number as u64)
    }

    /// Asks a pool, and keeps the pending answer.
    fn ask_pool(&mut self, pool: &PoolRef<Worker>, number: u64) -> u64 {
        let ask = pool.ask(Question(number));
        self.keep(async move { ask.await.unwrap_or(99) })
    }
}

/// The result if the program has no such service.
const NONE: u64 = 97;

macro_rules! service {
    ($kit:ident.$service:ident) => {
        match &$kit.services().$service {
            Some(service) => service.clone(),
            None => return NONE,
        }
    };
}

rules! {
    "groups" {
        group_join ANYBODY ["Group::join"] |k, n| { service!(k.group).join(&k.peer(n)); 0 };
        group_leave ANYBODY ["Group::leave"] |k, n| { service!(k.group).leave(&k.peer(n)); 0 };
        group_broadcast ANYBODY ["Group::broadcast"] |k, n| { service!(k.group).broadcast(Note(20 + n)); 0 };
        group_members ANYBODY ["Group::members"] |k, _n| service!(k.group).members().await.len() as u64;
        group_new STACKED ["Group::new"] |k, n| {
            let group = Group::new(&k.sys());
            group.join(&k.server());
            group.broadcast(Note(30 + n));
            0
        };
        group_named BODY ["Group::named"] |k, n| {
            let group = Group::named(&k.sys(), "group");
            group.join(&k.server());
            group.broadcast(Note(30 + n));
            group.members().await.len() as u64
        };
        subscribe ANYBODY ["Topics::subscribe"] |k, n| { service!(k.topics).subscribe(n % 2, &k.peer(n)); 0 };
        unsubscribe ANYBODY ["Topics::unsubscribe"] |k, n| { service!(k.topics).unsubscribe(n % 2, &k.peer(n)); 0 };
        publish ANYBODY ["Topics::publish"] |k, n| { service!(k.topics).publish(n % 2, Note(40 + n)); 0 };
        subscribers ANYBODY ["Topics::subscribers"] |k, n| {
            service!(k.topics).subscribers(n % 2).await.len() as u64
        };
        topics_new STACKED ["Topics::new"] |k, n| {
            let topics = Topics::new(&k.sys());
            topics.subscribe(n % 2, &k.server());
            topics.publish(0_u64, Note(50 + n));
            0
        };
        topics_named BODY ["Topics::named"] |k, n| {
            let topics = Topics::named(&k.sys(), "topics");
            topics.subscribe(n % 2, &k.server());
            topics.publish(0_u64, Note(50 + n));
            topics.subscribers(1).await.len() as u64
        };
    }
    "pools" {
        pool_in_turn STACKED ["Pool::round_robin"] |k, n| {
            let pool = k.sys().spawn(Pool::round_robin(2, k.worker()));
            k.ask_pool(&pool, n)
        };
        pool_least_busy STACKED ["Pool::least_busy"] |k, n| {
            let pool = k.sys().spawn(Pool::least_busy(1, k.worker()));
            k.ask_pool(&pool, n)
        };
        pool_elastic STACKED ["Pool::elastic"] |k, n| {
            let pool = k.sys().spawn(Pool::least_busy(1, k.worker()).elastic(2, ms(n)));
            pool.tell(Question(n));
            0
        };
        pool_keyed STACKED ["Pool::keyed"] |k, n| {
            let pool = k.sys().spawn(Pool::keyed(1, k.worker()).by(|question: &Question| question.0));
            k.ask_pool(&pool, n)
        };
        pool_resized STACKED ["Pool::resizable", "ActorRef::resize"] |k, n| {
            let pool = Pool::keyed(1, k.worker()).by(|question: &Question| question.0 % 2);
            let pool = k.sys().spawn(pool.resizable());
            pool.resize(2);
            k.ask_pool(&pool, n)
        };
    }
    "probes" {
        tell_probe ANYBODY ["Probe::recipient"] |k, n| { service!(k.probe).recipient::<Note>().tell(Note(n)); 0 };
        ask_probe ANYBODY ["Probe::actor"] |k, n| {
            let ask = service!(k.probe).actor().ask(Question(n));
            k.keep(async move { ask.await.unwrap_or(99) })
        };
        probe_expect STACKED ["Probe::expect"] |k, _n| service!(k.probe).expect::<Note>().await.0;
        probe_receive STACKED ["Probe::receive"] |k, _n| service!(k.probe).receive::<Note>().await.0;
        probe_answer STACKED ["Probe::answer"] |k, n| service!(k.probe).answer::<Question>(n).await.0;
        probe_expect_ask STACKED ["Probe::expect_ask"] |k, n| {
            let (question, reply) = service!(k.probe).expect_ask::<Question>().await;
            reply.send(n);
            question.0
        };
        probe_expect_none STACKED ["Probe::expect_none"] |k, _n| { service!(k.probe).expect_none().await; 0 };
        probe_expect_none_for STACKED ["Probe::expect_none_for"] |k, n| {
            service!(k.probe).expect_none_for(ms(n)).await;
            0
        };
        probe_stop STACKED ["Probe::stop"] |k, _n| { service!(k.probe).stop(); 0 };
        probe_new STACKED ["Probe::new"] |k, n| {
            let probe = Probe::<dyn Talks>::new(&k.sys());
            probe.recipient::<Note>().tell(Note(n));
            probe.expect::<Note>().await.0
        };
        probe_named BODY ["Probe::named"] |k, n| {
            let probe = Probe::<dyn Talks>::named(&k.sys(), "probe");
            probe.recipient::<Note>().tell(Note(n));
            probe.expect::<Note>().await.0
        };
    }
    "restarts" {
        keeps_unread STACKED ["Spawner::on_restart"] |k, n| {
            let (row, to) = (k.row.other(100 + k.row.of), k.server());
            let mut lives = 0..;
            let unread = if n % 2 == 0 { Unread::Keep } else { Unread::Drop };
            let child = k.sys().spawner().on_restart(unread).spawn_with(move || Child {
                row: row.clone(),
                to: to.clone(),
                fails: lives.next() == Some(0),
            });
            child.tell(Note(n));
            0
        };
    }
}
