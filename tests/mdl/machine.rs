//! The stack machine: one test an instruction, and random programs against a second evaluator.

use proptest::prelude::*;
use skinsim::mdl::format::Mdl;
use skinsim::mdl::runtime::machine::{CountCheck, Refusal, Sdk};
use skinsim::mdl::runtime::rules::{self, Event};

use crate::builder::{Face, constant};

/// Controllers: 0..1, −1..1, −30..30, and an empty range.
const CONTROLLERS: [(&str, f32, f32); 4] =
    [("a", 0.0, 1.0), ("b", -1.0, 1.0), ("c", -30.0, 30.0), ("d", 2.0, 2.0)];

fn face(rules: Vec<(i32, Vec<(i32, u32)>)>) -> Mdl {
    let flexdescs = (0..4).map(|index| format!("d{index}")).collect();
    Mdl::read(&Face { controllers: CONTROLLERS.to_vec(), flexdescs, rules, ..Face::default() }.mdl()).unwrap()
}

fn run_as(program: &[(i32, u32)], values: &[f32], sdk: Sdk, check: CountCheck) -> (f32, Vec<Refusal>) {
    let mdl = face(vec![(0, vec![constant(0.25)]), (1, program.to_vec())]);
    let mut refusals = Vec::new();
    let weights = rules::run(&mdl, values, sdk, check, |event| {
        if let Event::Step { refusal: Some(refusal), .. } = event {
            refusals.push(refusal);
        }
    });
    (weights[1], refusals)
}

/// A program's result under the 2025 SDK, none of its instructions refused.
fn result(program: &[(i32, u32)], values: &[f32]) -> f32 {
    let (weight, refusals) = run_as(program, values, Sdk::Checked, CountCheck::Controllers);
    assert_eq!(refusals, [], "{program:?}");
    weight
}

fn refused(program: &[(i32, u32)]) -> (f32, Vec<Refusal>) {
    run_as(program, &[0.5; 4], Sdk::Checked, CountCheck::Controllers)
}

fn binary(opcode: i32, a: f32, b: f32) -> f32 {
    result(&[constant(a), constant(b), (opcode, 0)], &[0.0; 4])
}

#[test]
fn constants_and_fetches_push() {
    assert_eq!(result(&[constant(-1.5)], &[0.0; 4]), -1.5);
    assert_eq!(result(&[(2, 2)], &[0.0, 0.0, 15.0, 0.0]), 15.0);
    assert_eq!(result(&[(3, 0)], &[0.0; 4]), 0.25, "what the rule before set");
    assert_eq!(result(&[(3, 3)], &[0.0; 4]), 0.0, "what no rule set");
}

#[test]
fn arithmetic_takes_its_operands_in_the_order_they_were_pushed() {
    assert_eq!(binary(4, 3.0, 2.0), 5.0);
    assert_eq!(binary(5, 3.0, 2.0), 1.0);
    assert_eq!(binary(6, 3.0, 2.0), 6.0);
    assert_eq!(binary(7, 3.0, 2.0), 1.5);
    assert_eq!(binary(13, 3.0, 2.0), 3.0);
    assert_eq!(binary(14, 3.0, 2.0), 2.0);
    assert_eq!(result(&[constant(3.0), (8, 0)], &[0.0; 4]), -3.0);
}

#[test]
fn a_small_or_negative_divisor_gives_zero() {
    assert_eq!(binary(7, 3.0, -2.0), 0.0);
    assert_eq!(binary(7, 3.0, 0.0001), 0.0);
    assert_eq!(binary(7, 3.0, 0.0002), 3.0 / 0.0002);
}

#[test]
fn the_parser_s_tokens_do_nothing() {
    for opcode in 9..=12 {
        assert_eq!(result(&[constant(0.5), (opcode, 3)], &[0.0; 4]), 0.5);
    }
}

#[test]
fn two_way_controllers_split_at_zero() {
    for (value, left, right) in [
        (-2.0, 1.0, 0.0),
        (-1.0, 1.0, 0.0),
        (-0.25, 0.25, 0.0),
        (0.0, 0.0, 0.0),
        (0.75, 0.0, 0.75),
        (3.0, 0.0, 1.0),
    ] {
        let values = [0.0, value, 0.0, 0.0];
        assert_eq!(result(&[(15, 1)], &values), left, "left of {value}");
        assert_eq!(result(&[(16, 1)], &values), right, "right of {value}");
    }
}

#[test]
fn an_n_way_slider_ramps_by_one_controller_and_scales_by_the_other() {
    let program = [constant(0.0), constant(0.25), constant(0.5), constant(1.0), constant(0.0), (17, 2)];
    for (shape, ramp) in [(0.0, 0.0), (0.125, 0.5), (0.25, 1.0), (0.5, 1.0), (0.75, 0.5), (1.0, 0.0)] {
        assert_eq!(result(&program, &[shape, 0.0, 8.0, 0.0]), 8.0 * ramp, "at {shape}");
    }
}

#[test]
fn combo_multiplies_and_dominate_weakens() {
    let values = [0.0; 4];
    assert_eq!(result(&[constant(2.0), constant(3.0), constant(4.0), (18, 3)], &values), 24.0);
    assert_eq!(result(&[constant(2.0), constant(3.0), (18, 1), (5, 0)], &values), -1.0);
    assert_eq!(result(&[constant(2.0), constant(0.5), constant(0.5), (19, 2)], &values), 1.5);
}

#[test]
fn a_combo_of_nothing_pushes_what_was_left_above_the_stack() {
    assert_eq!(result(&[(18, 0)], &[0.0; 4]), 0.0);
    assert_eq!(result(&[constant(2.0), constant(5.0), (4, 0), (18, 0), (5, 0)], &[0.0; 4]), 2.0, "7 - 5");
}

#[test]
fn a_dominate_of_nothing_weakens_by_what_was_left_above_the_stack() {
    assert_eq!(result(&[constant(2.0), (19, 0)], &[0.0; 4]), 2.0, "2 of 1 - 0");
    let left = [constant(2.0), constant(0.25), (4, 0), (19, 0)];
    assert_eq!(result(&left, &[0.0; 4]), 2.25 * 0.75);
}

#[test]
fn eyelids_close_by_their_controllers_and_give_way_to_the_gaze() {
    // eyeUpDown c, blink a, CloseLid a; CloseLidV b.
    let eyes = [constant(2.0), constant(0.0), constant(0.0)];
    let lid = |opcode, values: &[f32]| result(&[&eyes[..], &[(opcode, 1)]].concat(), values);
    let values = |gaze| [0.5, -0.5, gaze, 0.0];
    assert_eq!(lid(20, &values(0.0)), 0.375, "(1 - 0.25) of 0.5");
    assert_eq!(lid(20, &values(15.0)), 0.1875, "half of it when looking half up");
    assert_eq!(lid(20, &values(-15.0)), 0.375);
    assert_eq!(lid(21, &values(0.0)), 0.125);
    assert_eq!(lid(21, &values(15.0)), 0.125);
    assert_eq!(lid(21, &values(-15.0)), 0.0625);
}

#[test]
fn a_refused_instruction_does_nothing_and_the_rule_goes_on() {
    let (weight, refusals) = refused(&[(4, 0), constant(0.7)]);
    assert_eq!((weight, &refusals[..]), (0.7, &[Refusal::Underflow { need: 2, have: 0 }][..]));
    assert_eq!(refused(&[constant(0.7), (2, 4)]), (0.7, vec![Refusal::Controller(4)]));
    assert_eq!(refused(&[constant(0.7), (3, u32::MAX)]), (0.7, vec![Refusal::FlexDesc(-1)]));
    assert_eq!(refused(&[constant(0.7), (22, 0)]), (0.7, vec![Refusal::Unknown(22)]));
    let (weight, refusals) = refused(&[constant(1.0); 33]);
    assert_eq!((weight, &refusals[..]), (1.0, &[Refusal::Overflow][..]));
}

#[test]
fn the_count_check_looks_at_controllers_in_2025_and_not_elsewhere() {
    // Four controllers: COMBO 4 is refused by the slip.
    let program = [constant(2.0), constant(2.0), constant(2.0), constant(2.0), (18, 4)];
    assert_eq!(refused(&program), (2.0, vec![Refusal::Count(4)]));
    assert_eq!(run_as(&program, &[0.0; 4], Sdk::Checked, CountCheck::Depth), (16.0, vec![]));
    assert_eq!(run_as(&program, &[0.0; 4], Sdk::Unchecked, CountCheck::Controllers), (16.0, vec![]));
}

#[test]
fn a_negative_gaze_controller_stays_as_the_weight_in_2025_and_means_none_before() {
    let program = [constant(-1.0), constant(0.0), constant(0.0), (20, 1)];
    let values = [0.5, -0.5, 30.0, 0.0];
    assert_eq!(
        run_as(&program, &values, Sdk::Checked, CountCheck::Controllers),
        (-1.0, vec![Refusal::EyeUpDown(-1)])
    );
    assert_eq!(run_as(&program, &values, Sdk::Unchecked, CountCheck::Controllers), (0.375, vec![]));
}

#[test]
fn a_rule_for_no_flexdesc_is_skipped_and_a_later_rule_wins() {
    let mdl = face(vec![
        (0, vec![constant(1.0)]),
        (9, vec![constant(5.0)]),
        (-1, vec![constant(5.0)]),
        (0, vec![constant(2.0)]),
        (1, vec![]),
    ]);
    let mut set = Vec::new();
    let weights = rules::run(&mdl, &[0.0; 4], Sdk::Checked, CountCheck::Controllers, |event| {
        if let Event::Result { set: was, .. } = event {
            set.push(was);
        }
    });
    assert_eq!(weights, [2.0, 0.0, 0.0, 0.0]);
    assert_eq!(set, [true, false, false, true, true]);
}

/// A second evaluator, written from the table of instructions: a plain array and a counter; `None`
/// from an instruction leaves both as they were.
struct Second<'a> {
    values: &'a [f32],
    done: &'a [f32],
    checked: bool,
    slip: bool,
}

impl Second<'_> {
    fn evaluate(&self, ops: &[(i32, u32)]) -> f32 {
        let mut tape = vec![0f32; 32];
        let mut top = 0usize;
        for &(opcode, operand) in ops {
            let mut copy = tape.clone();
            if let Some(new_top) = self.one(&mut copy, top, opcode, operand) {
                (tape, top) = (copy, new_top);
            }
        }
        tape[0]
    }

    fn controller(&self, index: i64) -> Option<f32> {
        self.values.get(usize::try_from(index).ok()?).copied()
    }

    fn whole(value: f32) -> i64 {
        if value.is_nan() || value.abs() >= 2_147_483_648.0 { i64::MIN } else { value.trunc() as i64 }
    }

    fn share(&self, index: i64) -> Option<f32> {
        let value = self.controller(index)?;
        let (_, low, high) = CONTROLLERS[usize::try_from(index).ok()?];
        if low == high {
            return Some(if value >= high { 1.0 } else { 0.0 });
        }
        Some(((value - low) / (high - low)).clamp(0.0, 1.0))
    }

    fn one(&self, tape: &mut [f32], top: usize, opcode: i32, operand: u32) -> Option<usize> {
        let index = i64::from(operand as i32);
        let back = |tape: &[f32], n: usize| tape.get(top.checked_sub(n)?).copied();
        let mut put = |at: usize, value: f32| {
            *tape.get_mut(at)? = value;
            Some(at + 1)
        };
        match opcode {
            1 => put(top, f32::from_bits(operand)),
            2 => put(top, self.controller(index)?),
            3 => put(top, *self.done.get(usize::try_from(index).ok()?)?),
            4..=7 | 13 | 14 => {
                let (b, a) = (back(tape, 1)?, back(tape, 2)?);
                let value = match opcode {
                    4 => a + b,
                    5 => a - b,
                    6 => a * b,
                    7 if b > 0.0001 => a / b,
                    7 => 0.0,
                    13 => {
                        if a > b {
                            a
                        } else {
                            b
                        }
                    }
                    _ => {
                        if a < b {
                            a
                        } else {
                            b
                        }
                    }
                };
                tape[top - 2] = value;
                Some(top - 1)
            }
            8 => {
                let a = back(tape, 1)?;
                tape[top - 1] = -a;
                Some(top)
            }
            9..=12 => Some(top),
            15 => put(top, 1.0 - (self.controller(index)? + 1.0).clamp(0.0, 1.0)),
            16 => put(top, self.controller(index)?.clamp(0.0, 1.0)),
            17 => self.n_way(tape, top, index),
            18 | 19 => self.fold(tape, top, opcode, index),
            20 | 21 => self.lid(tape, top, opcode, index),
            _ => None,
        }
    }

    fn n_way(&self, tape: &mut [f32], top: usize, index: i64) -> Option<usize> {
        let base = top.checked_sub(5)?;
        let (x, y, z, w) = (tape[base], tape[base + 1], tape[base + 2], tape[base + 3]);
        let at = self.controller(Self::whole(tape[base + 4]))?;
        let between = |low: f32, high: f32| {
            if low == high {
                if at >= high { 1.0 } else { 0.0 }
            } else {
                ((at - low) / (high - low)).clamp(0.0, 1.0)
            }
        };
        let ramp = match () {
            () if at <= x || at >= w => 0.0,
            () if at < y => between(x, y),
            () if at > z => 1.0 - between(z, w),
            () => 1.0,
        };
        tape[base] = ramp * self.controller(index)?;
        Some(base + 1)
    }

    fn fold(&self, tape: &mut [f32], top: usize, opcode: i32, count: i64) -> Option<usize> {
        if self.checked && (count < 0 || (self.slip && count >= CONTROLLERS.len() as i64)) {
            return None;
        }
        let base = usize::try_from(top as i64 - count).ok()?;
        tape.get(base)?;
        let product = (base + 1..top).fold(tape[base], |product, slot| product * tape[slot]);
        if opcode == 18 {
            tape[base] = product;
            return Some(base + 1);
        }
        *tape.get_mut(base.checked_sub(1)?)? *= 1.0 - product;
        Some(base)
    }

    fn lid(&self, tape: &mut [f32], top: usize, opcode: i32, index: i64) -> Option<usize> {
        let base = top.checked_sub(3)?;
        let gaze = Self::whole(tape[base]);
        let (v, l) = (self.share(index)?, self.share(Self::whole(tape[base + 2]))?);
        if self.checked {
            self.controller(Self::whole(tape[base + 1]))?;
        }
        let u = if gaze < 0 && !self.checked { 0.0 } else { -1.0 + 2.0 * self.share(gaze)? };
        tape[base] = match opcode {
            20 if u > 0.0 => (1.0 - u) * ((1.0 - v) * l),
            20 => (1.0 - v) * l,
            _ if u < 0.0 => (1.0 + u) * (v * l),
            _ => v * l,
        };
        Some(base + 1)
    }
}

fn op() -> impl Strategy<Value = (i32, u32)> {
    let small = prop_oneof![Just(-1.0f32), Just(0.0), Just(0.5), Just(1.0), Just(2.0), -2.0f32..4.0];
    prop_oneof![
        4 => small.prop_map(constant),
        1 => any::<f32>().prop_map(constant),
        6 => (2..=21i32, 0..5u32),
        1 => (prop_oneof![18..=19i32, Just(2), Just(17)], -3..40i32).prop_map(|(code, count)| (code, count as u32)),
        1 => any::<(i32, u32)>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_programs_give_what_a_second_evaluator_gives(
        programs in prop::collection::vec((-1..5i32, prop::collection::vec(op(), 0..60)), 0..6),
        values in prop::array::uniform4(-2.0f32..3.0),
        checked in any::<bool>(),
        slip in any::<bool>(),
    ) {
        let mdl = face(programs.clone());
        let sdk = if checked { Sdk::Checked } else { Sdk::Unchecked };
        let check = if slip { CountCheck::Controllers } else { CountCheck::Depth };
        let weights = rules::run(&mdl, &values, sdk, check, |_| ());
        let mut expected = [0f32; 4];
        for (flexdesc, ops) in &programs {
            if let Ok(at @ 0..4) = usize::try_from(*flexdesc) {
                expected[at] = Second { values: &values, done: &expected.clone(), checked, slip }.evaluate(ops);
            }
        }
        for (index, (have, want)) in std::iter::zip(weights, expected).enumerate() {
            let same = have == want || have.is_nan() && want.is_nan();
            prop_assert!(same, "flexdesc {}: have {}, want {}", index, have, want);
        }
    }
}
