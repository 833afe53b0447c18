//! The controller UI: whether its entries lead to controllers. Presentation only, so never an error.

use super::{Findings, UI_NWAY_VALUE, UI_OUTSIDE, UI_REMAP, wrong};
use crate::finding::Place;
use crate::mdl::format::Mdl;
use crate::mdl::format::flex::{ControllerUi, Remap};

pub(super) fn check(mdl: &Mdl, findings: &mut Findings) {
    for (index, ui) in mdl.controller_ui.iter().enumerate() {
        let place = || {
            Place::section("controller UI").entry(format!("entry {index} '{}'", ui.name)).offset(ui.offset)
        };
        for (slot, name) in used_slots(ui) {
            let leads = mdl.ui_controller(ui, ui.indices[slot]);
            // The value controller of an N-way slider has a code of its own.
            if leads.is_none() && name != VALUE {
                findings.add(
                    &UI_OUTSIDE,
                    place().field(format!("szindex{slot}")),
                    format!(
                        "the {name} controller's offset {} from the entry is no controller's",
                        ui.indices[slot]
                    ),
                    wrong("the face poser reads other memory as a controller"),
                    "Compile the model again; the offset counts from the UI entry itself",
                );
            }
        }
        if ui.remap == Remap::NWay {
            value_controller(mdl, ui, place(), findings);
        }
        if let Remap::Unknown(kind) = ui.remap {
            findings.add(
                &UI_REMAP,
                place().field("remaptype"),
                format!("remap type {kind}, want 0 to 3"),
                wrong("the face poser shows no usable slider"),
                "Compile the model again",
            );
        }
    }
}

const VALUE: &str = "value";

/// Which of the three indices count, and as what: stereo entries have a left and a right one.
fn used_slots(ui: &ControllerUi) -> impl Iterator<Item = (usize, &'static str)> {
    let sides: &[_] = if ui.stereo { &[(0, "left"), (1, "right")] } else { &[(0, "only")] };
    let value: &[_] = if ui.remap == Remap::NWay { &[(2, VALUE)] } else { &[] };
    sides.iter().chain(value).copied()
}

fn value_controller(mdl: &Mdl, ui: &ControllerUi, place: Place, findings: &mut Findings) {
    let value = mdl.ui_controller(ui, ui.indices[2]);
    let text = match value {
        None => format!("the value controller's offset {} from the entry is no controller's", ui.indices[2]),
        Some(at) if Some(at) == mdl.ui_controller(ui, ui.indices[0]) => {
            format!("the value controller '{}' is the shape's own", mdl.controllers[at].name)
        }
        Some(_) => return,
    };
    findings.add(
        &UI_NWAY_VALUE,
        place.field("szindex2"),
        text,
        wrong("the slider sticks to one shape"),
        "Give the N-way control its value controller",
    );
}
