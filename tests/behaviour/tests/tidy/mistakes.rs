//! The page of compile errors shows the compiler's real messages, as recorded by the macro tests.
//!
//! `UPDATE_BOOK=1 cargo test -p behaviour --test tidy mistakes` updates the page.

use std::fs;

use super::root;

const PAGE: &str = "book/src/mistakes.md";

/// A mistake, in words, and the test case that makes it.
type Mistake = (&'static str, &'static str);

/// The tables of the page, by the names before them.
const TABLES: &[(&str, &[Mistake])] = &[
    (
        "handlers",
        &[
            ("`#[actor]` on the struct", "actor_on_a_struct"),
            (
                "`#[actor]` on an `impl` of a trait",
                "actor_on_a_trait_impl",
            ),
            (
                "the attribute is forgotten",
                "spawned_without_the_attribute",
            ),
            ("the event is forgotten", "missing_event"),
            ("`cx` without an event", "context_without_event"),
            ("`cx` before the event", "context_before_event"),
            ("two events in one handler", "two_events"),
            ("`self` by value", "self_by_value"),
            ("a handler without `self`", "no_receiver"),
            ("a generic handler", "generic_handler"),
            ("an attribute misspelt", "misspelt_attribute"),
            ("two handlers of one event", "two_plain_handlers"),
            ("two `#[start]` hooks", "two_start_hooks"),
            ("a hook that takes an event", "hook_with_an_event"),
            ("a hook in a `cfg_attr`", "hook_in_a_cfg_attr"),
            ("an option misspelt", "unknown_option"),
        ],
    ),
    (
        "events",
        &[
            ("an actor that borrows", "actor_with_a_lifetime"),
            (
                "a generic actor without bounds",
                "generic_actor_without_bounds",
            ),
            ("an actor that can't go to another thread", "actor_not_send"),
            ("an event that borrows", "event_with_a_lifetime"),
            ("an event by reference", "event_by_reference"),
            ("an event that can't go to another thread", "event_not_send"),
            ("an event without `Debug`", "event_without_debug"),
            (
                "an event that the actor does not handle",
                "event_without_handler",
            ),
            (
                "the same, where it handles one other",
                "another_event_than_the_only_one",
            ),
            (
                "the same, where it handles none",
                "event_without_any_handler",
            ),
            ("a reply without `Debug`", "reply_without_debug"),
            ("a reply by reference", "reply_by_reference"),
            (
                "a reply that is taken and returned",
                "reply_taken_and_returned",
            ),
            ("two types of reply to one event", "replies_differ"),
            ("a reply of a type that is misspelt", "undefined_reply"),
        ],
    ),
    (
        "states",
        &[
            ("a state misspelt", "unknown_state"),
            ("a state that nothing leads to", "unreachable_state"),
            ("two states of one name", "duplicate_state"),
            ("a state with the name of its enum", "state_with_its_enum"),
            ("states of an actor without any", "state_of_a_plain_actor"),
            (
                "`defer` of an event that the state handles",
                "deferred_where_handled",
            ),
            ("`defer` and `ignore` of one event", "deferred_and_ignored"),
            ("`defer` of what no state handles", "deferred_for_ever"),
            ("two handlers in one state", "two_handlers_in_one_state"),
            ("the event among the states", "event_among_the_states"),
        ],
    ),
    (
        "monitors",
        &[
            ("a monitor that sends", "monitor_sends"),
            ("a monitor that replies", "monitor_replies"),
            ("a monitor that waits", "monitor_is_async"),
            (
                "a monitor that takes its event",
                "monitor_takes_its_event_by_value",
            ),
            ("an actor's context", "monitor_with_an_actors_context"),
            ("a monitor with nothing but hot states", "monitor_only_hot"),
            (
                "an event that the protocol does not have",
                "protocol_does_not_have_the_event",
            ),
            (
                "an actor that lacks an event of the protocol",
                "protocol_is_not_offered",
            ),
            ("an event twice in a protocol", "protocol_event_twice"),
            ("a protocol with a body", "protocol_function_with_a_body"),
        ],
    ),
];

/// Returns the first message of the compiler, and the marked code.
fn answer(case: &str) -> (String, String) {
    let path = root().join(format!("tests/behaviour/tests/ui/{case}.stderr"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{case}: {error}"));
    let lines: Vec<&str> = text.lines().collect();
    let (_, said) = lines[0].split_once(": ").expect("an error has a message");
    let marks = |line: &&str| {
        let marks = line.split_once("| ");
        marks.is_some_and(|(_, marks)| marks.contains('^'))
    };
    let at = lines.iter().position(marks);
    let at = at.unwrap_or_else(|| panic!("{case}: nothing is marked"));
    let (from, count) = (
        lines[at].find('^').expect("it is marked"),
        lines[at].matches('^').count(),
    );
    let marked: String = lines[at - 1].chars().skip(from).take(count).collect();
    (said.to_owned(), marked)
}

fn table(mistakes: &[Mistake]) -> String {
    let rows = mistakes.iter().map(|(words, case)| {
        let (said, marked) = answer(case);
        let cell = |text: &str| text.replace('|', "\\|");
        format!("| {words} | `{}` | {} |\n", cell(&marked), cell(&said))
    });
    format!(
        "| mistake | marked | the compiler says |\n|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

/// Returns the page with up-to-date tables.
fn renewed(page: &str) -> String {
    TABLES
        .iter()
        .fold(page.to_owned(), |page, (name, mistakes)| {
            let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
            let (before, rest) = page.split_once(&begin).expect("a table has its begin");
            let (_, after) = rest.split_once(&end).expect("a table has its end");
            format!("{before}{begin}\n{}\n{end}{after}", table(mistakes))
        })
}

#[test]
fn the_page_of_mistakes_has_the_real_answers() {
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).expect("the page is there");
    let renewed = renewed(&page);
    if renewed != page && std::env::var_os("UPDATE_BOOK").is_some() {
        return fs::write(&path, renewed).expect("the page can be written");
    }
    let same = renewed.lines().zip(page.lines());
    let first = same.into_iter().find(|(real, shown)| real != shown);
    assert!(
        renewed == page,
        "{PAGE} is not what the compiler says; \
         `UPDATE_BOOK=1 cargo test -p behaviour --test tidy mistakes` takes it over: {first:?}"
    );
}

/// The error marks the user's code, and not the code that the macros generate.
#[test]
fn each_mistake_is_one_error() {
    let cases = TABLES.iter().flat_map(|(_, mistakes)| *mistakes);
    assert_eq!(cases.clone().count(), 51, "the page says how many");
    for (_, case) in cases {
        let path = root().join(format!("tests/behaviour/tests/ui/{case}.stderr"));
        let text = fs::read_to_string(&path).expect("a case has its answer");
        let errors = text.lines().filter(|line| line.starts_with("error"));
        assert_eq!(errors.count(), 1, "{case}");
        let (said, marked) = answer(case);
        assert!(!said.contains("__") && !marked.contains("__"), "{case}");
    }
}
