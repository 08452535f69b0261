//! The rules of actors: references, asks, states, timers, pipes, incarnations, children, names and choices.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::protocols::ProtocolRef;
use actor_core::supervision::Restart;
use actor_core::{ReplyRecipient, Supervision};
use rand_core::TryRng as _;

use crate::constructs::actors::*;
use crate::constructs::kit::Kit;
use crate::constructs::rules::{ok, rules};

fn ms(number: u64) -> Duration {
    Duration::from_millis(1 + number % 2)
}

/// Returns one of two names.
fn the(number: u64) -> &'static str {
    ["one", "one", "other"][number as usize % 3]
}

impl Kit {
    fn child(&self, number: u64, fails: bool) -> Child {
        Child {
            row: self
                .row
                .other(100 * (1 + number as usize % 2) + self.row.of),
            to: self.server(),
            fails,
        }
    }

    fn protocol(&self, number: u64) -> ProtocolRef<dyn Talks> {
        (&self.peer(number)).into()
    }

    fn who_answers(&self, number: u64) -> ReplyRecipient<Question, u64> {
        (&self.peer(number)).into()
    }
}

rules! {
    "references" {
        tell ANYBODY ["ActorRef::tell"] |k, n| { k.peer(n).tell(Note(n)); 0 };
        tell_by_recipient ANYBODY ["ActorRef::recipient", "Recipient::tell"] |k, n| {
            k.peer(n).recipient::<Note>().tell(Note(n));
            0
        };
        tell_by_protocol ANYBODY ["ProtocolRef::tell"] |k, n| { k.protocol(n).tell(Note(n)); 0 };
        tell_by_reply_recipient ANYBODY ["ReplyRecipient::tell"] |k, n| {
            k.who_answers(n).tell(Question(n));
            0
        };
        send ANYBODY ["ActorRef::send", "Sending::await"] |k, n| ok(&k.peer(n).send(Note(n)).await);
        send_by_recipient ANYBODY ["Recipient::send", "ProtocolRef::recipient"] |k, n| {
            ok(&k.protocol(n).recipient::<Note>().send(Note(n)).await)
        };
        send_by_protocol ANYBODY ["ProtocolRef::send"] |k, n| ok(&k.protocol(n).send(Note(n)).await);
        send_dropped ANYBODY ["ActorRef::send"] |k, n| { drop(k.peer(n).send(Note(n))); 0 };
        keep_sending ANYBODY ["ActorRef::send"] |k, n| {
            let to = k.peer(n);
            k.keep(async move { ok(&to.send(Note(n)).await) })
        };
        try_send ANYBODY ["ActorRef::try_send", "TrySending::await"] |k, n| {
            ok(&k.peer(n).try_send(Note(n)).await)
        };
        try_send_by_recipient ANYBODY ["Recipient::try_send", "ReplyRecipient::recipient"] |k, n| {
            ok(&k.who_answers(n).recipient().try_send(Question(n)).await)
        };
        try_send_by_protocol ANYBODY ["ProtocolRef::try_send"] |k, n| {
            ok(&k.protocol(n).try_send(Note(n)).await)
        };
        is_alive ANYBODY ["ActorRef::is_alive"] |k, n| u64::from(k.peer(n).is_alive());
        started ANYBODY ["ActorRef::started", "Started::await"] |k, n| ok(&k.peer(n).started().await);
        keep_start ANYBODY ["ActorRef::started"] |k, n| {
            let started = k.peer(n).started();
            k.keep(async move { ok(&started.await) })
        };
        stopped ANYBODY ["ActorRef::stopped", "Stopped::await"] |k, n| {
            u64::from(k.peer(n).stopped().await.is_failure())
        };
        keep_end ANYBODY ["ActorRef::stopped"] |k, n| {
            let stopped = k.peer(n).stopped();
            k.keep(async move { u64::from(stopped.await.is_failure()) })
        };
        weak ANYBODY ["ActorRef::downgrade", "WeakRef::upgrade"] |k, n| {
            u64::from(k.peer(n).downgrade().upgrade().is_some())
        };
    }
    "asks" {
        ask ANYBODY ["ActorRef::ask", "Ask::await"] |k, n| {
            k.peer(n).ask(Question(n)).await.unwrap_or(99)
        };
        ask_by_protocol ANYBODY ["ProtocolRef::ask"] |k, n| {
            k.protocol(n).ask(Question(n)).await.unwrap_or(99)
        };
        ask_by_reply_recipient ANYBODY ["ReplyRecipient::ask", "ActorRef::reply_recipient"] |k, n| {
            let answers = k.peer(n).reply_recipient::<Question>();
            answers.ask(Question(n)).await.unwrap_or(99)
        };
        ask_by_protocol_recipient ANYBODY ["ProtocolRef::reply_recipient"] |k, n| {
            let answers = k.protocol(n).reply_recipient::<Question>();
            answers.ask(Question(n)).await.unwrap_or(99)
        };
        ask_timed ANYBODY ["Ask::timeout", "TimedAsk::await"] |k, n| {
            k.peer(n).ask(Question(n)).timeout(ms(n)).await.unwrap_or(99)
        };
        ask_unlimited ANYBODY ["Ask::without_limit"] |k, n| {
            k.peer(n).ask(Question(n)).without_limit().await.unwrap_or(99)
        };
        ask_dropped ANYBODY ["ActorRef::ask", "Ask::drop"] |k, n| {
            drop(k.peer(n).ask(Question(n)));
            0
        };
        keep_ask ANYBODY ["ActorRef::ask"] |k, n| {
            let ask = k.peer(n).ask(Question(n));
            k.keep(async move { ask.await.unwrap_or(99) })
        };
        hand_ask_on ANYBODY ["Ask::await", "Ask::drop"] |k, n| {
            let ask = k.peer(n).ask(Question(n));
            k.peer(n + 1).tell(Have(ask));
            0
        };
        ask_answered_by_another ANYBODY ["Reply::send"] |k, n| {
            let by = k.peer(n + 1).recipient();
            k.peer(n).ask(Later(Some(by))).await.unwrap_or(99)
        };
        ask_answered_by_nobody ANYBODY ["Reply::drop", "Reply::is_nobody"] |k, n| {
            k.peer(n).ask(Later(None)).await.unwrap_or(99)
        };
        tell_what_wants_an_answer ANYBODY ["Reply::is_nobody"] |k, n| {
            k.peer(n).tell(Later(None));
            0
        };
    }
    "kept" {
        poll_kept ANYBODY ["Ask::await", "Started::await", "Stopped::await", "Sending::await"] |k, _n| {
            k.poll_kept()
        };
        await_kept ANYBODY ["Ask::await", "Started::await", "Stopped::await", "Sending::await"] |k, _n| {
            k.await_one_kept().await
        };
        await_all_kept ANYBODY ["Ask::await", "Started::await", "Stopped::await"] |k, _n| {
            k.await_all_kept().await
        };
        drop_kept ANYBODY ["Ask::drop"] |k, _n| u64::from(k.kept.pop().is_some());
    }
    "flow" {
        state ACTOR ["Context::state"] |_k, _n, cx| u64::from(cx.state() == PlayerState::Closed);
        close ACTOR ["Context::goto"] |_k, _n, cx| { cx.goto(PlayerState::Closed); 0 };
        open ANYBODY ["Context::goto"] |k, n| { k.peer(n).tell(Key); 0 };
        raise ACTOR ["Context::raise"] |_k, n, cx| { cx.raise(Note(n)); 0 };
        halt ACTOR ["Context::halt"] |_k, _n, cx| { cx.halt(); 0 };
        receive ACTOR ["Context::receive"] |_k, _n, cx| cx.receive::<Note>().await.0;
        receive_or_sleep ACTOR ["Context::receive", "Scope::sleep"] |_k, n, cx| {
            let sleep = Box::pin(cx.sleep(ms(n)));
            let receive = Box::pin(cx.receive::<Note>());
            match futures_util::future::select(receive, sleep).await {
                futures_util::future::Either::Left((note, _)) => 10 + note.0,
                futures_util::future::Either::Right(_) => 1,
            }
        };
        own_references ACTOR ["Context::me", "Context::recipient", "Context::reply_recipient", "Context::weak"]
            |k, n, cx| {
                let (me, weak) = (cx.me(), cx.weak());
                cx.recipient::<Note>().tell(Note(n));
                let answers = cx.reply_recipient::<Question>();
                k.peer(n).tell(Have(answers.ask(Question(n))));
                u64::from(weak.upgrade() == Some(me))
            };
    }
    "choices" {
        choose ACTOR ["Scope::choose"] |_k, _n, cx| cx.choose(2) as u64;
        choose_bool ACTOR ["Scope::choose_bool"] |_k, _n, cx| u64::from(cx.choose_bool());
        rng ACTOR ["Scope::rng"] |_k, _n, cx| cx.rng().try_next_u64().unwrap_or(0) % 2;
        body_chooses BODY ["Scope::choose"] |k, _n| k.sys().choose(2) as u64;
        body_chooses_bool BODY ["Scope::choose_bool"] |k, _n| u64::from(k.sys().choose_bool());
        body_rng BODY ["Scope::rng"] |k, _n| k.sys().rng().try_next_u64().unwrap_or(0) % 2;
        fallible ACTOR ["Context::fallible"] |_k, _n, cx| ok(&cx.fallible("call", || Ok::<_, ()>(())));
        fallible_async ACTOR ["Context::fallible_async"] |_k, _n, cx| {
            ok(&cx.fallible_async("later", async { Ok::<_, ()>(()) }).await)
        };
    }
    "timers" {
        now ACTOR ["Scope::now"] |_k, _n, cx| cx.now().as_millis() as u64;
        timestamp ACTOR ["Context::timestamp"] |_k, _n, cx| cx.timestamp().time().as_millis() as u64;
        sleep ACTOR ["Scope::sleep"] |_k, n, cx| { cx.sleep(ms(n)).await; 0 };
        after ACTOR ["Context::after"] |k, n, cx| { k.timer = Some(cx.after(ms(n), Tick(n))); 0 };
        every ACTOR ["Context::every", "TimerBuilder::every", "Context::cancel"] |_k, n, cx| {
            let timer = match n % 2 {
                0 => cx.every(ms(n), Tick(10 + n)),
                _ => cx.timer().every(ms(n), Tick(10 + n)),
            };
            let tick = cx.receive::<Tick>().await;
            cx.cancel(timer);
            tick.0
        };
        cancel ACTOR ["Context::cancel"] |k, _n, cx| match k.timer.take() {
            Some(timer) => { cx.cancel(timer); 1 }
            None => 0,
        };
        timer_until_state_left ACTOR ["TimerBuilder::until_state_left", "TimerBuilder::after"]
            |_k, n, cx| {
                cx.timer().until_state_left().after(ms(n), Tick(20 + n));
                0
            };
        timer_until_event ACTOR ["TimerBuilder::until_event", "TimerBuilder::after"] |_k, n, cx| {
            cx.timer().until_event().after(ms(n), Tick(30 + n));
            0
        };
        named_timer ACTOR ["Context::timer", "TimerBuilder::named", "TimerBuilder::after"]
            |_k, n, cx| {
                cx.timer().named(the(n)).after(ms(n), Tick(40 + n));
                0
            };
        named_timer_until_state_left ACTOR ["TimerBuilder::named", "TimerBuilder::until_state_left"]
            |_k, n, cx| {
                cx.timer().named(the(n)).until_state_left().after(ms(n), Tick(50 + n));
                0
            };
        cancel_named_timer ACTOR ["Context::cancel"] |_k, n, cx| { cx.cancel(the(n)); 0 };
        body_sleeps STACKED ["Scope::sleep"] |k, n| { k.sys().sleep(ms(n)).await; 0 };
        body_looks_at_the_clock STACKED ["Scope::now"] |k, _n| k.sys().now().as_millis() as u64;
        body_limits_asks BODY ["System::ask_limit"] |k, n| { k.sys().ask_limit(ms(n)); 0 };
    }
    "pipes" {
        pipe_to_self ACTOR ["Context::pipe_to_self"] |k, n, cx| {
            let ask = k.peer(n).ask(Question(n));
            cx.pipe_to_self(ask, |answer| Note(answer.unwrap_or(99)));
            0
        };
        pipe ACTOR ["Context::pipe"] |k, n, cx| {
            let ask = k.peer(n).ask(Question(n));
            k.piped = Some(cx.pipe(ask, |answer| Note(answer.unwrap_or(99))));
            0
        };
        cancel_pipe ACTOR ["Context::cancel_pipe"] |k, _n, cx| match k.piped.take() {
            Some(piped) => { cx.cancel_pipe(piped); 1 }
            None => 0,
        };
        pipe_to_state ACTOR ["Context::pipe_to_state"] |k, n, cx| {
            let ask = k.peer(n).ask(Question(n));
            cx.pipe_to_state(ask, |answer| Note(answer.unwrap_or(99)));
            0
        };
        attach ACTOR ["Context::attach"] |_k, n, cx| {
            cx.attach(futures_util::stream::iter([n]), Note);
            0
        };
        attach_then ACTOR ["Context::attach_then"] |_k, n, cx| {
            cx.attach_then(futures_util::stream::iter([n]), Note, Tick(70));
            0
        };
    }
    "lives" {
        watch ACTOR ["Context::watch"] |k, n, cx| { cx.watch(&k.peer(n)); 0 };
        unwatch ACTOR ["Context::unwatch"] |k, n, cx| { cx.unwatch(&k.peer(n)); 0 };
        link ACTOR ["Context::link"] |k, n, cx| { cx.link(&k.peer(n)); 0 };
        unlink ACTOR ["Context::unlink"] |k, n, cx| { cx.unlink(&k.peer(n)); 0 };
        trap_links ACTOR ["Context::trap_links"] |_k, _n, cx| { cx.trap_links(); 0 };
        stop ACTOR ["ActorRef::stop"] |k, n, _cx| { k.peer(n).stop(); 0 };
        stop_within ACTOR ["Stopping::within"] |k, n, _cx| { k.peer(n).stop().within(ms(n)); 0 };
        kill ACTOR ["ActorRef::kill"] |k, n, _cx| { k.peer(n).kill(); 0 };
        body_stops STACKED ["ActorRef::stop"] |k, n| { k.peer(n).stop(); 0 };
        body_stops_within STACKED ["Stopping::within"] |k, n| {
            k.peer(n).stop().within(ms(n));
            0
        };
        body_stops_and_waits STACKED ["Stopping::await"] |k, n| {
            u64::from(k.peer(n).stop().await.is_failure())
        };
        body_kills STACKED ["ActorRef::kill"] |k, n| { k.peer(n).kill(); 0 };
    }
    "children" {
        spawn ACTOR ["Scope::spawn"] |k, n, cx| { k.child = Some(cx.spawn(k.child(n, false))); 0 };
        spawn_failing ACTOR ["Scope::spawn"] |k, n, cx| { cx.spawn(k.child(n, true)); 0 };
        spawn_with ACTOR ["Scope::spawn_with"] |k, n, cx| {
            let (row, to) = (k.row.other(100 + k.row.of), k.server());
            let mut lives = 0..;
            k.child = Some(cx.spawn_with(move || Child {
                row: row.clone(),
                to: to.clone(),
                fails: lives.next() < Some(n % 3),
            }));
            0
        };
        spawner ACTOR ["Scope::spawner", "Spawner::spawn"] |k, n, cx| {
            let child = k.child(n, false);
            k.child = Some(cx.spawner().name("child").spawn(child));
            0
        };
        spawn_registered ACTOR ["Spawner::registered"] |k, n, cx| {
            let child = k.child(n, false);
            cx.spawner().name("one").registered().spawn(child);
            0
        };
        spawn_counted ACTOR ["Spawner::ref_counted"] |k, n, cx| {
            let child = k.child(n, false);
            k.child = Some(cx.spawner().ref_counted().spawn(child));
            0
        };
        spawn_temporary ACTOR ["Spawner::restart", "Spawner::spawn_with"] |k, n, cx| {
            let (row, to) = (k.row.other(100 + k.row.of), k.server());
            cx.spawner().restart(Restart::Temporary).spawn_with(move || Child {
                row: row.clone(),
                to: to.clone(),
                fails: n % 2 == 0,
            });
            0
        };
        supervise ACTOR ["Scope::supervise"] |_k, n, cx| {
            cx.supervise(match n % 2 {
                0 => Supervision::one_for_all(),
                _ => Supervision::one_for_one().intensity(0, ms(0)),
            });
            0
        };
        decide_failures ACTOR ["Context::decide_failures"] |_k, _n, cx| { cx.decide_failures(); 0 };
        tell_child ANYBODY ["ActorRef::tell"] |k, n| match &k.child {
            Some(child) => { child.tell(Note(n)); 1 }
            None => 0,
        };
        drop_child ANYBODY ["Spawner::ref_counted"] |k, _n| u64::from(k.child.take().is_some());
        stop_child ACTOR ["ActorRef::stop"] |k, _n, _cx| match &k.child {
            Some(child) => { child.stop(); 1 }
            None => 0,
        };
        present_child ANYBODY ["ActorRef::id"] |k, n| match &k.child {
            Some(child) => { k.peer(n).tell(Present(child.id())); 1 }
            None => 0,
        };
        body_spawns STACKED ["Scope::spawn"] |k, n| {
            k.child = Some(k.sys().spawn(k.child(n, false)));
            0
        };
        body_spawns_named STACKED ["Scope::spawn_named"] |k, n| {
            k.child = Some(k.sys().spawn_named("child", k.child(n, false)));
            0
        };
        body_spawns_with STACKED ["Scope::spawn_with"] |k, n| {
            let (row, to) = (k.row.other(100 + k.row.of), k.server());
            let mut lives = 0..;
            k.child = Some(k.sys().spawn_with(move || Child {
                row: row.clone(),
                to: to.clone(),
                fails: lives.next() < Some(n % 3),
            }));
            0
        };
        body_spawner STACKED ["Scope::spawner"] |k, n| {
            let child = k.child(n, false);
            k.child = Some(k.sys().spawner().name("child").spawn(child));
            0
        };
        body_supervises BODY ["Scope::supervise"] |k, _n| {
            k.sys().supervise(Supervision::one_for_all());
            0
        };
    }
    "names" {
        register STACKED ["Scope::register"] |k, n| { k.sys().register(the(n), &k.peer(n)); 0 };
        try_register STACKED ["Scope::try_register"] |k, n| {
            ok(&k.sys().try_register(the(n), &k.peer(n)).await)
        };
        unregister STACKED ["Scope::unregister"] |k, n| { k.sys().unregister(the(n)); 0 };
        ask_at STACKED ["Scope::at"] |k, n| {
            let ask = k.sys().at::<Player>(the(n)).ask(Question(n));
            k.keep(async move { ask.await.unwrap_or(99) })
        };
        tell_at STACKED ["Scope::at"] |k, n| {
            k.sys().at::<Player>(the(n)).tell(Note(60 + n));
            0
        };
        own_tell_at ACTOR ["Scope::at"] |k, n, cx| {
            let _ = k;
            cx.at::<Player>(the(n)).tell(Note(60 + n));
            0
        };
        lookup STACKED ["Scope::lookup", "NameLookup::await"] |k, n| {
            let found = k.sys().lookup::<Player>(the(n)).await;
            k.who(found)
        };
        lookup_ref STACKED ["Scope::lookup_ref"] |k, n| {
            let found = k.sys().lookup_ref::<ActorRef<Player>>(the(n)).await;
            k.who(found)
        };
        lookup_in_time STACKED ["NameLookup::timeout"] |k, n| {
            let found = k.sys().lookup::<Player>(the(n)).timeout(ms(n)).await;
            k.who(found)
        };
        own_register ACTOR ["Scope::register"] |k, n, cx| { cx.register(the(n), &k.peer(n)); 0 };
        own_try_register ACTOR ["Scope::try_register"] |k, n, cx| {
            ok(&cx.try_register(the(n), &k.peer(n)).await)
        };
        own_unregister ACTOR ["Scope::unregister"] |_k, n, cx| { cx.unregister(the(n)); 0 };
        own_lookup ACTOR ["Scope::lookup"] |k, n, cx| {
            let found = cx.lookup::<Player>(the(n)).await;
            k.who(found)
        };
        own_lookup_ref ACTOR ["Scope::lookup_ref"] |k, n, cx| {
            let found = cx.lookup_ref::<ActorRef<Player>>(the(n)).await;
            k.who(found)
        };
    }
    "ends" {
        shutdown BODY ["System::shutdown"] |k, _n| ok(&k.sys().shutdown().await);
        shutdown_from BODY ["System::shutdown_from", "Shutdown::then", "Shutdown::within", "Shutdown::await"] |k, n| {
            let shutdown = k.sys().shutdown_from(&k.peer(n)).then(&k.peer(n + 1));
            ok(&shutdown.within(ms(n)).await)
        };
        shutdown_within BODY ["System::shutdown_within"] |k, n| {
            ok(&k.sys().shutdown_within(ms(n)).await)
        };
        finish BODY ["System::finish"] |k, _n| { k.sys().finish(); 0 };
    }
}
