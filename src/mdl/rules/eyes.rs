//! Eyeballs whose lids flexes drive.

use super::{
    EYEBALL_BONE, EYEBALL_FLEXDESC, EYEBALL_RADIUS, EYEBALL_TARGET, EYEBALL_VECTORS, Findings, exists, wrong,
};
use crate::finding::{Effect, Place};
use crate::mdl::format::Mdl;
use crate::mdl::format::eyeball::{Eyeball, Lid};

pub(super) fn check(mdl: &Mdl, findings: &mut Findings) {
    for model in mdl.models() {
        for (index, eye) in model.eyeballs.iter().enumerate() {
            let place = || {
                let entry = format!("eyeball {index} '{}' of {}", eye.name, model.name);
                Place::section("eyeballs").entry(entry).offset(eye.offset)
            };
            if !exists(eye.bone, mdl.bones.len()) {
                findings.add(
                    &EYEBALL_BONE,
                    place().field("bone"),
                    format!("bone {} of {}", eye.bone, mdl.bones.len()),
                    Effect::Faults("the engine reads a matrix outside the skeleton".to_owned()),
                    "Attach the eyeball to an existing bone",
                );
            }
            // An eye that is not FACS leaves its lids alone, whatever they name.
            if !eye.non_facs {
                radius(eye, &place, findings);
                vectors(eye, &place, findings);
                lid(mdl, "upper", &eye.upper, eye.radius, &place, findings);
                lid(mdl, "lower", &eye.lower, eye.radius, &place, findings);
            }
        }
    }
}

fn radius(eye: &Eyeball, place: &impl Fn() -> Place, findings: &mut Findings) {
    if !(eye.radius > 0.0 && eye.radius.is_finite()) {
        findings.add(
            &EYEBALL_RADIUS,
            place().field("radius"),
            format!("radius {}", eye.radius),
            wrong("the lids' angles are undefined"),
            "Give the eyeball its radius in units",
        );
    }
}

/// Where the eye is and which way it looks: the lids' heights are measured along them.
fn vectors(eye: &Eyeball, place: &impl Fn() -> Place, findings: &mut Findings) {
    for (field, vector, is_direction) in
        [("org", eye.origin, false), ("up", eye.up, true), ("forward", eye.forward, true)]
    {
        let nowhere = is_direction && vector == [0.0; 3];
        if nowhere || !vector.iter().all(|value| value.is_finite()) {
            let want = if is_direction { "a finite direction" } else { "a finite point" };
            findings.add(
                &EYEBALL_VECTORS,
                place().field(field),
                format!("{field} {vector:?}, want {want}"),
                wrong("the eye is aimed nowhere, and what its lids do is undefined"),
                "Give the eyeball its place and its axes; compile the model again",
            );
        }
    }
}

fn lid(mdl: &Mdl, side: &str, lid: &Lid, radius: f32, place: &impl Fn() -> Place, findings: &mut Findings) {
    let shapes = lid.flexdescs.iter().map(|&index| (index, format!("{side}flexdesc")));
    for (index, field) in shapes.chain([(lid.lid_flexdesc, format!("{side}lidflexdesc"))]) {
        if !exists(index, mdl.flexdescs.len()) {
            findings.add(
                &EYEBALL_FLEXDESC,
                place().field(field),
                format!("flexdesc {index} of {}", mdl.flexdescs.len()),
                Effect::Overwrites(
                    "memory beside the weights: the engine does not check the index".to_owned(),
                ),
                "Give the eyeball its eyelid command, or mark it as not FACS",
            );
        }
    }
    for (index, target) in lid.targets.iter().enumerate() {
        if radius > 0.0 && target.abs() > radius {
            findings.add(
                &EYEBALL_TARGET,
                place().field(format!("{side}target[{index}]")),
                format!("height {target} beyond the radius {radius}: it counts as the radius"),
                wrong("the lid stops at the pole of the eye"),
                "Targets are heights over the eye's centre, in units",
            );
        }
    }
}
