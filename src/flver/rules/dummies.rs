//! Dummy points.

use crate::finding::Place;
use crate::flver::format::{Dummy, Flver};

use super::codes;
use super::findings::Findings;

/// Largest |cos| of the angle of two vectors that count as perpendicular.
const PERPENDICULAR: f64 = 0.01;

/// Every rule about dummy points.
pub fn check(flver: &Flver, findings: &mut Findings) {
    for (index, dummy) in flver.dummies.iter().enumerate() {
        let place = |field: &str| {
            Place::section("dummies")
                .entry(format!("dummy {index} (reference {})", dummy.reference_id))
                .field(field)
                .offset(dummy.offset)
        };
        for (field, bone) in [("parent bone", dummy.parent_bone), ("attach bone", dummy.attach_bone)] {
            let valid = bone == -1 || usize::try_from(bone).is_ok_and(|bone| bone < flver.nodes.len());
            if !valid {
                let text = format!("{field} is {bone}, outside the {} nodes", flver.nodes.len());
                findings.add(&codes::DUMMY_BONE_RANGE, place(field), text);
            }
        }
        if dummy.use_upward != 1 {
            let text = format!("use-upward byte is {}", dummy.use_upward);
            findings.add(&codes::DUMMY_USE_UPWARD, place("0x2f"), text);
        }
        if flag_is_odd(dummy, flver.nodes.len()) {
            let text = format!("byte 0x2e is {} with attach bone {}", dummy.flag, dummy.attach_bone);
            findings.add(&codes::DUMMY_FLAG, place("0x2e"), text);
        }
        let alpha = dummy.alpha(flver.header.version);
        if alpha != 255 {
            findings.add(&codes::DUMMY_ALPHA, place("colour"), format!("alpha is {alpha}"));
        }
        if let Some(cosine) = cosine(dummy).filter(|cosine| cosine.abs() > PERPENDICULAR) {
            let text = format!("forward {:?} and upward {:?}: cos {cosine:.3}", dummy.forward, dummy.upward);
            findings.add(&codes::DUMMY_VECTORS, place("vectors"), text);
        }
        if !dummy.reserved_zero {
            findings.add(&codes::RESERVED, place("0x38"), "8 reserved bytes are not all zero");
        }
        if ![dummy.position, dummy.forward, dummy.upward].iter().flatten().all(|value| value.is_finite()) {
            let text = format!(
                "position {:?}, forward {:?}, upward {:?}",
                dummy.position, dummy.forward, dummy.upward
            );
            findings.add(&codes::NOT_FINITE, place("position"), text);
        }
    }
}

/// The flag says whether an attach bone is set, except that models of one node may leave it 0.
fn flag_is_odd(dummy: &Dummy, nodes: usize) -> bool {
    let attached = dummy.attach_bone != -1;
    let shipped_exception = nodes == 1 && dummy.flag == 0 && dummy.attach_bone == 0;
    dummy.flag != u8::from(attached) && !shipped_exception
}

/// Cosine of the angle of the two vectors; `None` where one has no length.
fn cosine(dummy: &Dummy) -> Option<f64> {
    let dot = |a: &[f32; 3], b: &[f32; 3]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let lengths = (dot(&dummy.forward, &dummy.forward) * dot(&dummy.upward, &dummy.upward)).sqrt();
    (lengths > 0.0 && lengths.is_finite()).then(|| dot(&dummy.forward, &dummy.upward) / lengths)
}
