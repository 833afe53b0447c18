use super::*;
use proptest::prelude::*;

/// A GPL with one skinned submesh of four vertices, its colour header right behind the array, and one
/// strip of four vertices by 16-bit position index.
fn sample() -> Vec<u8> {
    let mut bytes = vec![0; 0x100];
    let mut put = |offset: usize, data: &[u8]| bytes[offset..offset + data.len()].copy_from_slice(data);
    let word = |value: u32| value.to_be_bytes();
    put(0, &word(VERSION_APRIL_2001));
    put(0x0C, &word(1));
    put(0x10, &word(0x20));
    put(0x20, &word(0x40));
    put(0x24, &word(0x30));
    put(0x30, b"body\0");
    for (index, pointer) in [0x20u32, 0x50, 0, 0, 0x58].into_iter().enumerate() {
        put(0x40 + 4 * index, &word(pointer));
    }
    put(0x60, &[0, 0, 0, 0x40, 0, 4, 0x38, 6]); // positions at 0x80, 4 of them
    put(0x90, &[0, 0, 0, 0x50, 0, 1, 0x50, 4]);
    put(0x98, &word(0));
    put(0x9C, &word(0x68)); // states at 0xA8
    put(0xA0, &[0, 1]);
    put(0xA8, &[3, 0, 0, 0, 0, 0, 0, 0x0C, 0, 0, 0, 0x80, 0, 0, 0, 0x20]); // list at 0xC0
    put(0xC0, &[0, 0x98, 0, 4, 0, 0, 0, 1, 0, 2, 0, 3]);
    bytes
}

#[test]
fn layout_pointers_count_from_the_layout() {
    let bytes = sample();
    let gpl = Gpl::parse(&bytes).unwrap();
    let (submesh, _, position) = gpl.skinned().unwrap();
    assert_eq!((submesh.index, submesh.name.as_deref()), (0, Some("body")));
    assert_eq!(position.array_offset(), Some(0x80));
    assert_eq!(position.array_size(), Some(48));
    assert!(gpl.problems.is_empty());
}

#[test]
fn commands_that_share_bytes_end_with_the_steps() {
    let bytes = sample();
    let gpl = Gpl::parse(&bytes).unwrap();
    let layout = gpl.submeshes[0].layout.as_ref().unwrap();
    let list = layout.display_lists(gpl.header.version)[0];
    let mut commands = gpl.commands(layout, &list).flatten();
    let strip = commands.find(|command| matches!(command.kind, CommandKind::Draw(_))).unwrap();
    assert_eq!(strip.steps(), 5);
    let walked = within_limit(std::iter::repeat(strip)).count();
    assert_eq!(walked, (STEP_LIMIT - 1) / 5);
}

#[test]
fn a_strip_gives_triangles_of_alternating_winding() {
    let bytes = sample();
    let gpl = Gpl::parse(&bytes).unwrap();
    let layout = gpl.submeshes[0].layout.as_ref().unwrap();
    let list = layout.display_lists(gpl.header.version)[0];
    let commands: Vec<_> = gpl.commands(layout, &list).collect::<Result<_, _>>().unwrap();
    let primitive = commands
        .iter()
        .find_map(|command| match command.kind {
            CommandKind::Draw(primitive) => Some((command.offset, primitive)),
            _ => None,
        })
        .unwrap();
    assert_eq!(primitive.0, 0xC1);
    assert_eq!(primitive.1.triangles().collect::<Vec<_>>(), [[0, 1, 2], [2, 1, 3]]);
    let positions: Vec<_> = primitive.1.vertices().map(|vertex| vertex.index(Attribute::Position)).collect();
    assert_eq!(positions, [Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn headers_are_read_once_and_arrays_in_every_frame() {
    let bytes = sample();
    let gpl = Gpl::parse(&bytes).unwrap();
    let names = |when| {
        let all = structures(&gpl).into_iter().filter(move |structure| structure.read_when == when);
        all.map(|structure| structure.name()).collect::<Vec<_>>()
    };
    assert_eq!(
        names(ReadWhen::EveryFrame),
        [
            "submesh 0 position array",
            "submesh 0 colour array",
            "submesh 0 display-state list",
            "submesh 0 primitive list of state 0"
        ]
    );
    assert!(names(ReadWhen::Load).contains(&"submesh 0 colour header".to_owned()));
}

#[test]
fn a_layout_outside_is_a_problem_and_the_rest_stays_readable() {
    let mut bytes = sample();
    bytes[0x20..0x24].copy_from_slice(&0xFFFF_FFF0u32.to_be_bytes());
    let gpl = Gpl::parse(&bytes).unwrap();
    assert_eq!(gpl.submeshes[0].name.as_deref(), Some("body"));
    assert!(gpl.submeshes[0].layout.is_none());
    assert_eq!(
        gpl.problems[0].to_string(),
        "submesh 0 layout at offset 0x20: want 24 bytes at 0xfffffff0, have 0 of 256 bytes left"
    );
}

#[test]
fn a_primitive_longer_than_its_list_ends_the_walk_with_an_error() {
    let mut bytes = sample();
    bytes[0xC3] = 0xFF;
    let gpl = Gpl::parse(&bytes).unwrap();
    let layout = gpl.submeshes[0].layout.as_ref().unwrap();
    let list = layout.display_lists(gpl.header.version)[0];
    let results: Vec<_> = gpl.commands(layout, &list).collect();
    assert_eq!(results.len(), 2);
    assert!(results[1].as_ref().is_err_and(|error| error.what == "primitive of 255 vertices"));
}

proptest! {
    #[test]
    fn a_mutated_gpl_is_walked_without_panic_and_written_back_as_it_was(
        changes in proptest::collection::vec((0usize..0x100, any::<u8>()), 0..12),
        length in 0x14usize..0x101,
    ) {
        let mut bytes = sample();
        for (offset, value) in changes {
            bytes[offset] = value;
        }
        bytes.truncate(length);
        let gpl = Gpl::parse(&bytes).unwrap();
        for layout in gpl.submeshes.iter().filter_map(|submesh| submesh.layout.as_ref()) {
            for list in layout.display_lists(gpl.header.version) {
                for command in gpl.commands(layout, &list).flatten() {
                    if let CommandKind::Draw(primitive) = command.kind {
                        prop_assert_eq!(primitive.vertices().count(), usize::from(primitive.count));
                        prop_assert!(primitive.triangles().flatten().all(|n| n < primitive.count.into()));
                    }
                }
            }
        }
        prop_assert!(structures(&gpl).iter().all(|structure| structure.range.end <= bytes.len() as u64));
        prop_assert_eq!(gpl.to_bytes(), bytes);
    }
}
