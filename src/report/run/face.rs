//! Facial poses of a run: what was written, and whether it landed in the records that entries read.

use schemars::JsonSchema;
use serde::Serialize;

use super::hex;
use crate::c3::outcome::Outcome;
use crate::c3::rules::landing::{Landing, landings};
use crate::c3::rules::subject::Subject;

/// What the facial poses did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaceReport {
    /// The poses that are on.
    pub poses: Vec<FacePose>,
    /// Address of the mirror of the position array.
    pub mirror: String,
    /// Positions and normals written before every frame, those of other submeshes included.
    pub vectors: usize,
    /// The entries that skin these vertices.
    pub entries: Vec<FaceEntry>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
}

/// A pose that is on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FacePose {
    /// The object; null for every object that has it.
    pub object: Option<usize>,
    /// Its number.
    pub index: usize,
    /// Its weight.
    pub weight: f32,
}

/// Where the poses of one entry's vertices landed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaceEntry {
    /// `SK2[1]`.
    pub entry: String,
    /// Slots of the entry that are written.
    pub vertices: usize,
    /// The first of them.
    pub first: u64,
    /// Address of its source record.
    pub read_from: String,
    /// Address where its pose was written.
    pub written_to: String,
    /// Bytes from the record to the pose: 0 where they meet.
    pub off_by: i64,
    /// The same in words; null where they meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off_by_words: Option<String>,
    /// What was written over in place of the records.
    pub landed_in: Vec<String>,
}

impl FaceReport {
    /// The report of a run with facial poses; none for one without.
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let (face, skn) = (&outcome.simulation.face, outcome.model.skn.as_ref()?);
        if face.weights.is_empty() {
            return None;
        }
        let pose = |weight: &crate::c3::runtime::face::FaceWeight| FacePose {
            object: weight.object,
            index: weight.pose,
            weight: weight.weight,
        };
        let address = |offset: u64| hex(outcome.plan.skn.wrapping_add(offset as u32));
        let entry = |landing: Landing| FaceEntry {
            entry: landing.entry.to_string(),
            vertices: landing.slots.len(),
            first: landing.slots[0],
            read_from: address(landing.read_from),
            written_to: address(landing.written_to),
            off_by: landing.off_by(),
            off_by_words: (landing.off_by() != 0).then(|| landing.off_by_words()),
            landed_in: landing.reached,
        };
        Some(Self {
            poses: face.weights.iter().map(pose).collect(),
            mirror: address(skn.mirror_start()),
            vectors: face.writes.len(),
            entries: landings(&Subject::new(outcome.model), &face.slots).into_iter().map(entry).collect(),
            skipped: face.skipped.clone(),
        })
    }

    /// Lines for people.
    pub(super) fn text(&self) -> String {
        let poses: Vec<String> = self.poses.iter().map(FacePose::words).collect();
        let mut out = format!(
            "face       {}: {} positions and normals written, mirror at {}\n",
            poses.join(", "),
            self.vectors,
            self.mirror
        );
        for entry in &self.entries {
            out += &entry.text();
        }
        for skipped in &self.skipped {
            out.extend(["           left out: ", skipped, "\n"]);
        }
        out
    }
}

impl FacePose {
    fn words(&self) -> String {
        let object = self.object.map_or_else(String::new, |object| format!("object {object} "));
        format!("{object}pose {} at {}", self.index, self.weight)
    }
}

impl FaceEntry {
    fn text(&self) -> String {
        let vertices = if self.vertices == 1 { "vertex" } else { "vertices" };
        let (entry, count, first) = (&self.entry, self.vertices, self.first);
        match &self.off_by_words {
            None => format!("           {entry}: {count} {vertices} from slot {first}, in their records\n"),
            Some(off) => {
                let over = if self.landed_in.is_empty() { "nothing" } else { &self.landed_in.join(", ") };
                format!("           {entry}: {count} {vertices} from slot {first} land {off}, over {over}\n")
            }
        }
    }
}
