//! Flex rules, by running them: at the controllers' minimums, maximums, middles and at 0.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    COMBO_COUNT, CONTROLLER_UNUSED, EYELID_INDEX, Findings, OP_CONTROLLER, OP_FLEXDESC, OP_IGNORED,
    OP_UNKNOWN, RULE_FLEXDESC, RULE_LEFTOVER, RULE_NEVER_SETS, RULE_ORDER, RULE_SETS_TWICE, STACK_OVERFLOW,
    STACK_UNDERFLOW, WEIGHT_NOT_FINITE, exists, finding, repeated, wrong,
};
use crate::finding::{Code, Effect, Place, Severity};
use crate::mdl::format::Mdl;
use crate::mdl::format::flex::FlexRule;
use crate::mdl::format::opcode::{Op, Operand};
use crate::mdl::runtime::controllers::from_normalized;
use crate::mdl::runtime::convert::truncate;
use crate::mdl::runtime::machine::{CountCheck, Refusal, Sdk};
use crate::mdl::runtime::rules::{self, Event};

pub(super) fn check(mdl: &Mdl, findings: &mut Findings) {
    let seen = Seen::run(mdl);
    destinations(mdl, findings);
    for ((rule, at), (refusal, op)) in &seen.refusals {
        refused(mdl, (*rule, *at), *op, *refusal, findings);
    }
    for (rule, depth) in &seen.depths {
        ended(mdl, *rule, *depth, findings);
    }
    for (rule, weight) in &seen.not_finite {
        findings.add(
            &WEIGHT_NOT_FINITE,
            place(mdl, *rule),
            format!("weight {weight} with controllers in their ranges"),
            wrong("the vertices vanish or fly away"),
            "Keep constants finite and divisors above 0.0001",
        );
    }
    order(mdl, findings);
    static_ops(mdl, findings);
    unused(mdl, &seen, findings);
}

/// What the runs showed.
#[derive(Default)]
struct Seen {
    /// By rule and instruction: why it did nothing.
    refusals: BTreeMap<(usize, usize), (Refusal, Op)>,
    /// By rule: values left at the end.
    depths: BTreeMap<usize, usize>,
    /// By rule: a weight that is no number.
    not_finite: BTreeMap<usize, f32>,
    /// Controllers that were read.
    controllers: BTreeSet<i32>,
}

impl Seen {
    fn run(mdl: &Mdl) -> Self {
        let mut seen = Self::default();
        let at = |share| mdl.controllers.iter().map(|it| from_normalized(it, share)).collect::<Vec<_>>();
        let zero = mdl.controllers.iter().map(|it| 0f32.max(it.min.min(it.max)).min(it.max.max(it.min)));
        for values in [at(0.0), at(1.0), at(0.5), zero.collect()] {
            // The values before an instruction, from which some take controllers' numbers.
            let mut before: Vec<f32> = Vec::new();
            rules::run(mdl, &values, Sdk::Checked, CountCheck::Controllers, |event| match event {
                Event::Step { rule, at, op, stack, refusal } => {
                    seen.step((rule, at), op, &before, refusal);
                    before.clear();
                    before.extend_from_slice(stack.values());
                }
                Event::Result { rule, stack, set } => {
                    before.clear();
                    if set {
                        seen.depths.insert(rule, stack.values().len());
                        if !stack.bottom().is_finite() {
                            seen.not_finite.insert(rule, stack.bottom());
                        }
                    }
                }
            });
        }
        seen
    }

    fn step(&mut self, place: (usize, usize), op: Op, before: &[f32], refusal: Option<Refusal>) {
        if let Some(refusal) = refusal {
            self.refusals.entry(place).or_insert((refusal, op));
        }
        if let Operand::Controller(index) = op.operand() {
            self.controllers.insert(index);
        }
        let from_stack = match op {
            Op::NWay(_) => 1,
            Op::LowerEyelid(_) | Op::UpperEyelid(_) => 3,
            _ => 0,
        };
        self.controllers.extend(before.iter().rev().take(from_stack).map(|&value| truncate(value)));
    }
}

fn place(mdl: &Mdl, rule: usize) -> Place {
    let FlexRule { offset, flexdesc, .. } = mdl.rules[rule];
    Place::section("rules")
        .entry(format!("rule {rule} of flexdesc {}", mdl.flexdesc_name(flexdesc)))
        .offset(offset)
}

fn op_place(mdl: &Mdl, (rule, at): (usize, usize)) -> Place {
    place(mdl, rule).field(format!("op {at} {}", mdl.rules[rule].ops[at]))
}

/// Rules for flexdescs that do not exist or that another rule sets too.
fn destinations(mdl: &Mdl, findings: &mut Findings) {
    let mut first = BTreeMap::new();
    for (index, rule) in mdl.rules.iter().enumerate() {
        if !exists(rule.flexdesc, mdl.flexdescs.len()) {
            findings.add(
                &RULE_FLEXDESC,
                place(mdl, index),
                format!("flexdesc {} of {}", rule.flexdesc, mdl.flexdescs.len()),
                Effect::Overwrites(
                    "memory beside the weights in older engines; the 2025 SDK skips the rule".to_owned(),
                ),
                "Name an existing flexdesc",
            );
            continue;
        }
        let earlier = *first.entry(rule.flexdesc).or_insert(index);
        if earlier != index {
            findings.add(
                &RULE_SETS_TWICE,
                place(mdl, index),
                format!("rule {earlier} sets the same flexdesc; this one replaces its weight"),
                wrong(format!("rule {earlier} shows only in rules between the two")),
                "Merge the two rules into one",
            );
        }
    }
}

/// An instruction that did nothing.
fn refused(mdl: &Mdl, at: (usize, usize), op: Op, refusal: Refusal, findings: &mut Findings) {
    let (code, help): (&'static Code, _) = match refusal {
        Refusal::Underflow { .. } if matches!(op, Op::Combo(_) | Op::Dominate(_)) => {
            (&STACK_UNDERFLOW, "Push as many values as the count says")
        }
        Refusal::Underflow { .. } => (&STACK_UNDERFLOW, "Push its operands first"),
        Refusal::Overflow => (&STACK_OVERFLOW, "Split the rule: let a second flexdesc hold a part of it"),
        Refusal::Controller(_) => (&OP_CONTROLLER, "Name an existing controller; compile the model again"),
        Refusal::EyeUpDown(_) => {
            (&EYELID_INDEX, "Give the eyelid an eyes_updown controller, or push one that stays at 0")
        }
        Refusal::FlexDesc(_) => (&OP_FLEXDESC, "Name an existing flexdesc; compile the model again"),
        Refusal::Count(_) => (&COMBO_COUNT, "Split it into steps of two, or add controllers"),
        Refusal::Unknown(_) => (&OP_UNKNOWN, "Compile the model with the game's own tools"),
    };
    let older = match refusal {
        Refusal::EyeUpDown(_) => "older engines take it as no controller at all",
        Refusal::Count(count) if count >= 0 => "older engines carry it out",
        Refusal::Unknown(_) => "older engines do nothing either",
        _ => "older engines read or write outside their arrays",
    };
    findings.add(
        code,
        op_place(mdl, at),
        refusal.to_string(),
        wrong(format!("the 2025 SDK does nothing and goes on with the rule; {older}")),
        help,
    );
}

/// How many values a rule left.
fn ended(mdl: &Mdl, rule: usize, depth: usize, findings: &mut Findings) {
    if depth == 0 {
        findings.add(
            &RULE_NEVER_SETS,
            place(mdl, rule),
            "nothing is pushed: the weight is always 0".to_owned(),
            wrong("the shape never shows"),
            "Give the rule an expression, or remove it",
        );
    } else if depth > 1 {
        findings.add(
            &RULE_LEFTOVER,
            place(mdl, rule),
            format!("{depth} values are left; the bottom one is the weight, not the top"),
            wrong("the expression's last part has no effect"),
            "Combine all values into one",
        );
    }
}

/// FETCH2 of what no rule before has set.
fn order(mdl: &Mdl, findings: &mut Findings) {
    let all: BTreeSet<i32> = mdl.rules.iter().map(|rule| rule.flexdesc).collect();
    let mut set = BTreeSet::new();
    for (index, rule) in mdl.rules.iter().enumerate() {
        let mut told = BTreeSet::new();
        for (at, op) in rule.ops.iter().enumerate() {
            let &Op::Fetch2(desc) = op else { continue };
            if !exists(desc, mdl.flexdescs.len()) || set.contains(&desc) || !told.insert(desc) {
                continue;
            }
            let name = mdl.flexdesc_name(desc);
            let text = if desc == rule.flexdesc {
                format!("reads flexdesc {name}, which it sets itself: 0")
            } else if all.contains(&desc) {
                format!("reads flexdesc {name}, which a later rule sets: 0 at this point")
            } else {
                format!("reads flexdesc {name}, which no rule sets: always 0")
            };
            findings.add(
                &RULE_ORDER,
                op_place(mdl, (index, at)),
                text,
                wrong("the rule works as if the other weight were 0"),
                "Move the rule behind the one it reads",
            );
        }
        set.insert(rule.flexdesc);
    }
}

/// What a look at the instructions shows: those without effect, and counts that take no value.
fn static_ops(mdl: &Mdl, findings: &mut Findings) {
    for (index, rule) in mdl.rules.iter().enumerate() {
        let ignored: Vec<usize> = (0..rule.ops.len())
            .filter(|&at| matches!(rule.ops[at], Op::Exp | Op::Open | Op::Close | Op::Comma))
            .collect();
        if let Some(&first) = ignored.first() {
            let finding = finding(
                &OP_IGNORED,
                op_place(mdl, (index, first)),
                "the engine does nothing for it".to_owned(),
                Effect::None,
                "Compilers leave it out; remove it",
            );
            findings.push(repeated(finding, ignored.len()));
        }
        for (at, op) in rule.ops.iter().enumerate() {
            if matches!(op, Op::Combo(0) | Op::Dominate(0)) {
                findings.add(
                    &COMBO_COUNT,
                    op_place(mdl, (index, at)),
                    "a count of 0 takes what was left above the stack".to_owned(),
                    wrong("the weight depends on values that were popped before"),
                    "Give it the number of values it combines",
                );
            }
        }
    }
}

fn unused(mdl: &Mdl, seen: &Seen, findings: &mut Findings) {
    for (index, controller) in mdl.controllers.iter().enumerate() {
        if seen.controllers.contains(&(index as i32)) {
            continue;
        }
        let drivers = mdl.header.bone_flex_drivers;
        let text = match drivers {
            0 => "no rule reads it".to_owned(),
            _ => format!("no rule reads it; one of {drivers} bone flex drivers may"),
        };
        let finding = finding(
            &CONTROLLER_UNUSED,
            Place::section("controllers").entry(format!("controller {index} '{}'", controller.name)),
            text,
            if drivers == 0 { wrong("the slider moves nothing") } else { Effect::None },
            "Use it in a rule, or remove it",
        );
        let severity = if drivers == 0 { finding.severity } else { Severity::Note };
        findings.push(finding.with_severity(severity));
    }
}
