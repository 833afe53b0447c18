//! The block's table, version words, and whatever reaches past its section.

use super::arrays::VariableArray;
use super::codes;
use super::effects::Part;
use super::found::{Found, Reach};
use super::subject::Subject;
use crate::bytes::ReadError;
use crate::c3::format::block::{HEADER_SIZE, Section, SectionKind};
use crate::c3::format::gpl::{self, ArrayKind, DisplayHeader};
use crate::c3::format::skn::EntryId;
use crate::finding::{Code, Effect, Place, Severity};

/// The version word that ACT and ANM files share.
const VERSION_ACTOR: u32 = 0x007B_7960;

/// Why no frame shows what becomes of a block whose table is wrong.
const UNLOADED: &str =
    "frames skin what can be read of the block: what the game makes of its table is not shown";

/// Why no frame shows what becomes of a section off a line.
const UNSKINNED: &str = "skinning does not read the section: what the game makes of it is not shown";

/// Why no frame shows what the two unknown pointers of a block do.
const UNKNOWN_POINTER: &str = "every known block has 0 there: what would read it is not known";

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    block_header(subject, found);
    section_order(subject, found);
    sections_unaligned(subject, found);
    gpl_version(subject, found);
    actor_versions(subject, found);
    out_of_bounds(subject, found);
    length_differs(subject, found);
}

fn block_header(subject: &Subject, found: &mut Vec<Found>) {
    let Some(block) = &subject.model.block else { return };
    let mut report = |field: &str, offset: u64, text: String| {
        let place = subject.place("block header", offset).field(field);
        let help = "restore the section table of the model that this block was made from";
        found.push(Found::new(&codes::BLOCK_HEADER, place, text, help).unseen(UNLOADED));
    };
    if block.header[0] != 0 {
        report("first word", 0, format!("the first word is {:#010x}, not 0", block.header[0]));
    }
    for section in block.sections().iter().filter(|section| !section.is_inside()) {
        let (name, offset, total) = (section.kind.name(), section.offset, block.total());
        let text = format!("the {name} pointer is {offset:#x}, outside {HEADER_SIZE:#x}..{total:#x}");
        report(name, section.kind.header_offset(), text);
    }
    for kind in [SectionKind::Gpl, SectionKind::Act] {
        if block.section(kind).is_none() {
            report(kind.name(), kind.header_offset(), format!("there is no {} section", kind.name()));
        }
    }
    for section in block.sections().iter().filter(|section| section.kind != SectionKind::Ptr6) {
        let Some(holder) = section.inside.and_then(|holder| block.section(holder)) else { continue };
        let (name, offset, range) = (section.kind.name(), section.offset, holder.range());
        let text = format!(
            "the {name} pointer is {offset:#x}, in the middle of {} at {:#x}..{:#x}, and nothing of its kind lies there",
            holder.kind.name(),
            range.start,
            range.end
        );
        let place = subject.place("block header", section.kind.header_offset()).field(name);
        let help = "point it at its section, or set it to 0 when there is none";
        let finding = Found::new(&codes::BLOCK_HEADER, place, text, help);
        found.push(match section.kind {
            SectionKind::Ptr8 => finding.severity(Severity::Warning).unseen(UNKNOWN_POINTER),
            _ => finding.spoils("what lies there is taken for the section"),
        });
    }
    if let Some(section) = block.section(SectionKind::Ptr6).filter(|section| section.is_inside()) {
        let text = format!("the sixth pointer is {:#x}; every known block has 0 there", section.offset);
        let place = subject.place("block header", section.kind.header_offset()).field("ptr6");
        let finding =
            Found::new(&codes::BLOCK_HEADER, place, text, "set it to 0: what it would name is not known");
        found.push(finding.severity(Severity::Warning));
    }
}

fn section_order(subject: &Subject, found: &mut Vec<Found>) {
    const USUAL: [SectionKind; 5] =
        [SectionKind::Gpl, SectionKind::Act, SectionKind::Tex, SectionKind::Skn, SectionKind::Facial];
    let Some(block) = &subject.model.block else { return };
    // A pointer that leads out of the block is told by itself.
    let sections = USUAL.iter().filter_map(|&kind| block.section(kind));
    let sections: Vec<&Section> = sections.filter(|section| section.is_inside()).collect();
    for pair in sections.windows(2).filter(|pair| pair[1].offset <= pair[0].offset) {
        let (before, after) = (pair[0], pair[1]);
        let text = format!(
            "{} at {:#x} does not follow {} at {:#x}",
            after.kind.name(),
            after.offset,
            before.kind.name(),
            before.offset
        );
        let place = subject.place("block header", after.kind.header_offset()).field(after.kind.name());
        let help = "lay the sections out as GPL, ACT, TEX, SKN, facial: every known block does";
        found.push(Found::new(&codes::SECTION_ORDER, place, text, help));
    }
}

fn sections_unaligned(subject: &Subject, found: &mut Vec<Found>) {
    let sections = subject.model.block.iter().flat_map(|block| block.sections().iter());
    for section in sections.filter(|section| section.is_inside() && section.offset % 32 != 0) {
        let name = section.kind.name();
        let text = format!(
            "{name} begins at {:#x}, {} bytes into a cache line",
            section.offset,
            section.offset % 32
        );
        let place = subject.place("block header", section.kind.header_offset()).field(name);
        let help = "begin every section on a multiple of 32 bytes";
        let finding = Found::new(&codes::SECTION_UNALIGNED, place, text, help);
        // Transfers take whole lines: whatever skinning reads or writes there is displaced.
        found.push(match section.kind {
            SectionKind::Gpl | SectionKind::Skn => finding.slots(0..u64::from(u32::MAX)).not_decisive(),
            _ => finding.unseen(UNSKINNED),
        });
    }
}

fn gpl_version(subject: &Subject, found: &mut Vec<Found>) {
    let Some(version) = subject.gpl().map(|gpl| gpl.header.version) else { return };
    let who = match version {
        gpl::VERSION_APRIL_2001 => return,
        gpl::VERSION_OLD | 0 if subject.model.block.is_none() => return,
        gpl::VERSION_OLD => {
            "the older library of Superstar Baseball and Harvest Moon uses it; the library \
                             that reads these blocks stops at any other word than its own"
        }
        0 => "two field packs of Superstar Baseball have it; the library that reads these blocks refuses it",
        0x0018_4300 | 0x0001_4300 => "some sections of Superstar Baseball have it; their layout is not known",
        _ => "no known library uses it",
    };
    let text = format!("GPL version {version} ({version:#010x}): {who}");
    let help = format!(
        "want {} ({:#010x}: Super Sluggers, Bully) or {} ({:#010x}: Superstar Baseball)",
        gpl::VERSION_APRIL_2001,
        gpl::VERSION_APRIL_2001,
        gpl::VERSION_OLD,
        gpl::VERSION_OLD
    );
    let place = subject.gpl_place(0).field("version");
    found.push(Found::new(&codes::VERSION_UNKNOWN, place, text, help).always(refused()));
}

fn refused() -> Effect {
    Effect::Faults("the library compares the word and stops the game".to_owned())
}

fn actor_versions(subject: &Subject, found: &mut Vec<Found>) {
    for (name, view) in [("ACT", subject.model.act), ("ANM", subject.model.anm)] {
        let Some(view) = view else { continue };
        let version = match view.u32(0, name) {
            // A header that is not whole is told by itself.
            Ok(VERSION_ACTOR) | Err(_) => continue,
            Ok(version) => version,
        };
        let who = match version {
            0x0132_1AFD | 0x0132_40DB => "tools for Super Sluggers write it",
            0x00AC_7472 => "a game like Harvest Moon has it",
            gpl::VERSION_APRIL_2001 | gpl::VERSION_OLD => "it is a GPL's",
            _ if name == "ANM" => {
                "no known library uses it: this is no animation bank, and nothing more is told of it"
            }
            _ => "no known library uses it",
        };
        let place = subject.place(name, view.base()).field("version");
        let text = format!("{name} version {version} ({version:#010x}): {who}");
        let help = format!("want {VERSION_ACTOR} ({VERSION_ACTOR:#010x}), the only word the library takes");
        found.push(Found::new(&codes::VERSION_UNKNOWN, place, text, help).always(refused()));
    }
}

/// Whether a file's version word is that of an animation bank, as some game or tool writes it. \[formats.md 1.6\]
pub(super) fn is_bank(version: u32) -> bool {
    matches!(version, VERSION_ACTOR | 0x0132_1AFD | 0x0132_40DB | 0x00AC_7472)
}

/// Turns a read that failed into a finding.
pub(super) fn unreadable(subject: &Subject, code: &'static Code, section: &str, error: &ReadError) -> Found {
    let place = subject.place(section, error.offset).field(error.what.clone());
    let text = format!("{}: want {}, have {}", error.what, error.want, error.have);
    let help = "correct the offset or count, or restore the bytes that were cut off";
    Found::new(code, place, text, help)
}

/// What reading past a section does.
pub(super) const BEHIND: &str = "what lies behind the section is taken for it";

/// The parts of a frame that read what a problem names.
fn parts_of(what: &str) -> &'static [Part] {
    match what {
        "SK1 list" | "SK2 list" | "SKAcc list" => &[Part::Load, Part::Entry],
        "flush indices" => &[Part::Flush],
        what if what.contains("display") => &[Part::Draw],
        _ => &[],
    }
}

fn out_of_bounds(subject: &Subject, found: &mut Vec<Found>) {
    let model = subject.model;
    let sections = [
        ("GPL", model.gpl.as_ref().map(|gpl| &gpl.problems)),
        ("SKN", model.skn.as_ref().map(|skn| &skn.problems)),
        ("block", Some(&model.problems)),
    ];
    for (section, problems) in sections {
        for problem in problems.into_iter().flatten() {
            let finding = unreadable(subject, &codes::OUT_OF_BOUNDS, section, problem);
            let finding = match problem.what.as_str() {
                "flush indices" => super::flush::unread(subject, finding),
                _ => finding.spoils(BEHIND),
            };
            found.push(parts_of(&problem.what).iter().fold(finding, |finding, part| finding.part(*part)));
        }
    }
    for problem in model.tex.iter().flat_map(|tex| &tex.problems) {
        found.push(unreadable(subject, &codes::TEXTURE_OUT_OF_BOUNDS, "TEX", problem).spoils(BEHIND));
    }
    arrays_out_of_bounds(subject, found);
    skn_arrays_out_of_bounds(subject, found);
}

/// Arrays and lists of the GPL that its section does not hold whole.
fn arrays_out_of_bounds(subject: &Subject, found: &mut Vec<Found>) {
    let Some(gpl) = subject.gpl() else { return };
    let length = gpl.view().len();
    let mut report = |what: String, pointer: u64, (start, size): (u64, u64), is_skinned: bool| {
        if start.saturating_add(size) <= length {
            return;
        }
        let text = format!("{what}: want {size:#x} bytes at {start:#x}, have a GPL of {length:#x} bytes");
        let help = "correct the pointer or the count";
        let finding = Found::new(&codes::OUT_OF_BOUNDS, subject.gpl_place(pointer).field(what), text, help);
        if size == 0 {
            found.push(finding.harmless().decisive());
            return;
        }
        let finding = finding.part(Part::Draw).spoils(BEHIND);
        found.push(if is_skinned { finding.reach(Reach::Everything) } else { finding });
    };
    let mut banks = Vec::new();
    let header = &gpl.header;
    report("user data".into(), 8, (header.user_data.into(), header.user_data_size.into()), false);
    for submesh in &gpl.submeshes {
        let Some(layout) = &submesh.layout else { continue };
        let index = submesh.index;
        let arrays =
            layout.position.iter().chain(&layout.colour).chain(&layout.textures).chain(&layout.lighting);
        for array in arrays {
            let (name, pointer) = (array.kind.name(), u64::from(array.offset));
            if let Some(bytes) = array.array_offset().zip(array.array_size()) {
                let is_skinned = array.kind == ArrayKind::Position && layout.is_skinned();
                report(format!("submesh {index} {name} array"), pointer, bytes, is_skinned);
            }
            if let Some(start) = array.palette_name_offset() {
                report(format!("submesh {index} {name} palette name"), pointer + 8, (start, 1), false);
            }
        }
        let is_header =
            |display: &&DisplayHeader| display.primitive_bank != 0 && display.offset.is_multiple_of(4);
        if let Some(display) = layout.display.as_ref().filter(is_header) {
            primitive_bank(subject, index, display, length, &mut banks);
        }
        for list in layout.display_lists(gpl.header.version) {
            let what = format!("submesh {index} primitive list of state {}", list.state);
            // The processor drops the low bits of the address.
            let start = list.offset.saturating_sub((gpl.view().base() + list.offset) % 32);
            report(what, list.pointer, (start, list.size.into()), false);
        }
    }
    found.append(&mut banks);
}

/// Where the primitive lists of a submesh are said to begin.
fn primitive_bank(
    subject: &Subject,
    submesh: u32,
    display: &DisplayHeader,
    length: u64,
    found: &mut Vec<Found>,
) {
    let start = u64::from(display.layout.wrapping_add(display.primitive_bank));
    if start < length {
        return;
    }
    let what = format!("submesh {submesh} primitive bank");
    let text = format!("{what}: want bytes at {start:#x}, have a GPL of {length:#x} bytes");
    let help = "point it at the first primitive list, or set it to 0";
    let place = subject.gpl_place(display.offset.into()).field("primitive bank");
    let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help);
    found.push(finding.unseen("no frame reads it: states point at their lists themselves"));
}

/// Arrays of SKN entries that the section does not hold whole.
fn skn_arrays_out_of_bounds(subject: &Subject, found: &mut Vec<Found>) {
    let Some(skn) = subject.skn() else { return };
    let length = skn.view().len();
    for array in super::arrays::variable_arrays(subject) {
        let Some(entry) = array.entry.filter(|_| !array.range.is_empty()) else { continue };
        let field = array.kind.name();
        if array.range.end <= length {
            if u64::from(array.pointer) != array.range.start {
                found.push(pointer_wraps(subject, entry, &array));
            }
            continue;
        }
        let text = format!(
            "its {field}: want {:#x} bytes at {:#x}, have an SKN of {length:#x} bytes",
            array.range.end - array.range.start,
            array.range.start
        );
        let help = format!("point the {field} into the section, or correct the count");
        let place = super::arrays::place(subject, &array);
        let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help).entry(entry).array(array.kind);
        found.push(finding.slots(super::entry_slots(subject, entry)).spoils(BEHIND).not_decisive());
    }
}

/// A pointer past the section that a transfer takes for one into it.
fn pointer_wraps(subject: &Subject, entry: EntryId, array: &VariableArray) -> Found {
    let field = array.kind.name();
    let text = format!(
        "its {field} lie at {:#x}, past the end of the SKN; a transfer keeps 29 bits of an address and reads {:#x}",
        array.pointer, array.range.start
    );
    let help = format!("point the {field} into the section");
    let place = super::arrays::place(subject, array);
    let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help).entry(entry).array(array.kind);
    finding.slots(super::entry_slots(subject, entry))
}

fn length_differs(subject: &Subject, found: &mut Vec<Found>) {
    let blocks = (subject.model.block.as_ref(), subject.donor.and_then(|donor| donor.block.as_ref()));
    let (Some(block), Some(donor)) = blocks else { return };
    let (have, want) = (block.total(), donor.total());
    if have != want {
        let text = format!("the block has {have:#x} bytes, the donor {want:#x}");
        let help = "an archive patched in place needs the donor's length; relocated blocks need their directory \
                    entry to agree";
        found.push(Found::new(&codes::LENGTH_DIFFERS, Place::section("block"), text, help));
    }
}
