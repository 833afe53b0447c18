//! What the stack machine of flex rules did, instruction by instruction: one value, rendered as text
//! or as JSON (`skinsim.trace/1`, kind `mdl`).

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::mdl::format::Mdl;
use crate::mdl::runtime::machine::{CountCheck, Sdk};
use crate::mdl::runtime::rules::{self, Event};
use crate::printable::printable;

/// A trace. A number that is not finite is `null` in JSON.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MdlTrace {
    /// `skinsim.trace/1`.
    pub schema: &'static str,
    /// `mdl`.
    pub kind: &'static str,
    /// As named on the command line.
    pub model: String,
    /// Controllers by name, with the value each had, in its own range.
    pub controllers: Vec<(String, f32)>,
    /// The traced rules, in the order they ran.
    pub rules: Vec<RuleTrace>,
}

/// One rule's run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuleTrace {
    /// Place in the file.
    pub rule: usize,
    /// The flexdesc it sets, with its name.
    pub flexdesc: String,
    /// Its instructions.
    pub steps: Vec<Step>,
    /// The weight it gave; `null` when its flexdesc does not exist and it was skipped.
    pub weight: Option<f32>,
}

/// One instruction.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Step {
    /// The instruction with its operand, names resolved.
    pub op: String,
    /// The stack after it, bottom first.
    pub stack: Vec<f32>,
    /// Why it did nothing, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl MdlTrace {
    /// Runs all rules and records the `wanted` ones, by their place in the file.
    pub fn new(
        model: impl Into<String>,
        mdl: &Mdl,
        values: &[f32],
        (sdk, count_check): (Sdk, CountCheck),
        wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let (mut rules, mut steps) = (Vec::new(), Vec::new());
        rules::run(mdl, values, sdk, count_check, |event| match event {
            Event::Step { rule, op, stack, refusal, .. } if wanted(rule) => steps.push(Step {
                op: super::op_text(mdl, op),
                stack: stack.values().to_vec(),
                refused: refusal.map(|refusal| refusal.to_string()),
            }),
            Event::Result { rule, stack, set } if wanted(rule) => rules.push(RuleTrace {
                rule,
                flexdesc: mdl.flexdesc_name(mdl.rules[rule].flexdesc),
                steps: std::mem::take(&mut steps),
                weight: set.then(|| stack.bottom()),
            }),
            Event::Step { .. } | Event::Result { .. } => {}
        });
        let named = std::iter::zip(&mdl.controllers, values);
        Self {
            schema: "skinsim.trace/1",
            kind: "mdl",
            model: model.into(),
            controllers: named.map(|(controller, &value)| (controller.name.clone(), value)).collect(),
            rules,
        }
    }
}

/// The same for people: a line an instruction, the stack after it in brackets, bottom first.
pub fn text(trace: &MdlTrace) -> String {
    let mut out = String::new();
    for (name, value) in &trace.controllers {
        let _ = writeln!(out, "controller {} = {value}", printable(name));
    }
    for rule in &trace.rules {
        let _ = writeln!(out, "rule {} of flexdesc {}", rule.rule, printable(&rule.flexdesc));
        for (at, step) in rule.steps.iter().enumerate() {
            let stack: Vec<String> = step.stack.iter().map(f32::to_string).collect();
            let _ = write!(out, "  {at:>3}  {:<36}  [{}]", printable(&step.op), stack.join(" "));
            let _ = match &step.refused {
                Some(refused) => writeln!(out, "  did nothing: {refused}"),
                None => writeln!(out),
            };
        }
        let _ = match rule.weight {
            Some(weight) => writeln!(out, "       weight = {weight}"),
            None => writeln!(out, "       skipped: the flexdesc does not exist"),
        };
    }
    if trace.rules.is_empty() {
        out.push_str("no flex rules\n");
    }
    out
}
