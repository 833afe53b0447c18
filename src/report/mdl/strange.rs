//! What of a frame cannot be meant: numbers that are not finite, deltas that wrap at load.

use crate::mdl::format::half;
use crate::mdl::runtime::delta::{DeltaForm, DeltaReader};
use crate::mdl::runtime::face::Face;
use crate::mdl::runtime::frame::Frame;
use crate::mdl::runtime::options::Options;

/// Notes of one kind that are told; more are counted in one line.
const TOLD: usize = 32;

/// Notes of one kind, the first few of them.
pub(super) struct Capped {
    more: &'static str,
    notes: Vec<String>,
    left_out: usize,
}

impl Capped {
    /// None yet; `more` is what more of them are, behind their number.
    pub(super) fn new(more: &'static str) -> Self {
        Self { more, notes: Vec::new(), left_out: 0 }
    }

    /// Adds a note, which is only made where it is told.
    pub(super) fn push(&mut self, note: impl FnOnce() -> String) {
        if self.notes.len() < TOLD {
            self.notes.push(note());
        } else {
            self.left_out += 1;
        }
    }

    /// The notes and how many more there are.
    pub(super) fn into_notes(self) -> Vec<String> {
        let mut notes = self.notes;
        if self.left_out > 0 {
            notes.push(format!("{} {}", self.left_out, self.more));
        }
        notes
    }
}

/// The numbers of the frame that are not finite: weights, and of vertices every array that is told.
pub(super) fn count(face: &Face, frame: &Frame) -> usize {
    let vertices = &frame.vertices;
    let lanes = vertices.positions.as_flattened().iter().chain(vertices.normals.as_flattened());
    let lanes = lanes.chain(vertices.tangents.as_flattened()).chain(&vertices.wrinkle);
    let weights = [&frame.rule_weights, &frame.weights].into_iter().flatten();
    let strange = weights.chain(frame.delayed_weights.iter().flatten()).chain(lanes);
    debug_assert_eq!(face.stored.len(), vertices.positions.len());
    strange.filter(|value| !value.is_finite()).count()
}

/// The same in words: each flexdesc, and each mesh with its first vertex.
pub(super) fn notes(face: &Face, frame: &Frame) -> Vec<String> {
    let mut weights = Capped::new("more weights are not finite");
    for (index, (&weight, &rule)) in std::iter::zip(&frame.weights, &frame.rule_weights).enumerate() {
        if !(weight.is_finite() && rule.is_finite()) {
            weights.push(|| {
                let name = face.mdl.flexdesc_name(index as i32);
                format!("the weight of flexdesc {name} is {weight} ({rule} by its rule)")
            });
        }
    }
    let mut vertices = Capped::new("more meshes have vertices that are not finite");
    let moved = &frame.vertices;
    let finite =
        |lanes: Option<&[f32; 3]>| lanes.is_none_or(|lanes| lanes.iter().all(|lane| lane.is_finite()));
    for mesh in face.meshes() {
        let strange = |at: &usize| {
            let tangent =
                moved.tangents.get(*at).is_none_or(|lanes| lanes.iter().all(|lane| lane.is_finite()));
            let wrinkle = moved.wrinkle.get(*at).is_none_or(|value| value.is_finite());
            !(finite(moved.positions.get(*at)) && finite(moved.normals.get(*at)) && tangent && wrinkle)
        };
        let mut found = (mesh.first..mesh.first + mesh.count).filter(strange);
        if let Some(first) = found.next() {
            let more = found.count();
            vertices.push(|| {
                format!(
                    "mesh {} vertex {} is not finite: position {:?}, normal {:?}; {} of {} vertices",
                    mesh.name,
                    first - mesh.first,
                    moved.positions[first],
                    moved.normals[first],
                    more + 1,
                    mesh.count
                )
            });
        }
    }
    let mut notes = weights.into_notes();
    notes.extend(vertices.into_notes());
    notes
}

/// The deltas of each flex that the conversion at load wraps, in the models that are drawn.
pub(super) fn wraps(face: &Face, options: &Options) -> Vec<String> {
    let deltas = DeltaReader::new(&face.mdl.header, DeltaForm::Fixed);
    if options.delta == DeltaForm::Half || face.mdl.header.flexes_converted() {
        return Vec::new();
    }
    let mut notes = Capped::new("more flexes have deltas that wrap");
    for part in &face.parts {
        for (mesh, of) in std::iter::zip(&part.model.meshes, &part.meshes) {
            for (number, flex) in mesh.flexes.iter().enumerate() {
                let cells = flex.anims.iter().flat_map(|anim| {
                    let bits = anim.delta.into_iter().chain(anim.normal_delta);
                    bits.map(|bits| (anim.index, bits))
                });
                let mut wrapped = cells.filter(|&(_, bits)| deltas.wrapped(bits).is_some());
                let Some((vertex, bits)) = wrapped.next() else { continue };
                let count = wrapped.count() + 1;
                notes.push(|| {
                    format!(
                        "mesh {} flex {number} of flexdesc {}: the delta {} of vertex {vertex} wraps to {} at load; \
                         {count} in all",
                        of.name,
                        face.mdl.flexdesc_name(flex.flexdesc),
                        half::decode(bits),
                        deltas.value(bits)
                    )
                });
            }
        }
    }
    notes.into_notes()
}
