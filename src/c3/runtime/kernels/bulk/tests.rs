//! Every level against the portable kernels, and those against the paired-single unit.

use byteorder::{BE, ByteOrder};
use proptest::prelude::*;

use super::{Addends, Arithmetic, Level, VERTEX_BYTES, accumulate, one_bone, two_bone};
use crate::c3::runtime::kernels::Columns;
use crate::gekko::paired_single::Rounding;
use crate::gekko::quantize::Gqr;

/// Cells of every kind: ordinary ones, what is left of a sine of pi, coarse ones whose sums are ties,
/// and what must not be vectorized.
fn cell() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -2.0f32..2.0,
        2 => (any::<bool>(), -60i32..0, 1.0f32..2.0)
            .prop_map(|(negative, power, m)| (if negative { -m } else { m }) * 2.0f32.powi(power)),
        2 => prop::sample::select(vec![0.0f32, -0.0, 1.0, -1.0, 0.5, 1.000_000_1, 0.999_999_94]),
        1 => (0i32..4096).prop_map(|units| units as f32 / 4096.0),
        2 => prop::sample::select(NEAR_TIES.to_vec()),
    ]
}

/// Cells whose sums with components of 1 and 32,767 lie next to ties: the last is a little less than half a unit of
/// the first, as 32,767 * 32,769 is 2^30 - 1.
const NEAR_TIES: [f32; 6] = [
    4096.0 + 1.0 / 2048.0,
    -4096.0 - 3.0 / 2048.0,
    32769.0 / (1u64 << 42) as f32,
    -32769.0 / (1u64 << 42) as f32,
    1.0 / 1024.0,
    1.0 / (1u64 << 60) as f32,
];

fn wild_cell() -> impl Strategy<Value = f32> {
    prop_oneof![cell(), any::<u32>().prop_map(f32::from_bits), (-1e9f32..1e9)]
}

fn columns(
    cell: impl Strategy<Value = f32>,
    translation: impl Strategy<Value = f32>,
) -> impl Strategy<Value = Columns> {
    (prop::collection::vec(cell, 9), prop::collection::vec(translation, 3)).prop_map(
        |(cells, translation)| {
            let column = |first: usize| [cells[first], cells[first + 1], cells[first + 2]];
            Columns {
                column: [column(0), column(3), column(6)],
                translation: [translation[0], translation[1], translation[2]],
            }
        },
    )
}

/// Matrices of bones that are not turned: cells of one or next to it beside what rounding left of zeros.
fn rest_columns() -> impl Strategy<Value = Columns> {
    let noise = || {
        (any::<bool>(), -60i32..-20, 1.0f32..2.0)
            .prop_map(|(negative, power, m)| (if negative { -m } else { m }) * 2.0f32.powi(power))
    };
    let ones = prop::collection::vec(-3i32..=3, 3);
    let lead = prop::sample::select(vec![[0, 1, 2], [1, 2, 0], [2, 2, 2]]);
    (columns(noise(), noise()), ones, lead).prop_map(|(mut columns, ones, lead)| {
        for (row, (ulps, column)) in ones.into_iter().zip(lead).enumerate() {
            columns.column[column][row] = f32::from_bits((1.0f32.to_bits() as i32 + ulps) as u32);
        }
        columns
    })
}

fn any_columns() -> impl Strategy<Value = Columns> {
    let translation = || prop_oneof![-120.0f32..120.0, cell(), Just(0.0)];
    prop_oneof![
        6 => columns(cell(), translation()),
        3 => rest_columns(),
        1 => columns(wild_cell(), prop_oneof![translation(), wild_cell()]),
    ]
}

fn arithmetic() -> impl Strategy<Value = Arithmetic> {
    let rounding = prop::sample::select(vec![Rounding::Dolphin, Rounding::Exact]);
    let scale = prop_oneof![4 => 4u32..12, 1 => 0u32..64];
    (scale, rounding).prop_map(|(scale, rounding)| {
        let gqr = Gqr::both(7, scale);
        Arithmetic { load: gqr.load_factor(), store: gqr.store_factor(), rounding }
    })
}

/// Whole vertices; small components often, where sums cancel and products are tiny.
fn vertices(count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<u8>> {
    let component = prop_oneof![3 => any::<i16>(), 2 => -300i16..300, 1 => Just(0i16), 1 => Just(i16::MIN),
        1 => prop::sample::select(vec![1i16, -1, 32767, -32767])];
    prop::collection::vec([(); 6].map(|()| component.clone()), count).prop_map(|vertices| {
        vertices.iter().flatten().flat_map(|component| component.to_be_bytes()).collect()
    })
}

/// Runs of an entry's length, and some for which planning takes its time.
fn runs() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => vertices(0..40), 1 => vertices(512..530)]
}

fn weights_for(vertices: &[u8], seed: u64, each: usize) -> Vec<u8> {
    let mut state = seed | 1;
    (0..vertices.len() / VERTEX_BYTES * each)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            [0, 1, 128, 255, (state >> 33) as u8, (state >> 41) as u8][(state >> 60) as usize % 6]
        })
        .collect()
}

/// The result of every level; all must be the first, the portable one's.
fn same_on_all_levels(input: &[u8], run: impl Fn(Level, &mut [u8])) -> Result<(), TestCaseError> {
    let results = Level::available().into_iter().map(|level| {
        let mut bytes = input.to_vec();
        run(level, &mut bytes);
        (level.name(), bytes)
    });
    let results: Vec<_> = results.collect();
    for (name, bytes) in &results[1..] {
        let different = bytes.iter().zip(&results[0].1).position(|(have, want)| have != want);
        prop_assert_eq!(different, None, "first different byte, {}", name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn one_bone_is_the_same_on_all_levels(
        input in runs(), columns in any_columns(), arithmetic in arithmetic()
    ) {
        same_on_all_levels(&input, |level, bytes| one_bone(level, bytes, &columns, arithmetic))?;
    }

    #[test]
    fn two_bone_is_the_same_on_all_levels(
        input in runs(), first in any_columns(), second in any_columns(), arithmetic in arithmetic(), seed: u64
    ) {
        let weights = weights_for(&input, seed, 2);
        same_on_all_levels(&input, |level, bytes| two_bone(level, bytes, &weights, [&first, &second], arithmetic))?;
    }

    #[test]
    fn two_bones_at_rest_are_the_same_on_all_levels(
        input in runs(), first in rest_columns(), second in rest_columns(), arithmetic in arithmetic(), seed: u64
    ) {
        let weights = weights_for(&input, seed, 2);
        same_on_all_levels(&input, |level, bytes| two_bone(level, bytes, &weights, [&first, &second], arithmetic))?;
    }

    #[test]
    fn accumulate_is_the_same_on_all_levels(
        destination in vertices(32), source in runs(), columns in any_columns(),
        arithmetic in arithmetic(), seed: u64, step in 0u16..4
    ) {
        // Ascending, at random with repetitions, or all the same.
        let weights = weights_for(&source, seed, 1);
        let mut indices = vec![0; 2 * weights.len()];
        for (number, (index, weight)) in indices.chunks_exact_mut(2).zip(&weights).enumerate() {
            let number = number as u16;
            let value = if step == 3 { number * 7 + u16::from(*weight) } else { number * step };
            BE::write_u16(index, value % 32);
        }
        let addends = Addends { vertices: &source, indices: &indices, weights: &weights };
        same_on_all_levels(&destination, |level, bytes| accumulate(level, bytes, addends, &columns, arithmetic))?;
    }
}

/// Component 0 of the last vertex of nine, after the one-bone kernel, by rounding and on every level.
fn assert_first_component(columns: &Columns, vertex: [i16; 3], expected: [(Rounding, i16); 2]) {
    for (rounding, expected) in expected {
        let arithmetic = Arithmetic { load: 1.0, store: 1.0, rounding };
        for level in Level::available() {
            let mut vertices = [0; 9 * VERTEX_BYTES];
            BE::write_i16_into(&vertex, &mut vertices[8 * VERTEX_BYTES..][..6]);
            one_bone(level, &mut vertices, columns, arithmetic);
            assert_eq!(BE::read_i16(&vertices[8 * VERTEX_BYTES..]), expected, "{}", level.name());
        }
    }
}

/// 31 * 1082401 / 8192 is 4096 - 2^-13, half-way between two singles. A trace less rounds down once, but
/// rounded to double first it is the tie, which goes up.
#[test]
fn a_double_rounding_shows_on_every_level() {
    let mut columns = Columns::default();
    columns.column[0][0] = 1_082_401.0 / 8192.0;
    columns.translation[0] = -(2.0f32.powi(-60));
    assert_first_component(&columns, [31, 0, 0], [(Rounding::Dolphin, 4096), (Rounding::Exact, 4095)]);
}

/// The same where the product is a trace less than half a unit of the sum: 32,767 * 32,769 / 2^42 is
/// 2^-12 - 2^-42, and the third product shows which way it went.
#[test]
fn a_double_rounding_of_a_small_product_shows_on_every_level() {
    let mut columns = Columns::default();
    columns.column[0][0] = 4096.0 + 2.0f32.powi(-11);
    columns.column[1][0] = 32769.0 * 2.0f32.powi(-42);
    columns.column[2][0] = -(2.0f32.powi(-10));
    assert_first_component(&columns, [1, 32767, 1], [(Rounding::Dolphin, 4096), (Rounding::Exact, 4095)]);
}

/// A translation that scaling loses altogether still decides a tie when it is rounded once: 31 * 1082401 / 8192 is
/// half-way between two singles.
#[test]
fn a_translation_below_every_scaled_single_decides_a_tie() {
    let mut columns = Columns::default();
    columns.column[0][0] = 1_082_401.0 / 8192.0;
    columns.translation[0] = -(2.0f32.powi(-125));
    for (rounding, expected) in [(Rounding::Dolphin, 4096), (Rounding::Exact, 4095)] {
        let (load, store) = (2.0f32.powi(32), 2.0f32.powi(-32));
        for level in Level::available() {
            let mut vertices = [0; 9 * VERTEX_BYTES];
            BE::write_i16(&mut vertices[..2], 31);
            one_bone(level, &mut vertices, &columns, Arithmetic { load, store, rounding });
            assert_eq!(BE::read_i16(&vertices), expected, "{}", level.name());
        }
    }
}

/// Products next to ties of the sum they are added to, in runs long enough for planning to look for them: for odd x
/// there is a cell c with c * x = 2^29 + 1 or less by two, scaled to half a unit of 4096.
#[test]
fn products_next_to_ties_are_rounded_twice_in_long_runs() {
    let mut differences = 0;
    for x in (1..=32767i64).step_by(2) {
        for tie in [(1 << 29) + 1, (1 << 29) - 1, (3 << 29) + 1, (3 << 29) - 1] {
            if tie % x != 0 || tie / x >= 1 << 24 {
                continue;
            }
            let mut columns = Columns::default();
            columns.column[0][0] = 4096.0 + 2.0f32.powi(-11);
            columns.column[1][0] = (tie / x) as f32 * 2.0f32.powi(-41);
            columns.column[2][0] = -(2.0f32.powi(-10));
            let input: Vec<u8> =
                (0..520).flat_map(|_| [1, x as i16, 1, 0, 0, 0]).flat_map(i16::to_be_bytes).collect();
            let run = |level, rounding| {
                let mut vertices = input.clone();
                one_bone(level, &mut vertices, &columns, Arithmetic { load: 1.0, store: 1.0, rounding });
                vertices
            };
            for level in Level::available() {
                let portable = run(Level::Portable, Rounding::Dolphin);
                assert!(run(level, Rounding::Dolphin) == portable, "{}, {x}", level.name());
                differences += usize::from(portable != run(level, Rounding::Exact));
            }
        }
    }
    assert!(differences > 0);
}
