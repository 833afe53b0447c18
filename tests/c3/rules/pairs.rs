//! Two broken fields at once, a fixed sequence of pairs: every bad effect of the dry run has a rule that answers
//! for it.

use super::fields::{
    ACCUMULATION_INDEX, CLEAR_AND_FLUSH, Field, GEOMETRY, SKINNING_HEADER, sk1_entry, sk2_entry, skacc_entry,
};
use super::sweep::{contradictions, values};
use super::{ACT, STATES, bone, findings, fox};

/// Pairs that are tried.
const PAIRS: usize = 48;

/// Fields of every structure that a frame reads.
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

#[test]
fn every_bad_effect_of_two_broken_fields_has_a_rule_that_answers_for_it() {
    let (fields, good) = (fields(), fox());
    let mut numbers = Numbers(77);
    let mut wrong = Vec::new();
    for _ in 0..PAIRS {
        let mut bytes = good.clone();
        let changes = [numbers.choice(), numbers.choice()].map(|choice| change(&good, &fields, choice));
        for ((_, at, width), value) in changes {
            bytes[at..at + width].copy_from_slice(&value.to_be_bytes()[8 - width..]);
        }
        let told = contradictions(&findings(&bytes));
        let [one, other] = changes.map(|((name, at, _), value)| format!("{name} at {at:#x}: {value:#x}"));
        wrong.extend(told.into_iter().take(2).map(|text| format!("{one}, {other}: {text}")));
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
