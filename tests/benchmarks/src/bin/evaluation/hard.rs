//! Compares portfolios with their best arm, on small programs with bugs that are hard to find.

use actor_test::Tester;
use actor_test::settings::Search;

use crate::ARMS;
use crate::mistakes::{self, Mistake};

/// The mean number of schedules of a uniform walk above which a bug is hard.
const HARD: f64 = 200.0;

/// The searches that are compared with the best arm.
const PORTFOLIOS: [(&str, Search); 2] = [
    ("portfolio", Search::Portfolio),
    ("round-robin", Search::RoundRobin),
];

/// The mean number of schedules of each arm and each portfolio until the bug is found.
struct Row {
    name: String,
    arms: Vec<f64>,
    portfolios: Vec<f64>,
}

impl Row {
    fn best(&self) -> f64 {
        self.arms.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

pub(crate) fn main(mut arguments: impl Iterator<Item = String>) {
    let mut number = |default| {
        let given = arguments.next();
        given.map_or(default, |text| text.parse().expect("a number"))
    };
    let (orders, seeds, schedules) = (number(60), number(5), number(10_000));
    // A failing assertion of a monitor is an expected result, so the panic message is suppressed.
    std::panic::set_hook(Box::new(|_| {}));
    let all = mistakes::all(orders);
    let row = |mistake: &Mistake| row(mistake, seeds, schedules);
    let found = |row: &Row| row.best() < schedules as f64 / 2.0;
    let rows: Vec<Row> = all.iter().filter_map(row).filter(found).collect();
    let names = ARMS.iter().chain(PORTFOLIOS.iter().map(|(name, _)| name));
    let names: Vec<&str> = names.copied().collect();
    for (half, title) in ["to tune by", "to report"].iter().enumerate() {
        let rows: Vec<&Row> = rows.iter().skip(half).step_by(2).collect();
        print(title, &names, &rows);
    }
}

/// Returns the row of a bug, if the bug is hard.
fn row(mistake: &Mistake, seeds: u64, schedules: u64) -> Option<Row> {
    let mean = |search: &Search| {
        let needed = |seed| needed(mistake, search, seed, schedules).ln();
        ((0..seeds).map(needed).sum::<f64>() / seeds as f64).exp()
    };
    let arm = |name: &&str| Search::Strategies(vec![name.parse().expect("a strategy")]);
    let random = mean(&arm(&ARMS[0]));
    (random > HARD).then(|| Row {
        name: mistake.name.clone(),
        arms: std::iter::once(random)
            .chain(ARMS[1..].iter().map(|name| mean(&arm(name))))
            .collect(),
        portfolios: PORTFOLIOS.iter().map(|(_, search)| mean(search)).collect(),
    })
}

/// Returns the number of schedules until the bug is found, or `schedules + 1` if none finds it.
fn needed(mistake: &Mistake, search: &Search, seed: u64, schedules: u64) -> f64 {
    let report = Tester::new()
        .iterations(schedules)
        .seed(seed)
        .check_every(0)
        .workers(1)
        .search(search.clone())
        .run(|sys| (mistake.program)(&sys));
    let bug = report.bugs().first();
    bug.map_or(schedules + 1, |bug| bug.iteration) as f64
}

fn print(title: &str, names: &[&str], rows: &[&Row]) {
    println!("| {title} | {} |", names.join(" | "));
    println!("|---|{}", "---:|".repeat(names.len()));
    for row in rows {
        let cells = row.arms.iter().chain(&row.portfolios);
        let cells: Vec<String> = cells.map(|needed| format!("{needed:.0}")).collect();
        println!("| {} | {} |", row.name, cells.join(" | "));
    }
    for (number, (name, _)) in PORTFOLIOS.iter().enumerate() {
        let over: Vec<f64> = rows
            .iter()
            .map(|row| row.portfolios[number] / row.best())
            .collect();
        let mean = over.iter().map(|over| over.ln()).sum::<f64>() / over.len().max(1) as f64;
        let worst = over.iter().copied().fold(0.0, f64::max);
        println!(
            "\n{name}: {:.2} times the best arm of each row on average, {worst:.1} at worst, {} rows",
            mean.exp(),
            rows.len()
        );
    }
    println!();
}
