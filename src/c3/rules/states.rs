//! The display-state list: what the display code reads before it draws.

use super::codes;
use super::effects::Part;
use super::found::Found;
use super::subject::Subject;
use crate::c3::format::gpl::{DisplayHeader, VERSION_APRIL_2001};
use crate::finding::Effect;

/// States that the library and Super Sluggers know: texture, vertex descriptor, shader, matrix load, pixel
/// state, shader name. \[formats.md 1.4\]
const KNOWN: [u8; 6] = [1, 3, 4, 5, 6, 7];

/// States of a list that are looked at; a longer one is told by its count.
const STATE_LIMIT: usize = 4096;

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(gpl) = subject.gpl() else { return };
    for submesh in &gpl.submeshes {
        let Some(display) = submesh.layout.as_ref().and_then(|layout| layout.display.as_ref()) else {
            continue;
        };
        let name = format!("submesh {} display-state list", submesh.index);
        if display.state_list == 0 && display.state_count != 0 {
            found.push(nowhere(subject, &name, display));
            continue;
        }
        unaligned(subject, &name, display, found);
        for (number, state) in display.states.iter().enumerate().take(STATE_LIMIT) {
            let entry = || format!("submesh {} state {number}", submesh.index);
            let place = |field: u64| subject.gpl_place(state.offset + field).entry(entry());
            if state.primitive_list == 0 && state.list_size != 0 {
                let text = format!("it draws {:#x} bytes through a null pointer", state.list_size);
                let help = "point to the list, or set its size to 0";
                let place = place(8).field("primitive list");
                let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help);
                found.push(finding.part(Part::Draw).structure(name.clone()).not_decisive());
            }
            if gpl.header.version == VERSION_APRIL_2001 && !KNOWN.contains(&state.id) {
                let text = format!("state id {} is none that the library or Super Sluggers knows", state.id);
                let help = "want 1 texture, 3 vertex descriptor, 4 shader, 5 matrix load, 6 pixel state or 7 shader name";
                found.push(Found::new(&codes::DISPLAY_STATE_UNKNOWN, place(0).field("id"), text, help));
            }
        }
    }
}

/// A pointer of 0 is not relocated: the states that it counts are read from address 0.
fn nowhere(subject: &Subject, name: &str, display: &DisplayHeader) -> Found {
    let count = display.state_count;
    let text = format!(
        "the pointer to the {name} is 0, and {count} state{} counted",
        if count == 1 { " is" } else { "s are" }
    );
    let help = "point to the list, or set its count to 0";
    let place = subject.gpl_place(u64::from(display.offset) + 4).field("state list");
    let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help).part(Part::Draw);
    finding.always(Effect::Faults("the states are read from address 0, where nothing is".to_owned()))
}

fn unaligned(subject: &Subject, name: &str, display: &DisplayHeader, found: &mut Vec<Found>) {
    let start = display.state_list_offset();
    if display.state_count != 0 && !start.is_multiple_of(4) {
        let text = format!("the {name} lies at {start:#x}");
        let help = "states hold words: place their list on a multiple of 4";
        let place = subject.gpl_place(u64::from(display.offset) + 4).field("state list");
        found.push(Found::new(&codes::HEADER_UNALIGNED, place, text, help).unseen(super::gpl::UNREAD));
    }
}
