//! Each public item has a rule that uses it, or a reason why it needs none.

use std::collections::BTreeSet;

use super::rules::{Rule, all};
use super::surface::surface;

/// The items without shared effects, with the reason.
const NOTHING_SHARED: &[(&str, &[&str])] = &[
    (
        "an option of what is spawned, asked or set up: the call that takes it makes the difference",
        &[
            "Backoff::factor",
            "Backoff::jitter",
            "Backoff::new",
            "LeaseTerms::drift_ppm",
            "LeaseTerms::new",
            "Pool::by",
            "Spawner::backoff",
            "Spawner::blocking",
            "Spawner::mailbox",
            "Spawner::name",
            "Spawner::thread",
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
            "Lease::fence",
            "Lease::until",
            "LeaseTerms::term",
            "LeaseTerms::time_to_live",
            "Pool::workers",
            "Probe::id",
            "Singleton::id",
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
            "Fence::new",
            "Fence::number",
            "Recovered::decode",
            "SendError::into_event",
            "StopReason::is_failure",
            "Timestamp::at",
            "Timestamp::is_before",
            "Timestamp::since",
            "Timestamp::time",
            "sync::BarrierWaitResult::is_leader",
            "sync::blocking::WaitTimeoutResult::timed_out",
            "task::JoinError::into_panic",
            "task::JoinError::is_cancelled",
            "task::JoinError::is_panic",
        ],
    ),
    (
        "made of a journal, asks and timers, with too many schedules to be compared in every program",
        &[
            "Lease::acquire",
            "Lease::is_held",
            "Lease::left",
            "Lease::release",
            "Lease::renew",
            "LeaseStore::new",
            "Singleton::new",
            "Singleton::running",
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

/// Returns the errors in a table.
fn faults(rules: &[&Rule], spared_besides: &[&'static str]) -> Vec<String> {
    let surface = surface();
    let made: BTreeSet<&str> = rules.iter().flat_map(|rule| rule.makes).copied().collect();
    let spared: Vec<&str> = NOTHING_SHARED
        .iter()
        .flat_map(|(_, paths)| *paths)
        .copied()
        .collect();
    let listed: Vec<&str> = spared.iter().chain(spared_besides).copied().collect();
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
    let faults = faults(&rules, &[]);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A missing rule is detected: each of these rules is the only one that uses an item.
#[test]
fn what_has_no_rule_is_named() {
    let without = |name: &str| all().filter(|rule| rule.name != name).collect::<Vec<_>>();
    for (name, path) in [("halt", "Context::halt"), ("ask_timed", "TimedAsk::await")] {
        let faults = faults(&without(name), &[]);
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
