//! The stack machine of flex rules: one instruction.
//!
//! The stack is 32 floats and a depth. Popping leaves values where they were, so an instruction that
//! reads above the depth (COMBO 0, DOMINATE 0) sees what was there before; that is modelled.

use super::convert::{clamp01, remap_clamped, truncate};
use crate::mdl::format::flex::FlexController;
use crate::mdl::format::opcode::Op;

/// Slots of the stack.
pub const STACK_SIZE: usize = 32;

/// Which engine's machine runs the rules. `[spec: SDK]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sdk {
    /// The 2025 SDK: an instruction whose check fails does nothing and the rule goes on.
    #[default]
    Checked,
    /// Older SDKs: no checks. A negative eyeUpDown index means "none". What would touch memory
    /// outside the stack or the tables is undefined there; here it does nothing and is reported.
    Unchecked,
}

/// What the 2025 SDK compares the counts of COMBO and DOMINATE with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CountCheck {
    /// The number of controllers, as shipped: in a model with two controllers COMBO 2 does nothing.
    #[default]
    Controllers,
    /// Only the depth of the stack, as was meant.
    Depth,
}

/// Why an instruction did nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// It needs more values than the stack holds.
    Underflow {
        /// Values needed.
        need: i64,
        /// Values there.
        have: usize,
    },
    /// It pushes onto a full stack.
    Overflow,
    /// A controller's index, from the operand or the stack, names none.
    Controller(i32),
    /// A negative eyeUpDown index, "none" in older SDKs, names no controller.
    EyeUpDown(i32),
    /// A flexdesc's index names none.
    FlexDesc(i32),
    /// A count of COMBO or DOMINATE is negative or fails [`CountCheck::Controllers`].
    Count(i32),
    /// No such instruction.
    Unknown(i32),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Underflow { need, have } => write!(out, "needs {need} values, the stack holds {have}"),
            Self::Overflow => write!(out, "pushes onto a full stack of {STACK_SIZE}"),
            Self::Controller(index) => write!(out, "names controller {index}, which does not exist"),
            Self::EyeUpDown(index) => {
                write!(out, "names eyeUpDown controller {index}, \"none\" in older SDKs")
            }
            Self::FlexDesc(index) => write!(out, "names flexdesc {index}, which does not exist"),
            Self::Count(count) => write!(out, "count {count} fails the SDK's check against the controllers"),
            Self::Unknown(opcode) => write!(out, "no instruction has the number {opcode}"),
        }
    }
}

/// The stack of one rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    slots: [f32; STACK_SIZE],
    depth: usize,
}

impl Default for Stack {
    fn default() -> Self {
        Self { slots: [0.0; STACK_SIZE], depth: 0 }
    }
}

impl Stack {
    /// The values on the stack, bottom first.
    pub fn values(&self) -> &[f32] {
        &self.slots[..self.depth]
    }

    /// A rule's result: the bottom slot, whatever the depth; 0 if nothing was ever pushed.
    pub fn bottom(&self) -> f32 {
        self.slots[0]
    }

    fn need(&self, need: usize) -> Result<(), Refusal> {
        if self.depth >= need {
            Ok(())
        } else {
            Err(Refusal::Underflow { need: need as i64, have: self.depth })
        }
    }

    fn push(&mut self, value: f32) -> Result<(), Refusal> {
        *self.slots.get_mut(self.depth).ok_or(Refusal::Overflow)? = value;
        self.depth += 1;
        Ok(())
    }

    /// The value `below` places under the top; callers checked the depth with [`Stack::need`].
    fn under(&self, below: usize) -> f32 {
        self.slots[self.depth - 1 - below]
    }

    /// Replaces the top `count` values by one; callers checked the depth.
    fn replace(&mut self, count: usize, value: f32) {
        self.depth -= count - 1;
        self.slots[self.depth - 1] = value;
    }

    fn binary(&mut self, apply: impl Fn(f32, f32) -> f32) -> Result<(), Refusal> {
        self.need(2)?;
        self.replace(2, apply(self.under(1), self.under(0)));
        Ok(())
    }
}

/// What instructions can read besides the stack.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The model's controllers.
    pub controllers: &'a [FlexController],
    /// Their values, each in its controller's own range.
    pub values: &'a [f32],
    /// Weights of flexdescs as rules have set them so far.
    pub weights: &'a [f32],
    /// Whose machine it is.
    pub sdk: Sdk,
    /// Its check of counts.
    pub count_check: CountCheck,
}

impl Inputs<'_> {
    fn value(&self, index: i32) -> Result<f32, Refusal> {
        let at = usize::try_from(index).ok();
        at.and_then(|at| self.values.get(at)).copied().ok_or(Refusal::Controller(index))
    }

    /// A controller's value mapped from its own range.
    fn remapped(&self, index: i32, low: f32, high: f32) -> Result<f32, Refusal> {
        let value = self.value(index)?;
        let controller = usize::try_from(index).ok().and_then(|at| self.controllers.get(at));
        let FlexController { min, max, .. } = controller.ok_or(Refusal::Controller(index))?;
        Ok(remap_clamped(value, *min, *max, low, high))
    }

    fn weight(&self, index: i32) -> Result<f32, Refusal> {
        let at = usize::try_from(index).ok();
        at.and_then(|at| self.weights.get(at)).copied().ok_or(Refusal::FlexDesc(index))
    }

    /// The count of COMBO or DOMINATE, checked as this SDK does.
    fn count(&self, count: i32) -> Result<i64, Refusal> {
        let limit = self.controllers.len() as i64;
        let refused = match (self.sdk, self.count_check) {
            (Sdk::Checked, CountCheck::Controllers) => count < 0 || i64::from(count) >= limit,
            (Sdk::Checked, CountCheck::Depth) => count < 0,
            (Sdk::Unchecked, _) => false,
        };
        if refused { Err(Refusal::Count(count)) } else { Ok(i64::from(count)) }
    }
}

/// Executes one instruction.
///
/// # Errors
/// Why it did nothing; the stack is as it was.
pub fn step(stack: &mut Stack, op: Op, inputs: &Inputs) -> Result<(), Refusal> {
    match op {
        Op::Const(value) => stack.push(value),
        Op::Fetch1(index) => stack.push(inputs.value(index)?),
        Op::Fetch2(index) => stack.push(inputs.weight(index)?),
        Op::Add => stack.binary(|a, b| a + b),
        Op::Sub => stack.binary(|a, b| a - b),
        Op::Mul => stack.binary(|a, b| a * b),
        // A negative divisor gives 0 too: the engine guards against small ones only this way.
        Op::Div => stack.binary(|a, b| if b > 0.0001 { a / b } else { 0.0 }),
        Op::Neg => {
            stack.need(1)?;
            stack.replace(1, -stack.under(0));
            Ok(())
        }
        Op::Exp | Op::Open | Op::Close | Op::Comma => Ok(()),
        Op::Max => stack.binary(|a, b| if a > b { a } else { b }),
        Op::Min => stack.binary(|a, b| if a < b { a } else { b }),
        Op::TwoWay0(index) => stack.push(1.0 - clamp01(inputs.value(index)? + 1.0)),
        Op::TwoWay1(index) => stack.push(clamp01(inputs.value(index)?)),
        Op::NWay(index) => n_way(stack, index, inputs),
        Op::Combo(count) => combo(stack, inputs.count(count)?),
        Op::Dominate(count) => dominate(stack, inputs.count(count)?),
        Op::LowerEyelid(index) => eyelid(stack, index, inputs, |close, closed, up_down| {
            let lower = (1.0 - closed) * close;
            if up_down > 0.0 { (1.0 - up_down) * lower } else { lower }
        }),
        Op::UpperEyelid(index) => eyelid(stack, index, inputs, |close, closed, up_down| {
            let upper = closed * close;
            if up_down < 0.0 { (1.0 + up_down) * upper } else { upper }
        }),
        Op::Unknown(opcode) => Err(Refusal::Unknown(opcode)),
    }
}

/// x y z w c → ramp(c) · operand. The shape's controller comes from the stack as a float.
fn n_way(stack: &mut Stack, index: i32, inputs: &Inputs) -> Result<(), Refusal> {
    stack.need(5)?;
    let [w, z, y, x] = [1, 2, 3, 4].map(|below| stack.under(below));
    let at = inputs.value(truncate(stack.under(0)))?;
    let ramp = if at <= x || at >= w {
        0.0
    } else if at < y {
        remap_clamped(at, x, y, 0.0, 1.0)
    } else if at > z {
        remap_clamped(at, z, w, 1.0, 0.0)
    } else {
        1.0
    };
    let value = inputs.value(index)?;
    stack.replace(5, ramp * value);
    Ok(())
}

/// The top `count` values and their place: the first slot and its product with those above it. A
/// count of 0 takes the slot above the top, with whatever was left there.
fn product(stack: &Stack, count: i64) -> Result<(usize, f32), Refusal> {
    let first = stack.depth as i64 - count;
    let first = usize::try_from(first).map_err(|_| Refusal::Underflow { need: count, have: stack.depth })?;
    let slot = stack.slots.get(first).ok_or(Refusal::Overflow)?;
    let above = stack.slots.get(first + 1..stack.depth).unwrap_or_default();
    Ok((first, above.iter().fold(*slot, |product, value| product * value)))
}

fn combo(stack: &mut Stack, count: i64) -> Result<(), Refusal> {
    let (first, product) = product(stack, count)?;
    stack.slots[first] = product;
    stack.depth = first + 1;
    Ok(())
}

fn dominate(stack: &mut Stack, count: i64) -> Result<(), Refusal> {
    let (first, product) = product(stack, count)?;
    let Some(next) = first.checked_sub(1) else {
        return Err(Refusal::Underflow { need: count + 1, have: stack.depth });
    };
    stack.slots[next] *= 1.0 - product;
    stack.depth = first;
    Ok(())
}

/// eyeUpDown, blink, `CloseLid` → the lid. The three are controller numbers as floats; the blink
/// controller is checked (by [`Sdk::Checked`]) and never read.
fn eyelid(
    stack: &mut Stack,
    close_lid_v: i32,
    inputs: &Inputs,
    lid: impl Fn(f32, f32, f32) -> f32,
) -> Result<(), Refusal> {
    stack.need(3)?;
    let [close_lid, blink, up_down] = [0, 1, 2].map(|below| truncate(stack.under(below)));
    let closed = inputs.remapped(close_lid_v, 0.0, 1.0)?;
    let close = inputs.remapped(close_lid, 0.0, 1.0)?;
    if inputs.sdk == Sdk::Checked {
        inputs.value(blink)?;
    }
    let up_down = match (inputs.sdk, up_down) {
        (Sdk::Checked, ..0) => return Err(Refusal::EyeUpDown(up_down)),
        (Sdk::Unchecked, ..0) => 0.0,
        _ => inputs.remapped(up_down, -1.0, 1.0)?,
    };
    stack.replace(3, lid(close, closed, up_down));
    Ok(())
}
