//! Two broken fields at once, fixed sequences of pairs: every bad effect of the dry run has a rule that answers for
//! it, at a place that is told. `SKINSIM_PAIRS` and `SKINSIM_PAIRS_SEED` try others.

use std::str::FromStr;

use skinsim::c3::format::block::SectionKind;

use super::fields::{
    ACCUMULATION_INDEX, CLEAR_AND_FLUSH, Field, GEOMETRY, SKINNING_HEADER, sk1_entry, sk2_entry, skacc_entry,
};
use super::sweep::{contradictions, everything, section, values};
use super::{ACT, STATES, bone, findings, fox};

/// Pairs that are tried of each model.
const PAIRS: usize = 48;

/// Fields of every structure of the fox that a frame reads.
fn fields() -> Vec<Field> {
    let drawn = [
        ("setting", STATES + 4, 4),
        ("primitive list", STATES + 0x18, 4),
        ("list size", STATES + 0x1C, 4),
        ("bone count", ACT + 6, 2),
        ("control", bone(5), 4),
        ("child", bone(5) + 0x10, 4),
        ("GPL", 4, 4),
        ("SKN", 0x10, 4),
    ];
    let ones = [sk1_entry(3), sk1_entry(14)].into_iter().flatten();
    let twos = [sk2_entry(3), sk2_entry(20)].into_iter().flatten();
    let added = [skacc_entry(0), skacc_entry(2)].into_iter().flatten();
    let header = SKINNING_HEADER.into_iter().chain(CLEAR_AND_FLUSH).chain([ACCUMULATION_INDEX]);
    ones.chain(twos).chain(added).chain(header).chain(GEOMETRY).chain(drawn).collect()
}

/// A field of a record: name, offset in it, bytes.
type Part = (&'static str, usize, usize);

const HEADER: [Part; 11] = [
    ("SK1 count", 0, 2),
    ("SK2 count", 2, 2),
    ("SKAcc count", 4, 2),
    ("shift", 6, 1),
    ("SK1 list", 8, 4),
    ("SK2 list", 0xC, 4),
    ("SKAcc list", 0x10, 4),
    ("clear start", 0x14, 4),
    ("clear size", 0x18, 4),
    ("flush list", 0x1C, 4),
    ("flush count", 0x20, 4),
];
const ONE: [Part; 5] = [
    ("source", 0x30, 4),
    ("destination", 0x34, 4),
    ("bone", 0x38, 2),
    ("count", 0x3A, 2),
    ("offset", 0x3C, 1),
];
const TWO: [Part; 7] = [
    ("source", 0x60, 4),
    ("weights", 0x64, 4),
    ("destination", 0x68, 4),
    ("bone", 0x6C, 2),
    ("second bone", 0x6E, 2),
    ("count", 0x70, 2),
    ("offset", 0x72, 1),
];
const ADDED: [Part; 6] = [
    ("source", 0x30, 4),
    ("indices", 0x34, 4),
    ("base", 0x38, 4),
    ("weights", 0x3C, 4),
    ("bone", 0x40, 2),
    ("count", 0x42, 2),
];

/// Fields of the skinning section of any block: its header, and every entry of its lists.
fn skinning_fields(bytes: &[u8]) -> Vec<Field> {
    let skn = section(bytes, SectionKind::Skn);
    let at = |(name, offset, width): Part, start: usize| (name, start + offset, width);
    let mut fields: Vec<Field> = HEADER.into_iter().map(|part| at(part, skn)).collect();
    let lists: [(usize, usize, &[Part]); 3] = [(8, 0x40, &ONE), (0xC, 0x74, &TWO), (0x10, 0x44, &ADDED)];
    for (number, (pointer, size, parts)) in lists.into_iter().enumerate() {
        let count = usize::from(u16::from_be_bytes([bytes[skn + 2 * number], bytes[skn + 2 * number + 1]]));
        let start = skn + super::sweep::read(bytes, ("list", skn + pointer, 4)) as usize;
        let entries = (0..count).map(|index| start + size * index);
        fields.extend(entries.flat_map(|start| parts.iter().map(move |&part| at(part, start))));
    }
    fields
}

/// A field with one of its values, by numbers that may be any.
fn change(bytes: &[u8], fields: &[Field], (field, value): (usize, usize)) -> (Field, u64) {
    let field = fields[field % fields.len()];
    let values = values(super::sweep::read(bytes, field), field.2);
    (field, values[value % values.len()])
}

/// Numbers that are the same in every run: a shift register.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize
    }

    /// A field and one of its values.
    fn choice(&mut self) -> (usize, usize) {
        (self.next(), self.next())
    }
}

fn asked<T: FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

fn hold(good: &[u8], fields: &[Field]) {
    let mut numbers = Numbers(asked("SKINSIM_PAIRS_SEED", 77));
    let mut wrong = Vec::new();
    for _ in 0..asked("SKINSIM_PAIRS", PAIRS) {
        let mut bytes = good.to_vec();
        let changes = [numbers.choice(), numbers.choice()].map(|choice| change(good, fields, choice));
        for ((_, at, width), value) in changes {
            bytes[at..at + width].copy_from_slice(&value.to_be_bytes()[8 - width..]);
        }
        let told = contradictions(&findings(&bytes));
        let [one, other] = changes.map(|((name, at, _), value)| format!("{name} at {at:#x}: {value:#x}"));
        wrong.extend(told.into_iter().take(2).map(|text| format!("{one}, {other}: {text}")));
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_bad_effect_of_two_broken_fields_has_a_rule_that_answers_for_it() {
    hold(&fox(), &fields());
}

#[test]
fn two_broken_fields_of_any_entry_of_the_fox() {
    let good = fox();
    hold(&good, &skinning_fields(&good));
}

#[test]
fn two_broken_fields_of_a_model_with_accumulated_slots() {
    let good = everything();
    hold(&good, &skinning_fields(&good));
}
