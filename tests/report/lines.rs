//! The line map.

use std::fmt::Write;

use skinsim::report::page::c3::lines::LineMap;
use skinsim::report::page::c3::marks;

use crate::support::{example, page_of, u16s, unpacked};

/// One letter a line, by owner.
const LETTERS: &[u8] = b".12acsHPNCTDLx";

/// Owners and what is remarkable, 32 lines a row, as far as `rows` rows.
fn drawn(map: &LineMap, rows: std::ops::Range<usize>) -> String {
    let (owners, marks) = (unpacked(&map.owners), u16s(&map.marks));
    let mut text = String::new();
    for row in rows {
        let lines = row * 32..(row * 32 + 32).min(owners.len());
        let owners = owners[lines.clone()].iter().map(|&owner| char::from(LETTERS[usize::from(owner)]));
        let marks = marks[lines].iter().map(|&marks| match marks {
            marks if marks & marks::CONFLICT != 0 => '!',
            marks if marks & marks::OVERWRITES != 0 => '#',
            marks if marks & marks::FAULTED != 0 => 'x',
            marks if marks & (marks::WRONG_ON_DOLPHIN | marks::WRONG_ON_CONSOLE) != 0 => '*',
            marks if marks & marks::WRITE_BACK != 0 => '+',
            _ => ' ',
        });
        let _ = writeln!(text, "{}", owners.collect::<String>());
        let _ = writeln!(text, "{}", marks.collect::<String>().trim_end());
    }
    text
}

fn map(name: &str) -> LineMap {
    page_of(&example(name)).lines.unwrap()
}

#[test]
fn the_fox_has_its_lists_one_after_the_other() {
    insta::assert_snapshot!(drawn(&map("fox"), 0..22));
}

#[test]
fn a_shared_line_is_a_conflict_of_its_two_entries() {
    let map = map("broken/shared-line");
    insta::assert_snapshot!(drawn(&map, 3..6));
    let conflicts = u16s(&map.marks).iter().position(|marks| marks & marks::CONFLICT != 0).unwrap();
    let names: Vec<&str> =
        map.writers[conflicts].iter().map(|&entry| map.entries[entry as usize].name.as_str()).collect();
    assert_eq!(names, ["SK1[4]", "SK1[5]"]);
}

#[test]
fn a_write_back_over_a_structure_is_marked_where_it_lies() {
    let map = map("broken/write-back");
    let marks = u16s(&map.marks);
    let line = marks.iter().position(|marks| marks & marks::OVERWRITES != 0).expect("a mark");
    let byte = line as u32 * 32;
    let reached = map.structures.iter().filter(|owner| owner.range[0] < byte + 32 && byte < owner.range[1]);
    assert!(reached.count() > 0);
    assert!(!map.writers[line].is_empty());
    let fox = self::map("fox");
    assert!(u16s(&fox.marks).iter().all(|marks| marks & (marks::OVERWRITES | marks::CONFLICT) == 0));
}

#[test]
fn the_frame_ends_at_the_entry_of_one_vertex() {
    let map = map("broken/one-vertex");
    let states: Vec<String> =
        map.entries.iter().take(4).map(|entry| serde_json::to_string(&entry.state).unwrap()).collect();
    assert_eq!(states, [r#""ran""#, r#""ran""#, r#""faulted""#, r#""not-reached""#]);
    let own = map.entries[2].own.unwrap();
    assert!(u16s(&map.marks)[(own[0] / 32) as usize] & marks::FAULTED != 0);
}

#[test]
fn the_bytes_are_those_of_memory_after_the_frame() {
    let bytes = example("fox");
    let page = page_of(&bytes);
    let map = page.lines.unwrap();
    assert_eq!(map.address, 0x80a0_00c0);
    assert_eq!(map.positions, [0, 1518 * 12]);
    let memory = unpacked(&map.bytes);
    assert_eq!(memory.len(), 32 * map.writers.len());
    let behind = (map.positions[1] as usize).next_multiple_of(32);
    assert_eq!(memory[behind..], bytes[0xc0 + behind..0xc0 + memory.len()]);
    assert_ne!(memory[..behind], bytes[0xc0..0xc0 + behind], "the pose moved the vertices");
}
