//! Many mutants in one source (mutant schemata), each behind its number: `a < b` becomes
//!
//! ```text
//! (match crate::mutant::at(7, 2) { 0 => a <= b, 1 => a == b, _ => a < b })
//! ```
//!
//! so that one build contains them all, and an environment variable selects one.

use std::collections::BTreeMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::list::{Genre, Mutant, Place};

/// A source with mutants in it.
pub struct Woven {
    pub text: String,
    /// The range of each mutant in the text, by its number, for attributing compile errors.
    pub places: Vec<(usize, Range<usize>)>,
    /// The mutants whose place was not found.
    pub left_out: Vec<usize>,
}

/// A node of the source, and the mutants that can replace it.
struct Node {
    range: Range<usize>,
    shape: Shape,
    mutants: Vec<usize>,
}

enum Shape {
    /// The body of a function; `iterates` if the function returns an iterator of an opaque type.
    Body {
        iterates: bool,
    },
    /// The `const` of a function: a constant function can't read the selected number.
    Const,
    Binary {
        left: Range<usize>,
        operator: Range<usize>,
        right: Range<usize>,
    },
    Unary {
        operand: Range<usize>,
    },
    /// A mutant removes the arm by a guard that is false.
    Arm {
        pattern: Range<usize>,
        guard: Option<Range<usize>>,
    },
    Guard,
    Field {
        name: String,
        value: Option<Range<usize>>,
        base: Range<usize>,
    },
}

/// Inserts these mutants into one file. The key of a mutant is its
/// number among all; the mutants of one place must follow each other.
pub fn weave(source: &str, mutants: &BTreeMap<usize, &Mutant>) -> Result<Woven, String> {
    let file = syn::parse_file(source).map_err(|error| error.to_string())?;
    let lines = Lines::of(source);
    let mut finder = Finder {
        lines: &lines,
        source,
        wanted: BTreeMap::new(),
        found: Vec::new(),
        constants: Vec::new(),
    };
    for (&number, mutant) in mutants {
        let at = lines.byte(mutant.span.start);
        if mutant.genre == Genre::FnValue {
            let range = at..lines.byte(mutant.span.end);
            match finder.found.iter_mut().find(|node| node.range == range) {
                Some(node) => node.mutants.push(number),
                None => {
                    let iterates = mutant.replacement.starts_with("::std::iter::");
                    finder.found.push(Node {
                        range,
                        shape: Shape::Body { iterates },
                        mutants: vec![number],
                    });
                }
            }
        } else {
            finder
                .wanted
                .entry((at, kind(mutant.genre)))
                .or_default()
                .push(number);
        }
    }
    finder.visit_file(&file);
    finder.free();
    let left_out = std::mem::take(&mut finder.wanted)
        .into_values()
        .flatten()
        .collect();
    let mut nodes = finder.found;
    // An outer node precedes the nodes inside it.
    nodes.sort_by_key(|node| {
        (
            node.range.start,
            std::cmp::Reverse(node.range.end),
            !matches!(node.shape, Shape::Body { .. }),
        )
    });
    let mut woven = Woven {
        text: String::with_capacity(2 * source.len()),
        places: Vec::new(),
        left_out,
    };
    Weaver {
        source,
        nodes: &nodes,
        mutants,
        woven: &mut woven,
    }
    .put(0..source.len(), 0..nodes.len());
    Ok(woven)
}

/// Distinguishes nodes that begin at one place: no two operators do, but a guard and an operator in it may.
fn kind(genre: Genre) -> u8 {
    match genre {
        Genre::FnValue => 0,
        Genre::BinaryOperator => 1,
        Genre::UnaryOperator => 2,
        Genre::MatchArm => 3,
        Genre::MatchArmGuard => 4,
        Genre::StructField => 5,
    }
}

struct Lines<'a> {
    starts: Vec<usize>,
    source: &'a str,
}

impl<'a> Lines<'a> {
    fn of(source: &'a str) -> Self {
        let starts = std::iter::once(0)
            .chain(source.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self { starts, source }
    }

    fn byte(&self, place: Place) -> usize {
        let start = self.starts[place.line - 1];
        let line = &self.source[start..];
        start
            + line
                .char_indices()
                .nth(place.column - 1)
                .map_or(line.len(), |(at, _)| at)
    }
}

struct Finder<'a> {
    lines: &'a Lines<'a>,
    source: &'a str,
    wanted: BTreeMap<(usize, u8), Vec<usize>>,
    found: Vec<Node>,
    /// The `const` keywords of functions, with the blocks of these functions.
    constants: Vec<(Range<usize>, Range<usize>)>,
}

impl Finder<'_> {
    fn range(&self, of: impl Spanned) -> Range<usize> {
        let span = of.span();
        let place = |at: proc_macro2::LineColumn| {
            self.lines.byte(Place {
                line: at.line,
                column: at.column + 1,
            })
        };
        place(span.start())..place(span.end())
    }

    fn constant(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if let Some(constant) = signature.constness {
            self.constants
                .push((self.range(constant), self.range(block)));
        }
    }

    /// If a constant function is changed, all functions of the file lose `const`: they call each other.
    fn free(&mut self) {
        let changed = |block: &Range<usize>| {
            self.found
                .iter()
                .any(|node| block.start <= node.range.start && node.range.end <= block.end)
        };
        if self.constants.iter().any(|(_, block)| changed(block)) {
            for (range, _) in std::mem::take(&mut self.constants) {
                self.found.push(Node {
                    range,
                    shape: Shape::Const,
                    mutants: Vec::new(),
                });
            }
        }
    }

    fn take(&mut self, at: usize, genre: Genre) -> Option<Vec<usize>> {
        self.wanted.remove(&(at, kind(genre)))
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    // A constant can't read the selected number, so mutants inside constants are left out.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        visit::visit_item_fn(self, function);
        self.constant(&function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        visit::visit_impl_item_fn(self, function);
        self.constant(&function.sig, &function.block);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let operator = self.range(binary.op);
        if let Some(mutants) = self.take(operator.start, Genre::BinaryOperator) {
            let (left, right) = (self.range(&binary.left), self.range(&binary.right));
            let range = left.start..right.end;
            self.found.push(Node {
                range,
                shape: Shape::Binary {
                    left,
                    operator,
                    right,
                },
                mutants,
            });
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let range = self.range(unary);
        if let Some(mutants) = self.take(range.start, Genre::UnaryOperator) {
            let operand = self.range(&unary.expr);
            self.found.push(Node {
                range,
                shape: Shape::Unary { operand },
                mutants,
            });
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let range = self.range(arm);
        if let Some(mutants) = self.take(range.start, Genre::MatchArm) {
            let (pattern, guard) = match &arm.pat {
                syn::Pat::Guard(guarded) => {
                    (self.range(&guarded.pat), Some(self.range(&guarded.guard)))
                }
                pattern => (self.range(pattern), None),
            };
            let range = pattern.start..guard.as_ref().map_or(pattern.end, |guard| guard.end);
            self.found.push(Node {
                range,
                shape: Shape::Arm { pattern, guard },
                mutants,
            });
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        let range = self.range(expr);
        if let Some(mutants) = self.take(range.start, Genre::MatchArmGuard) {
            self.found.push(Node {
                range,
                shape: Shape::Guard,
                mutants,
            });
        }
        visit::visit_expr(self, expr);
    }

    fn visit_expr_struct(&mut self, expr: &'ast syn::ExprStruct) {
        if let Some(base) = &expr.rest {
            let base = self.range(base);
            for field in &expr.fields {
                let range = self.range(field);
                if let Some(mutants) = self.take(range.start, Genre::StructField) {
                    let member = self.range(&field.member);
                    let value = field.colon_token.map(|_| self.range(&field.expr));
                    let name = self.source[member].to_owned();
                    self.found.push(Node {
                        range,
                        shape: Shape::Field {
                            name,
                            value,
                            base: base.clone(),
                        },
                        mutants,
                    });
                }
            }
        }
        visit::visit_expr_struct(self, expr);
    }
}

struct Weaver<'a> {
    source: &'a str,
    nodes: &'a [Node],
    mutants: &'a BTreeMap<usize, &'a Mutant>,
    woven: &'a mut Woven,
}

impl Weaver<'_> {
    /// Writes a part of the source with its mutants: `nodes` are those that may lie in the part.
    fn put(&mut self, part: Range<usize>, nodes: Range<usize>) {
        let mut at = part.start;
        let mut next = nodes.start;
        while next < nodes.end {
            let node = &self.nodes[next];
            if node.range.start < at || node.range.end > part.end {
                next += 1;
                continue;
            }
            // The later nodes that lie inside this one.
            let inner = (next + 1..nodes.end)
                .find(|&other| self.nodes[other].range.start >= node.range.end);
            let inner = next + 1..inner.unwrap_or(nodes.end);
            self.raw(at..node.range.start);
            self.node(node, inner.clone());
            at = node.range.end;
            next = inner.end;
        }
        self.raw(at..part.end);
    }

    fn raw(&mut self, part: Range<usize>) {
        self.woven.text.push_str(&self.source[part]);
    }

    fn say(&mut self, text: &str) {
        self.woven.text.push_str(text);
    }

    /// Writes a mutant, and records the range of its text.
    fn change(&mut self, number: usize, put: impl FnOnce(&mut Self)) {
        let start = self.woven.text.len();
        put(self);
        self.woven
            .places
            .push((number, start..self.woven.text.len()));
    }

    /// Writes the guard of an arm. A guard with a `let` can't stand in parentheses.
    fn guard(&mut self, guard: Range<usize>, nodes: Range<usize>) {
        let has_let = self.source[guard.clone()].contains("let ");
        self.say(if has_let { "" } else { "(" });
        self.put(guard, nodes);
        self.say(if has_let { "" } else { ")" });
    }

    fn node(&mut self, node: &Node, inner: Range<usize>) {
        let at = format!("crate::mutant::at(&{:?})", node.mutants);
        let is = format!("(crate::mutant::at(&{:?}) != 0)", node.mutants);
        let replacement = |number: &usize| self.mutants[number].replacement.clone();
        let replacements: Vec<(usize, String)> = node
            .mutants
            .iter()
            .map(|number| (*number, replacement(number)))
            .collect();
        let first = node.mutants.first().copied().unwrap_or_default();
        match &node.shape {
            Shape::Const => {}
            Shape::Body { iterates } => {
                self.say(&format!("match {at} {{ "));
                for (number, mut replacement) in replacements {
                    if *iterates {
                        replacement = format!("crate::mutant::Iterates::changed({replacement})");
                    }
                    self.say(&format!("{number} => "));
                    self.change(number, |all| all.say(&format!("return {replacement}")));
                    self.say(", ");
                }
                self.say("_ => {} } ");
                self.say(if *iterates {
                    "crate::mutant::Iterates::Unchanged({ "
                } else {
                    ""
                });
                self.put(node.range.clone(), inner);
                self.say(if *iterates { " })" } else { "" });
            }
            Shape::Binary {
                left,
                operator,
                right,
            } => {
                self.say(&format!("(match {at} {{ "));
                for (number, replacement) in replacements {
                    self.say(&format!("{number} => "));
                    self.change(number, |all| {
                        all.raw(left.clone());
                        all.say(&format!(" {replacement} "));
                        all.raw(right.clone());
                    });
                    self.say(", ");
                }
                self.say("_ => ");
                self.put(left.clone(), inner.clone());
                self.raw(left.end..operator.end);
                self.put(operator.end..right.end, inner);
                self.say(" })");
            }
            Shape::Unary { operand } => {
                self.say(&format!("(if {is} {{ "));
                self.change(first, |all| all.raw(operand.clone()));
                self.say(" } else { ");
                self.raw(node.range.start..operand.start);
                self.put(operand.clone(), inner);
                self.say(" })");
            }
            Shape::Arm { pattern, guard } => {
                self.raw(pattern.clone());
                self.change(first, |all| all.say(&format!(" if !{is}")));
                if let Some(guard) = guard {
                    self.say(" && ");
                    self.guard(guard.clone(), inner);
                }
            }
            Shape::Guard => {
                let has_let = self.source[node.range.clone()].contains("let ");
                let (always, never): (Vec<_>, Vec<_>) = replacements
                    .into_iter()
                    .partition(|(_, with)| with == "true");
                for (number, _) in always {
                    if has_let {
                        self.woven.left_out.push(number);
                    } else {
                        self.change(number, |all| {
                            all.say(&format!("crate::mutant::at(&[{number}]) != 0 || "))
                        });
                    }
                }
                for (number, _) in never {
                    self.change(number, |all| {
                        all.say(&format!("crate::mutant::at(&[{number}]) == 0 && "))
                    });
                }
                self.guard(node.range.clone(), inner);
            }
            Shape::Field { name, value, base } => {
                self.say(&format!("{name}: if {is} {{ "));
                self.change(first, |all| {
                    all.say("(");
                    all.raw(base.clone());
                    all.say(&format!(").{name}"));
                });
                self.say(" } else { ");
                match value {
                    Some(value) => self.put(value.clone(), inner),
                    None => self.say(name),
                }
                self.say(" }");
            }
        }
    }
}
