//! Tables and primitive lists of the fox, each broken in one way.

use skinsim::c3::model::Model;

use super::super::every::{ONE, plan, texture};
use super::super::written::Plan;
use super::super::{COLOUR_HEADER, GPL, POSITION_HEADER, PRIMITIVES, SKN, STATES, bone, changed, findings};
use super::{Faults, Unknown, Want, Wrong, all_hold, error, hold, note, warning};

/// The list that the fox is drawn from.
const LIST: &str = "submesh 0 primitive list of state 1";

#[test]
fn number_types_and_component_counts() {
    let stops = Faults("the library stops: unknown quantization type");
    let place = |offset| ("GPL", "", offset);
    all_hold(&[
        (&[(POSITION_HEADER + 6, &[0x78])], &[error("quantize-unknown", place(POSITION_HEADER + 6), stops)]),
        (&[(POSITION_HEADER + 6, &[0x58])], &[error("quantize-unknown", place(POSITION_HEADER + 6), stops)]),
        (&[(COLOUR_HEADER + 6, &[0x60])], &[error("quantize-unknown", place(COLOUR_HEADER + 6), stops)]),
        (
            &[(POSITION_HEADER + 7, &[4])],
            &[error("components-unsupported", place(POSITION_HEADER + 7), Wrong("vertex format"))],
        ),
        (
            &[(POSITION_HEADER + 6, &[0x48])],
            &[error("skinned-positions-not-s16", place(POSITION_HEADER + 6), Wrong("another type"))],
        ),
        (
            &[(POSITION_HEADER + 6, &[0x28])],
            &[error("skinned-positions-not-s16", place(POSITION_HEADER + 6), Wrong("another type"))],
        ),
    ]);
}

#[test]
fn the_skinned_submesh() {
    let table = ("GPL", "", GPL + 0x10);
    // Destinations stay offsets: transfers go to the bottom of physical memory, and accumulation to addresses
    // that nothing maps, slot 899 at 0x2a24 first.
    let nowhere = error("no-skinned-submesh", table, Faults("Invalid read from 0x00002a24, PC = 0x805241c8"))
        .console(Faults("reads 0x00002a24"));
    all_hold(&[
        (&[(POSITION_HEADER + 7, &[3])], &[nowhere]),
        // A bit more in the shift doubles every translation.
        (
            &[(POSITION_HEADER + 6, &[0x37])],
            &[error("shift-mismatch", ("GPL", "", POSITION_HEADER + 6), Wrong("slots"))],
        ),
        (
            &[(POSITION_HEADER + 6, &[0x3A])],
            &[error("shift-mismatch", ("GPL", "", POSITION_HEADER + 6), Wrong("slots"))],
        ),
        // 40 is -24 in the register, 0 and 32 lose the translations as well.
        (&[(SKN + 6, &[40])], &[error("shift-out-of-range", ("SKN", "", SKN + 6), Wrong("slots"))]),
        (&[(SKN + 6, &[32])], &[error("shift-out-of-range", ("SKN", "", SKN + 6), Wrong("slots"))]),
        (&[(SKN + 6, &[0])], &[error("shift-out-of-range", ("SKN", "", SKN + 6), Wrong("slots"))]),
        // The array 12 bytes on: into a line. The low bits make the last store longer, over the state list.
        (
            &[(POSITION_HEADER, &[0, 0, 0, 0x6C])],
            &[error("positions-unaligned", ("GPL", "", POSITION_HEADER), Faults("PC 8052ec90"))
                .console(Faults("(draw +0x2f4)"))],
        ),
    ]);
}

#[test]
fn headers_off_their_words() {
    // The colour header's pointer counts from the layout at 0x40.
    let place = ("GPL", "", GPL + 0x44);
    let unread = Unknown("frames read words wherever they lie");
    all_hold(&[(&[(GPL + 0x44, &[0, 0, 0x47, 0xC1])], &[error("header-unaligned", place, unread)])]);
}

#[test]
fn primitive_lists() {
    let place = |offset| ("GPL", LIST, offset);
    all_hold(&[
        (
            &[(PRIMITIVES + 3, &[0x7F, 0xFF])],
            &[error("primitive-index", place(PRIMITIVES + 3), Wrong("behind the array"))],
        ),
        // The count itself is the first index that is none.
        (
            &[(PRIMITIVES + 3, &[0x05, 0xEE])],
            &[error("primitive-index", place(PRIMITIVES + 3), Wrong("behind the array"))],
        ),
        // The index of vertex 7.
        (
            &[(PRIMITIVES + 17, &[0x7F, 0xFF])],
            &[error("primitive-index", place(PRIMITIVES + 17), Wrong("behind the array"))],
        ),
        (
            &[(PRIMITIVES + 1, &[0xFF, 0xFF])],
            &[error("primitive-overrun", place(PRIMITIVES + 3), Wrong("behind the list"))],
        ),
        (&[(PRIMITIVES, &[0xFF])], &[error("primitive-opcode", place(PRIMITIVES), Wrong("drawing stops"))]),
        (
            &[(STATES + 0x18, &[0, 0, 0x48, 0x04])],
            &[error("primitive-list-unaligned", place(STATES + 0x18), Wrong("the line before"))],
        ),
        (
            &[(STATES + 0x1C, &[0, 0, 0x0D, 0x9C])],
            &[error("primitive-list-length", place(STATES + 0x1C), Wrong("the end of the list"))],
        ),
        (
            &[(STATES + 4, &[0, 0, 0, 0x04])],
            &[error("descriptor-direct", place(STATES + 4), Wrong("taken for values"))],
        ),
        (
            &[(STATES + 4, &[0, 0, 0, 0x08])],
            &[error("descriptor-index-width", place(STATES + 4), Wrong("from 256 on"))],
        ),
        (&[(PRIMITIVES + 0xD9F, &[1])], &[note("primitive-trailing-data", place(PRIMITIVES + 0xD9F))]),
    ]);
}

#[test]
fn owners_of_submeshes() {
    let record = |number| ("ACT", number, 0);
    let at = |want: Want, offset| Want { offset, ..want };
    all_hold(&[
        (&[(bone(5) + 0x14, &[0, 0])], &[at(warning("geo-owns-skinned", record("bone 5")), bone(5) + 0x14)]),
        (
            &[(bone(5) + 0x14, &[0, 1])],
            &[at(error("geo-out-of-range", record("bone 5"), Faults("descriptor")), bone(5) + 0x14)],
        ),
        (
            &[(bone(5) + 0x14, &[0xFF, 0xFE])],
            &[at(error("geo-out-of-range", record("bone 5"), Faults("descriptor")), bone(5) + 0x14)],
        ),
    ]);
}

#[test]
fn an_array_at_a_null_pointer_is_told_where_it_is_drawn() {
    let drawn = Plan { palette: Some("name"), ..plan(&[ONE]) };
    let mut bytes = drawn.write().block(Some(&texture()));
    let pointer = {
        let model = Model::from_block(&bytes).unwrap();
        let gpl = model.gpl.as_ref().unwrap();
        gpl.view().base() + u64::from(gpl.submeshes[0].layout.as_ref().unwrap().textures[0].offset)
    };
    bytes[pointer as usize..pointer as usize + 4].fill(0);
    let want = error("out-of-bounds", ("GPL", "", pointer as usize), Wrong("bottom of memory"));
    assert_eq!(hold(&bytes, &[want]), [""; 0]);
    // The fox's vertices have no colour index.
    let told = findings(&changed(&[(COLOUR_HEADER, &[0; 4])]));
    assert!(told.iter().all(|one| one.code.name != "out-of-bounds"), "{told:?}");
}
