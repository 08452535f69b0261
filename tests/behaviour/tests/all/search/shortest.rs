//! The length of minimised executions, compared with the shortest possible one.

use actor_test::{Report, Tester};
use behaviour::closures::{at_start, handles};
use behaviour::harness::whole;

/// Two senders with three and two letters, and two bad letters, each of them one of three. The program fails
/// once the bad letters have arrived in their order, with any others in between.
#[derive(Debug)]
struct Program {
    senders: [Vec<char>; 2],
    bad: Vec<char>,
}

/// The number of such programs.
const PROGRAMS: usize = 3_usize.pow(7);

impl Program {
    fn of(mut number: usize) -> Self {
        let mut letters = |count: usize| {
            let letter = |_| {
                let letter = ['a', 'b', 'c'][number % 3];
                number /= 3;
                letter
            };
            (0..count).map(letter).collect()
        };
        Self {
            senders: [letters(3), letters(2)],
            bad: letters(2),
        }
    }

    fn run(&self, tester: Tester) -> Report {
        tester.run(|sys| {
            let (bad, mut next) = (self.bad.clone(), 0);
            let desk = handles(&sys, move |letter: char, _| {
                next += usize::from(bad[next] == letter);
                assert!(next < bad.len(), "the bad letters");
            });
            for letters in self.senders.clone() {
                let to = desk.clone();
                at_start(&sys, move |_| {
                    letters.iter().for_each(|letter| to.tell(*letter));
                });
            }
        })
    }
}

/// All executions of these programs are run, so the length of the shortest failing one is known.
#[test]
fn what_is_left_is_nearly_the_shortest_there_is() {
    let (mut failing, mut shortest_of_all) = (0, 0);
    for number in (0..PROGRAMS).step_by(61) {
        let program = Program::of(number);
        let all = program.run(whole("dfs").iterations(1_000_000).keep_going());
        assert!(all.verdict.is_exhaustive(), "{program:?}");
        let Some(shortest) = all.bugs().first() else {
            continue;
        };
        let tester = whole("random").iterations(10_000).seed(number as u64);
        let found = program.run(tester.minimize(1_000_000));
        let (left, least) = (found.bugs()[0].step(), shortest.step());
        let is_near = least <= left && 2 * left <= 3 * least;
        assert!(is_near, "{left} of {least}: {program:?}");
        failing += 1;
        shortest_of_all += u32::from(left == least);
    }
    assert!(failing > 20, "{failing} have a bug");
    let are_shortest = 10 * shortest_of_all >= 9 * failing;
    assert!(are_shortest, "{shortest_of_all} of {failing}");
}
