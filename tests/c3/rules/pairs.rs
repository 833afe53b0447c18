//! Two broken fields at once, a fixed sequence of pairs: every bad effect of the dry run has a rule that answers
//! for it.

use super::sweep::{Field, contradictions, values};
use super::{ACT, COLOUR_HEADER, GPL, POSITION_HEADER, SKN, STATES, bone, findings, fox, sk1, sk2, skacc};

/// Pairs that are tried.
const PAIRS: usize = 48;

/// Fields of every structure that a frame reads.
fn fields() -> Vec<Field> {
    let one = |index| {
        let at = sk1(index);
        [
            ("SK1 source", at + 0x30, 4),
            ("SK1 destination", at + 0x34, 4),
            ("SK1 bone", at + 0x38, 2),
            ("SK1 count", at + 0x3A, 2),
            ("SK1 vertex offset", at + 0x3C, 1),
        ]
    };
    let two = |index| {
        let at = sk2(index);
        [
            ("SK2 source", at + 0x60, 4),
            ("SK2 weights", at + 0x64, 4),
            ("SK2 destination", at + 0x68, 4),
            ("SK2 bone", at + 0x6E, 2),
            ("SK2 count", at + 0x70, 2),
            ("SK2 vertex offset", at + 0x72, 1),
        ]
    };
    let added = |index| {
        let at = skacc(index);
        [
            ("SKAcc source", at + 0x30, 4),
            ("SKAcc indices", at + 0x34, 4),
            ("SKAcc base", at + 0x38, 4),
            ("SKAcc weights", at + 0x3C, 4),
            ("SKAcc bone", at + 0x40, 2),
            ("SKAcc count", at + 0x42, 2),
        ]
    };
    let header = [
        ("SK1 count", SKN, 2),
        ("SK2 count", SKN + 2, 2),
        ("SKAcc count", SKN + 4, 2),
        ("shift", SKN + 6, 1),
        ("SK1 list", SKN + 8, 4),
        ("SK2 list", SKN + 0xC, 4),
        ("SKAcc list", SKN + 0x10, 4),
        ("clear start", SKN + 0x14, 4),
        ("clear size", SKN + 0x18, 4),
        ("flush list", SKN + 0x1C, 4),
        ("flush count", SKN + 0x20, 4),
        ("flush index", SKN + 0x55E0, 2),
        ("SKAcc index", SKN + 0x5EE0, 2),
    ];
    let drawn = [
        ("layout", GPL + 0x20, 4),
        ("position header", GPL + 0x40, 4),
        ("display header", GPL + 0x50, 4),
        ("position array", POSITION_HEADER, 4),
        ("position count", POSITION_HEADER + 4, 2),
        ("position quantize", POSITION_HEADER + 6, 1),
        ("colour array", COLOUR_HEADER, 4),
        ("states", COLOUR_HEADER + 0x10, 4),
        ("state count", COLOUR_HEADER + 0x14, 2),
        ("setting", STATES + 4, 4),
        ("primitive list", STATES + 0x18, 4),
        ("list size", STATES + 0x1C, 4),
        ("bone count", ACT + 6, 2),
        ("control", bone(5), 4),
        ("child", bone(5) + 0x10, 4),
        ("GPL", 4, 4),
        ("SKN", 0x10, 4),
    ];
    let lists = [one(3), one(14)].into_iter().flatten();
    let lists = lists.chain([two(3), two(20)].into_iter().flatten());
    lists.chain([added(0), added(2)].into_iter().flatten()).chain(header).chain(drawn).collect()
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
