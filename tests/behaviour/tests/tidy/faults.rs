//! The book's table of faults is that of the tester.

use std::fs;

use actor_test::faults::FaultKind;

use super::root;

const HEAD: &str = "| kind | fault |\n|---|---|\n";

#[test]
fn the_book_has_the_table_of_faults() {
    let rows = FaultKind::ALL.map(|kind| format!("| `{kind}` | {} |\n", kind.description()));
    let path = root().join("book/src/faults.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once(HEAD).expect("the table is there");
    let (_, after) = rest.split_once("\n\n").expect("the table has an end");
    let renewed = format!("{before}{HEAD}{}\n{after}", rows.concat());
    if std::env::var_os("UPDATE_BOOK").is_some() {
        fs::write(&path, &renewed).expect("a page can be written");
    } else {
        assert_eq!(
            page, renewed,
            "`UPDATE_BOOK=1 cargo test -p behaviour --test tidy faults` renews the table"
        );
    }
}
