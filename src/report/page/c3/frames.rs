//! Running the frames that a page shows: at rest, and in the poses after.

use super::geometry::{Attributes, Frames, Geometry, Shape};
use super::weights;
use crate::c3::dry_run::ideal::Ideal;
use crate::c3::format::skn::{EntryId, STRIDE};
use crate::c3::mesh::Topology;
use crate::c3::outcome::Outcome;
use crate::c3::poses::{FramePose, Poses};
use crate::c3::rules::subject::Subject;
use crate::c3::runtime::load::{LoadError, LoadPlan};
use crate::c3::runtime::simulation::RunOptions;
use crate::mesh::Mesh;

/// Marks a vertex of which nobody can say where it should be.
const NO_IDEAL: u16 = u16::MAX;

/// A model whose frames are to be run.
pub struct Played<'p, 's, 'm, 'a> {
    /// The model, with what its rules derive from it.
    pub subject: &'p Subject<'m, 'a>,
    /// Its triangles.
    pub topology: &'s Topology,
    /// Where it goes.
    pub plan: LoadPlan<'a>,
    /// The machine.
    pub options: RunOptions,
    /// Its entries in the order of a frame.
    pub entries: &'p [EntryId],
}

impl<'m, 'a> Played<'_, '_, 'm, 'a> {
    /// The geometry of all frames, and the model after the last.
    ///
    /// # Errors
    /// When memory does not hold the model.
    pub fn geometry(&self, rest: FramePose, posed: Poses) -> Result<(Geometry, Outcome<'m, 'a>), LoadError> {
        let ideal = Ideal::new(self.subject, &[]);
        let model = self.subject.model;
        let run = |poses, after: &mut dyn FnMut(&Outcome)| {
            Outcome::run_observed(model, self.plan.clone(), self.options, poses, |outcome| after(outcome))
        };
        let at_rest = run(Poses::still("rest", rest, 1), &mut |_| ())?;
        let mesh = self.topology.mesh(&at_rest);
        let rest = self.shape("rest".to_owned(), &mesh, &at_rest, &ideal);
        let mut frames = Frames::new(mesh.positions.len());
        let posed_name = posed.name.clone();
        let outcome = run(posed, &mut |outcome| {
            frames.push(|number| {
                let name = format!("{posed_name}, frame {number}");
                self.shape(name, &self.topology.mesh(outcome), outcome, &ideal)
            });
        })?;
        let skinned = self.topology.skinned_vertices();
        let attributes = Attributes {
            slots: [skinned.start, skinned.len()],
            error_unit: ideal.unit().recip() as f32,
            influences: weights::influences(self.subject, self.entries, mesh.positions.len(), &skinned),
            bone_names: Vec::new(),
        };
        Ok((Geometry::new(&mesh, rest, frames, attributes), outcome))
    }

    fn shape(&self, name: String, mesh: &Mesh, outcome: &Outcome, ideal: &Ideal) -> Shape {
        let errors = self.errors(outcome, ideal, mesh.positions.len());
        Shape { name, positions: mesh.positions.clone(), errors }
    }

    /// How far each vertex lies from its ideal; nothing after a frame that was cut off.
    fn errors(&self, outcome: &Outcome, ideal: &Ideal, vertices: usize) -> Option<Vec<u16>> {
        if outcome.has_ended() {
            return None;
        }
        let memory = outcome.simulation.position_bytes()?;
        let skinned = self.topology.skinned_vertices();
        let mut errors = vec![NO_IDEAL; vertices];
        for ideal in ideal.slots(&outcome.pose.skin) {
            let start = ideal.slot as usize * STRIDE as usize;
            let vertex = skinned.start + ideal.slot as usize;
            let (Some(bytes), Some(error)) = (memory.get(start..start + 6), errors.get_mut(vertex)) else {
                continue;
            };
            let stored = bytes.chunks_exact(2).map(|pair| f64::from(i16::from_be_bytes([pair[0], pair[1]])));
            let farthest =
                stored.zip(ideal.value).map(|(have, want)| (have - want).abs()).fold(0.0, f64::max);
            *error = farthest.round().min(f64::from(NO_IDEAL - 1)) as u16;
        }
        Some(errors)
    }
}
