//! Running all rules of a model, in file order: controllers in, weights of flexdescs out.

use super::machine::{CountCheck, Inputs, Refusal, Sdk, Stack, step};
use crate::mdl::format::Mdl;
use crate::mdl::format::opcode::Op;

/// What an observer of the machine sees.
#[derive(Debug)]
pub enum Event<'a> {
    /// An instruction was executed or refused.
    Step {
        /// Rule, by its place in the file.
        rule: usize,
        /// Instruction, by its place in the rule.
        at: usize,
        /// The instruction.
        op: Op,
        /// The stack after it.
        stack: &'a Stack,
        /// Why it did nothing.
        refusal: Option<Refusal>,
    },
    /// A rule ended.
    Result {
        /// Rule, by its place in the file.
        rule: usize,
        /// The stack at the end; its bottom is the weight.
        stack: &'a Stack,
        /// Whether the rule's flexdesc exists and received the weight.
        set: bool,
    },
}

/// Runs the rules on controllers' values (each in its own range): one weight a flexdesc, 0 where no
/// rule sets it. Each rule has a fresh stack; a later rule sees what earlier ones set.
pub fn run(
    mdl: &Mdl,
    values: &[f32],
    sdk: Sdk,
    count_check: CountCheck,
    mut observe: impl FnMut(Event),
) -> Vec<f32> {
    let mut weights = vec![0.0; mdl.flexdescs.len()];
    for (number, rule) in mdl.rules.iter().enumerate() {
        let mut stack = Stack::default();
        let destination = usize::try_from(rule.flexdesc).ok().filter(|&at| at < weights.len());
        // A rule for a flexdesc that does not exist is skipped (2025); older SDKs write outside.
        if destination.is_some() {
            let inputs =
                Inputs { controllers: &mdl.controllers, values, weights: &weights, sdk, count_check };
            for (at, &op) in rule.ops.iter().enumerate() {
                let refusal = step(&mut stack, op, &inputs).err();
                observe(Event::Step { rule: number, at, op, stack: &stack, refusal });
            }
        }
        if let Some(at) = destination {
            weights[at] = stack.bottom();
        }
        observe(Event::Result { rule: number, stack: &stack, set: destination.is_some() });
    }
    weights
}
