//! Covering arrays for t-wise testing: few rows in which any t parameters take all combinations.
//!
//! The algorithm, IPOG (Lei et al., 2007), starts with all combinations of the first t parameters and
//! adds one parameter after the other. Each existing row first gets the value that covers the most new
//! tuples; then rows are added for the tuples left uncovered. Parameters with many values come first. Ties
//! are broken by position, so the same parameters give the same array on every machine.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A combination of values: the position of each parameter's value.
pub(crate) type Row = Vec<usize>;

/// The maximum number of t-tuples that an array may have to cover.
pub(crate) const TUPLES_MAX: u64 = 10_000_000;

/// Returns the number of all combinations of values.
pub(crate) fn count(sizes: &[usize]) -> u64 {
    let sizes = sizes.iter().map(|size| *size as u64);
    sizes.fold(1, u64::saturating_mul)
}

/// Returns all combinations; the last parameter's values change fastest.
pub(crate) fn all(sizes: &[usize]) -> Vec<Row> {
    let mut rows = vec![Row::new()];
    for size in sizes {
        let longer = |row: &Row| {
            let row = row.clone();
            (0..*size).map(move |value| row.iter().copied().chain([value]).collect())
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
}

/// Returns a lower bound on the rows of an array: the combinations of its `strength` largest parameters.
pub(crate) fn rows_min(sizes: &[usize], strength: usize) -> u64 {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable_by_key(|size| Reverse(*size));
    sizes.truncate(strength);
    count(&sizes)
}

/// Returns the number of tuples that an array of this strength covers.
pub(crate) fn tuples(sizes: &[usize], strength: usize) -> u64 {
    // The number of tuples of each length, up to the strength, over the parameters so far.
    let mut of_length = vec![0_u64; strength + 1];
    of_length[0] = 1;
    for size in sizes {
        for length in (1..=strength).rev() {
            let more = of_length[length - 1].saturating_mul(*size as u64);
            of_length[length] = of_length[length].saturating_add(more);
        }
    }
    of_length[strength]
}

/// Returns sorted rows in which any `strength` parameters take all combinations of their values.
///
/// `strength` must be at least one and at most the number of parameters; each parameter needs a value.
pub(crate) fn covering(sizes: &[usize], strength: usize) -> Vec<Row> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|parameter| Reverse(sizes[*parameter]));
    let sorted: Vec<usize> = order.iter().map(|parameter| sizes[*parameter]).collect();
    let mut rows: Vec<Partial> = all(&sorted[..strength])
        .into_iter()
        .map(|row| row.into_iter().map(Some).collect())
        .collect();
    for parameter in strength..sorted.len() {
        Extension::new(&sorted, strength, parameter).extend(&mut rows);
    }
    let filled = fill(rows, &sorted).into_iter().map(|row| {
        let mut original = vec![0; row.len()];
        for (value, parameter) in row.into_iter().zip(&order) {
            original[*parameter] = value;
        }
        original
    });
    filled.collect::<BTreeSet<Row>>().into_iter().collect()
}

/// An unfinished row; `None` stands for a free value.
type Partial = Vec<Option<usize>>;

/// The extension of all rows by one parameter, with the tuples not yet covered.
struct Extension<'a> {
    sizes: &'a [usize],
    parameter: usize,
    groups: Vec<ParameterGroup>,
}

/// Other t - 1 parameters, with the open tuples: combinations of them and the new parameter not yet covered.
struct ParameterGroup {
    parameters: Vec<usize>,
    open: Vec<bool>,
}

impl<'a> Extension<'a> {
    fn new(sizes: &'a [usize], strength: usize, parameter: usize) -> Self {
        let groups = subsets(parameter, strength - 1)
            .into_iter()
            .map(|parameters| {
                let combinations: usize = parameters.iter().map(|other| sizes[*other]).product();
                ParameterGroup {
                    open: vec![true; combinations * sizes[parameter]],
                    parameters,
                }
            });
        Self {
            groups: groups.collect(),
            sizes,
            parameter,
        }
    }

    fn extend(&mut self, rows: &mut Vec<Partial>) {
        for row in rows.iter_mut() {
            let best = (0..self.sizes[self.parameter])
                .max_by_key(|value| (self.gain(row, *value), Reverse(*value)))
                .filter(|value| self.gain(row, *value) > 0);
            row.push(best);
            self.close(row);
        }
        let old = rows.len();
        for number in 0..self.groups.len() {
            for code in 0..self.groups[number].open.len() {
                if self.groups[number].open[code] {
                    let tuple = self.tuple(number, code);
                    self.place(&tuple, rows, old);
                }
            }
        }
    }

    /// Puts a tuple into the first row that it fits, or into a new row.
    fn place(&mut self, tuple: &[(usize, usize)], rows: &mut Vec<Partial>, old: usize) {
        let fits = |row: &Partial| {
            let free = |(at, value): &(usize, usize)| row[*at].is_none_or(|there| there == *value);
            tuple.iter().all(free)
        };
        // Rows added for this parameter have the most free values.
        let place = (old..rows.len()).chain(0..old).find(|at| fits(&rows[*at]));
        let place = place.unwrap_or_else(|| {
            rows.push(vec![None; self.parameter + 1]);
            rows.len() - 1
        });
        for (at, value) in tuple {
            rows[place][*at] = Some(*value);
        }
        self.close(&rows[place]);
    }

    /// Returns the number of open tuples that a row would cover with a value.
    fn gain(&self, row: &[Option<usize>], value: usize) -> usize {
        let opens = |group: &&ParameterGroup| {
            self.code(group, row, value)
                .is_some_and(|code| group.open[code])
        };
        self.groups.iter().filter(opens).count()
    }

    /// Marks the tuples that a row covers as closed.
    fn close(&mut self, row: &[Option<usize>]) {
        let Some(value) = row[self.parameter] else {
            return;
        };
        for number in 0..self.groups.len() {
            if let Some(code) = self.code(&self.groups[number], row, value) {
                self.groups[number].open[code] = false;
            }
        }
    }

    /// Returns the index of a row's tuple within its group, or `None` if the row leaves a value free.
    fn code(&self, group: &ParameterGroup, row: &[Option<usize>], value: usize) -> Option<usize> {
        let add = |code, other: &usize| Some(code * self.sizes[*other] + row[*other]?);
        group.parameters.iter().try_fold(value, add)
    }

    fn tuple(&self, number: usize, mut code: usize) -> Vec<(usize, usize)> {
        let parameters = self.groups[number].parameters.iter().rev();
        let mut tuple: Vec<(usize, usize)> = parameters
            .map(|other| {
                let value = code % self.sizes[*other];
                code /= self.sizes[*other];
                (*other, value)
            })
            .collect();
        tuple.push((self.parameter, code));
        tuple
    }
}

/// Returns all subsets of size `length` of the numbers below `below`.
fn subsets(below: usize, length: usize) -> Vec<Vec<usize>> {
    let mut subsets = vec![Vec::new()];
    for _ in 0..length {
        let longer = |subset: &Vec<usize>| {
            let subset = subset.clone();
            let from = subset.last().map_or(0, |last| last + 1);
            (from..below).map(move |next| subset.iter().copied().chain([next]).collect())
        };
        subsets = subsets.iter().flat_map(longer).collect();
    }
    subsets
}

/// Replaces each free value by the value used least so far.
fn fill(rows: Vec<Partial>, sizes: &[usize]) -> Vec<Row> {
    let mut used: Vec<Vec<u64>> = sizes.iter().map(|size| vec![0; *size]).collect();
    for row in &rows {
        for (parameter, value) in row.iter().enumerate() {
            used[parameter][value.unwrap_or(0)] += u64::from(value.is_some());
        }
    }
    let mut rarest = |parameter: usize| {
        let used: &mut Vec<u64> = &mut used[parameter];
        let rarest = (0..used.len())
            .min_by_key(|value| used[*value])
            .unwrap_or(0);
        used[rarest] += 1;
        rarest
    };
    rows.into_iter()
        .map(|row| {
            let values = row.into_iter().enumerate();
            values
                .map(|(parameter, value)| value.unwrap_or_else(|| rarest(parameter)))
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tuples of any `strength` parameters that the rows cover.
    fn covered(rows: &[Row], parameters: usize, strength: usize) -> BTreeSet<Vec<(usize, usize)>> {
        let of = |row: &Row| {
            let row = row.clone();
            subsets(parameters, strength)
                .into_iter()
                .map(move |subset| subset.into_iter().map(|at| (at, row[at])).collect())
        };
        rows.iter().flat_map(of).collect()
    }

    /// Checks that the rows cover all tuples, and returns the number of rows.
    fn checked(sizes: &[usize], strength: usize) -> usize {
        let rows = covering(sizes, strength);
        let everything = covered(&all(sizes), sizes.len(), strength);
        assert_eq!(
            covered(&rows, sizes.len(), strength),
            everything,
            "{sizes:?} at {strength}: {rows:?}"
        );
        assert_eq!(tuples(sizes, strength), everything.len() as u64);
        assert!(rows.len() as u64 >= rows_min(sizes, strength));
        rows.len()
    }

    #[test]
    fn every_tuple_is_covered() {
        let shapes: [&[usize]; 8] = [
            &[1],
            &[2, 2],
            &[1, 1, 1],
            &[2, 3, 4],
            &[4, 3, 2, 1],
            &[5, 2, 2, 3, 2],
            &[2, 2, 3, 3, 2, 4],
            &[3, 3, 3, 3, 3, 3],
        ];
        for sizes in shapes {
            for strength in 1..=sizes.len() {
                checked(sizes, strength);
            }
        }
    }

    /// The optima come from the published tables of covering arrays.
    #[test]
    fn arrays_are_nearly_as_small_as_can_be() {
        for (sizes, strength, optimum, at_most) in [
            (&[3; 4][..], 2, 9, 12),
            (&[2; 4], 2, 5, 6),
            (&[2; 7], 2, 6, 8),
            (&[2; 10], 2, 6, 10),
            (&[4; 5], 2, 16, 16),
            (&[2; 5], 3, 10, 12),
            (&[3; 4], 3, 27, 33),
            (&[2; 8], 3, 12, 18),
        ] {
            let rows = checked(sizes, strength);
            assert!(
                (optimum..=at_most).contains(&rows),
                "{sizes:?} at {strength}: {rows} rows"
            );
        }
    }

    #[test]
    fn a_strength_of_all_parameters_is_all_combinations() {
        let sizes = [2, 4, 3];
        assert_eq!(covering(&sizes, 3), all(&sizes));
        assert_eq!(all(&[2, 2]), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(covering(&[2, 5, 3], 1).len(), 5);
    }

    #[test]
    fn counts_do_not_overflow() {
        let sizes = [usize::MAX; 40];
        assert_eq!(count(&sizes), u64::MAX);
        assert_eq!(rows_min(&sizes, 2), u64::MAX);
        assert_eq!(tuples(&sizes, 3), u64::MAX);
    }
}
