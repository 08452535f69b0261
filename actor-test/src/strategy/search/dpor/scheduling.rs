//! A graph as the steps of an execution.

use super::follow::{Due, Follow};
use super::graph::{Act, Graph, Lane, Place};
use super::lives::{self, Lives};

impl Graph {
    /// The strategy that takes the steps of the graph, each after those that come before it, but for those
    /// that fail. Those in `held` may fail beyond it.
    pub(super) fn follow(&self, lives: &Lives, held: &[u64]) -> Follow {
        let whole = self.whole();
        let until: Vec<u32> = self.lanes.iter().map(|lane| lane.safe(lives)).collect();
        let mut taken = vec![0; self.lanes.len()];
        let (mut schedule, mut answers) = (Vec::new(), Vec::new());
        let mut preceding = Vec::new();
        let mut goes_on = true;
        while std::mem::take(&mut goes_on) {
            for (lane, found) in self.lanes.iter().enumerate() {
                while taken[lane] < until[lane] {
                    let index = taken[lane];
                    let place = Place {
                        lane: lane as u32,
                        index,
                    };
                    preceding.clear();
                    self.add_preceding(place, &whole, &mut preceding);
                    // The choices of a step are made in it.
                    let mut following = place;
                    while let Some(label) = found.labels.get(following.index as usize + 1)
                        && matches!(label.act, Act::Answer(_))
                    {
                        following.index += 1;
                        self.add_preceding(following, &whole, &mut preceding);
                    }
                    let is_due = |(lane, count): &(u32, u32)| taken[*lane as usize] >= *count;
                    if !preceding.iter().all(is_due) {
                        break;
                    }
                    taken[lane] += 1;
                    goes_on = true;
                    match found.labels[index as usize].act {
                        // What onlookers see is seen in the step that they see.
                        _ if lives::is_onlooker(found.path) => {}
                        Act::Answer(answer) => {
                            answers.push(answer);
                            continue;
                        }
                        act => {
                            let following = found.labels[index as usize + 1..].iter();
                            let count =
                                following.take_while(|label| matches!(label.act, Act::Answer(_)));
                            schedule.push(Due {
                                who: found.path,
                                message: self.message(act),
                                answers: count.count() as u32,
                            });
                        }
                    }
                }
            }
        }
        Follow::new(schedule, answers, held.to_vec())
    }

    /// The event that is handled in a step.
    fn message(&self, act: Act) -> u64 {
        let Act::Receive { from, .. } = act else {
            return 0;
        };
        match self.label(from).act {
            Act::Send { message, .. } => message,
            _ => 0,
        }
    }
}

impl Lane {
    /// How many labels can be taken without a failure.
    fn safe(&self, lives: &Lives) -> u32 {
        let all = self.labels.len();
        if !self.fails(lives) {
            return all as u32;
        }
        let last = self.labels.iter().rposition(|label| match label.act {
            Act::Answer(_) => false,
            act => act.is_input(),
        });
        last.unwrap_or(all) as u32
    }
}
