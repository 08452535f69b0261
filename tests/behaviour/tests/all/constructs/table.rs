//! Each public thing has a rule that makes it, or a reason why it needs none.

use std::collections::BTreeSet;

use super::rules::{Rule, all};
use super::surface::surface;

/// What neither reads nor changes what others may read or change, and why.
const NOTHING_SHARED: &[(&str, &[&str])] = &[
    (
        "an option of what is spawned, asked or set up: the call that takes it makes the difference",
        &[
            "Backoff::factor",
            "Backoff::jitter",
            "Backoff::new",
            "Pool::by",
            "Proxy::room",
            "Spawner::backoff",
            "Spawner::mailbox",
            "Spawner::name",
            "Supervision::intensity",
            "Supervision::one_for_all",
            "Supervision::one_for_one",
            "Supervision::rest_for_one",
            "task::Interval::set_missed_tick_behavior",
            "thread::Builder::name",
            "thread::Builder::new",
        ],
    ),
    (
        "makes what nobody else knows yet",
        &[
            "Reply::nobody",
            "sync::Barrier::new",
            "sync::Mutex::const_new",
            "sync::Mutex::new",
            "sync::Notify::const_new",
            "sync::Notify::new",
            "sync::OnceCell::const_new",
            "sync::OnceCell::new",
            "sync::OnceCell::new_with",
            "sync::RaceCell::new",
            "sync::RwLock::const_new",
            "sync::RwLock::new",
            "sync::Semaphore::const_new",
            "sync::Semaphore::new",
            "sync::blocking::Barrier::new",
            "sync::blocking::Condvar::new",
            "sync::blocking::LazyLock::new",
            "sync::blocking::Mutex::new",
            "sync::blocking::Once::new",
            "sync::blocking::OnceLock::new",
            "sync::blocking::RwLock::new",
            "sync::blocking::atomic::Atomic::new",
            "sync::blocking::mpsc::channel",
            "sync::blocking::mpsc::sync_channel",
            "sync::broadcast::channel",
            "sync::mpsc::channel",
            "sync::mpsc::unbounded_channel",
            "sync::oneshot::channel",
            "sync::watch::channel",
            "task::JoinSet::new",
        ],
    ),
    (
        "has the thing to itself, as its type says",
        &[
            "sync::Mutex::get_mut",
            "sync::Mutex::into_inner",
            "sync::OnceCell::get_mut",
            "sync::OnceCell::into_inner",
            "sync::OnceCell::take",
            "sync::RaceCell::into_inner",
            "sync::RwLock::get_mut",
            "sync::RwLock::into_inner",
            "sync::blocking::Mutex::get_mut",
            "sync::blocking::Mutex::into_inner",
            "sync::blocking::OnceLock::get_mut",
            "sync::blocking::OnceLock::into_inner",
            "sync::blocking::OnceLock::take",
            "sync::blocking::RwLock::get_mut",
            "sync::blocking::RwLock::into_inner",
            "sync::blocking::atomic::Atomic::get_mut",
            "sync::blocking::atomic::Atomic::into_inner",
        ],
    ),
    (
        "reads what is fixed",
        &[
            "ActorRef::name",
            "Context::node",
            "Group::id",
            "Journal::name",
            "Node::name",
            "Pool::workers",
            "Probe::id",
            "Topics::id",
            "WeakRef::id",
            "sync::OwnedMutexGuard::mutex",
            "sync::OwnedSemaphorePermit::num_permits",
            "sync::SemaphorePermit::num_permits",
            "sync::mpsc::Sender::max_capacity",
            "sync::mpsc::Sender::same_channel",
            "sync::mpsc::UnboundedSender::same_channel",
            "sync::watch::Receiver::same_channel",
            "task::Interval::period",
        ],
    ),
    (
        "reads a value that somebody has",
        &[
            "Recovered::decode",
            "SendError::into_event",
            "StopReason::is_failure",
            "Timestamp::at",
            "Timestamp::is_before",
            "Timestamp::since",
            "Timestamp::time",
            "sync::BarrierWaitResult::is_leader",
            "sync::blocking::BarrierWaitResult::is_leader",
            "sync::blocking::WaitTimeoutResult::timed_out",
            "task::JoinError::into_panic",
            "task::JoinError::is_cancelled",
            "task::JoinError::is_panic",
        ],
    ),
    (
        "is for production",
        &["System::as_live", "System::new", "System::on_pool"],
    ),
    (
        "is for macros and executors",
        &[
            "ActorInfo::disposition",
            "ActorInfo::is_own",
            "ActorInfo::state_name",
            "EventInfo::of",
        ],
    ),
];

/// What has no rule yet.
const NOT_YET: &[&str] = &[
    "ActorRef::resize",
    "Context::announce",
    "Context::disk",
    "Faults::break_connection",
    "Faults::crash",
    "Faults::cut",
    "Faults::delay_next",
    "Faults::drop_next",
    "Faults::duplicate_next",
    "Faults::heal",
    "Faults::heal_between",
    "Faults::hold",
    "Faults::partition",
    "Faults::release",
    "Faults::restart",
    "Faults::restart_without_disk",
    "Faults::set_ahead",
    "Faults::set_back",
    "Faults::spare",
    "Faults::spare_link",
    "Group::broadcast",
    "Group::join",
    "Group::leave",
    "Group::members",
    "Group::named",
    "Group::new",
    "Journal::append",
    "Journal::append_value",
    "Journal::next",
    "Journal::recover",
    "Journal::snapshot",
    "Journal::snapshot_value",
    "Journal::sync",
    "MonitorContext::goto",
    "MonitorContext::sender",
    "MonitorContext::state",
    "MonitorContext::target",
    "Node::crash",
    "Node::restart",
    "Pool::elastic",
    "Pool::keyed",
    "Pool::least_busy",
    "Pool::resizable",
    "Pool::round_robin",
    "Probe::actor",
    "Probe::answer",
    "Probe::expect",
    "Probe::expect_ask",
    "Probe::expect_none",
    "Probe::expect_none_for",
    "Probe::named",
    "Probe::new",
    "Probe::receive",
    "Probe::recipient",
    "Probe::stop",
    "Proxy::new",
    "Spawner::blocking",
    "Spawner::on_restart",
    "Spawner::thread",
    "System::always",
    "System::always_eventually",
    "System::announce",
    "System::disk",
    "System::eventually",
    "System::fails",
    "System::fails_after",
    "System::faults",
    "System::monitor",
    "System::monitor_sampled",
    "System::monitor_with",
    "System::node",
    "System::sometimes",
    "System::when",
    "Topics::named",
    "Topics::new",
    "Topics::publish",
    "Topics::subscribe",
    "Topics::subscribers",
    "Topics::unsubscribe",
    "World::all",
    "World::all_with_ids",
    "World::get",
    "World::in_flight",
    "World::inbox_len",
    "World::state_of",
    "World::timers",
    "fs::Disk::create_dir",
    "fs::Disk::faults",
    "fs::Disk::open",
    "fs::Disk::read_dir",
    "fs::Disk::remove_dir",
    "fs::Disk::remove_file",
    "fs::Disk::rename",
    "fs::Disk::sync_dir",
    "fs::DiskFaults::fail_power",
    "fs::DiskFaults::tear_writes",
    "fs::File::append",
    "fs::File::is_empty",
    "fs::File::len",
    "fs::File::read_at",
    "fs::File::set_len",
    "fs::File::sync_all",
    "fs::File::sync_data",
    "fs::File::write_at",
    "hint::spin_loop",
    "sync::RaceCell::get",
    "sync::RaceCell::set",
    "sync::RaceCell::with",
    "sync::RaceCell::with_mut",
    "sync::blocking::Barrier::wait",
    "sync::blocking::Condvar::notify_all",
    "sync::blocking::Condvar::notify_one",
    "sync::blocking::Condvar::wait",
    "sync::blocking::Condvar::wait_timeout",
    "sync::blocking::Condvar::wait_timeout_while",
    "sync::blocking::Condvar::wait_while",
    "sync::blocking::LazyLock::force",
    "sync::blocking::Mutex::clear_poison",
    "sync::blocking::Mutex::is_poisoned",
    "sync::blocking::Mutex::lock",
    "sync::blocking::Mutex::try_lock",
    "sync::blocking::MutexGuard::drop",
    "sync::blocking::Once::call_once",
    "sync::blocking::Once::is_completed",
    "sync::blocking::OnceLock::get",
    "sync::blocking::OnceLock::get_or_init",
    "sync::blocking::OnceLock::set",
    "sync::blocking::RwLock::clear_poison",
    "sync::blocking::RwLock::is_poisoned",
    "sync::blocking::RwLock::read",
    "sync::blocking::RwLock::try_read",
    "sync::blocking::RwLock::try_write",
    "sync::blocking::RwLock::write",
    "sync::blocking::atomic::Atomic::compare_exchange",
    "sync::blocking::atomic::Atomic::compare_exchange_weak",
    "sync::blocking::atomic::Atomic::fetch_add",
    "sync::blocking::atomic::Atomic::fetch_update",
    "sync::blocking::atomic::Atomic::load",
    "sync::blocking::atomic::Atomic::store",
    "sync::blocking::atomic::fence",
    "sync::blocking::mpsc::Receiver::drop",
    "sync::blocking::mpsc::Receiver::iter",
    "sync::blocking::mpsc::Receiver::recv",
    "sync::blocking::mpsc::Receiver::recv_timeout",
    "sync::blocking::mpsc::Receiver::try_iter",
    "sync::blocking::mpsc::Receiver::try_recv",
    "sync::blocking::mpsc::Sender::drop",
    "sync::blocking::mpsc::Sender::send",
    "sync::blocking::mpsc::SyncSender::drop",
    "sync::blocking::mpsc::SyncSender::send",
    "sync::blocking::mpsc::SyncSender::try_send",
    "task::AbortHandle::abort",
    "task::AbortHandle::is_finished",
    "task::JoinHandle::abort",
    "task::JoinHandle::abort_handle",
    "task::JoinHandle::await",
    "task::JoinHandle::is_finished",
    "task::JoinSet::abort_all",
    "task::JoinSet::detach_all",
    "task::JoinSet::drop",
    "task::JoinSet::is_empty",
    "task::JoinSet::join_all",
    "task::JoinSet::join_next",
    "task::JoinSet::len",
    "task::JoinSet::shutdown",
    "task::JoinSet::spawn",
    "task::JoinSet::try_join_next",
    "task::block_on",
    "task::spawn",
    "task::yield_now",
    "thread::Builder::spawn",
    "thread::Builder::spawn_scoped",
    "thread::JoinHandle::is_finished",
    "thread::JoinHandle::join",
    "thread::JoinHandle::thread",
    "thread::LocalKey::get",
    "thread::LocalKey::replace",
    "thread::LocalKey::set",
    "thread::LocalKey::take",
    "thread::LocalKey::with",
    "thread::LocalKey::with_borrow",
    "thread::LocalKey::with_borrow_mut",
    "thread::Thread::unpark",
    "thread::current",
    "thread::park",
    "thread::park_timeout",
    "thread::scope",
    "thread::sleep",
    "thread::spawn",
    "thread::yield_now",
];

/// What is wrong with a table.
fn faults(rules: &[&Rule], not_yet: &[&'static str]) -> Vec<String> {
    let surface = surface();
    let made: BTreeSet<&str> = rules.iter().flat_map(|rule| rule.makes).copied().collect();
    let spared: Vec<&str> = NOTHING_SHARED
        .iter()
        .flat_map(|(_, paths)| *paths)
        .copied()
        .collect();
    let listed: Vec<&str> = spared.iter().chain(not_yet).copied().collect();
    let mut faults = Vec::new();
    for path in &surface {
        if !made.contains(&**path) && !listed.contains(&&**path) {
            faults.push(format!("no rule makes `{path}`"));
        }
    }
    for path in made.iter().chain(&listed) {
        if !surface.contains(*path) {
            faults.push(format!("there is no `{path}`"));
        }
    }
    for path in listed.iter().filter(|path| made.contains(*path)) {
        faults.push(format!("`{path}` has a rule, and is said to need none"));
    }
    faults
}

#[test]
fn each_public_thing_has_a_rule_or_needs_none() {
    let rules: Vec<&Rule> = all().collect();
    let faults = faults(&rules, NOT_YET);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Where a rule is taken out that alone makes something.
#[test]
fn what_has_no_rule_is_named() {
    let without = |name: &str| all().filter(|rule| rule.name != name).collect::<Vec<_>>();
    for (name, path) in [("halt", "Context::halt"), ("ask_timed", "TimedAsk::await")] {
        let faults = faults(&without(name), NOT_YET);
        assert!(
            faults.contains(&format!("no rule makes `{path}`")),
            "{faults:?}"
        );
    }
    let rules: Vec<&Rule> = all().collect();
    let faults = faults(&rules, &["Context::halt", "Context::gallop"]);
    let both = [
        "there is no `Context::gallop`",
        "`Context::halt` has a rule, and is said to need none",
    ];
    assert!(
        both.iter()
            .all(|fault| faults.iter().any(|found| found == fault)),
        "{faults:?}"
    );
}

#[test]
fn rules_have_names_of_their_own() {
    let mut names: Vec<&str> = all().map(|rule| rule.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
