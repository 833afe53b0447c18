//! A frame of a face: one value, rendered as text or as JSON (`skinsim.flex/1`).

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::bytes::ReadResult;
use crate::finding::Severity;
use crate::mdl::format::vtx::Vtx;
use crate::mdl::format::vvd::Vvd;
use crate::mdl::runtime::controllers::in_range;
use crate::mdl::runtime::deform::Ramp;
use crate::mdl::runtime::delta::DeltaForm;
use crate::mdl::runtime::face::Face;
use crate::mdl::runtime::frame::Frame;
use crate::mdl::runtime::machine::{CountCheck, Sdk};
use crate::mdl::runtime::options::Options;
use crate::printable::printable;
use crate::report::words::plural;

use super::strange::Capped;

/// What `run` tells about a face. A number that is not finite is `null` in JSON.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlexRun {
    /// `skinsim.flex/1`.
    pub schema: &'static str,
    /// As named on the command line.
    pub model: String,
    /// Whether anything in the model can flex.
    pub has_flexes: bool,
    /// Which of the disputed readings the frame follows.
    pub followed: Followed,
    /// What the reader should know: instructions that did nothing, values out of range, what was left out.
    pub notes: Vec<String>,
    /// Weights, positions, normals, tangents and wrinkle values that are not finite.
    pub not_finite: usize,
    /// Error-level findings of the rules, which `check` tells.
    pub rule_errors: usize,
    /// Names of the controllers, in their order.
    pub controller_names: Vec<String>,
    /// Value of each controller, in its own range.
    pub controllers: Vec<f32>,
    /// Names of the flexdescs, in their order.
    pub flexdesc_names: Vec<String>,
    /// Weight of each flexdesc after the rules.
    pub rule_weights: Vec<f32>,
    /// The same after the eyelids.
    pub weights: Vec<f32>,
    /// Delayed weight of each flexdesc, when a frame before was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delayed_weights: Option<Vec<f32>>,
    /// Meshes in the order of their vertices.
    pub meshes: Vec<FlexMesh>,
    /// Position of each vertex, model's space.
    pub positions: Vec<[f32; 3]>,
    /// Unit normal of each vertex.
    pub normals: Vec<[f32; 3]>,
    /// Tangent and handedness of each vertex; empty when the model has none.
    pub tangents: Vec<[f32; 4]>,
    /// Wrinkle value of each vertex.
    pub wrinkle: Vec<f32>,
}

/// Which readings a frame follows.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Followed {
    /// `2025` or `older`: whose stack machine.
    pub sdk: &'static str,
    /// `controllers` or `depth`: what counts of COMBO and DOMINATE are compared with.
    pub count_check: &'static str,
    /// `fixed` or `half`: which deltas moved the vertices.
    pub delta: &'static str,
    /// `always` or `shortcut`.
    pub ramp: &'static str,
    /// Whether flexed vertices beyond 10,000 a mesh were left out.
    pub engine_limit: bool,
}

/// A mesh's vertices and what moved.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlexMesh {
    /// `body part / model / mesh number`.
    pub name: String,
    /// First vertex.
    pub first: usize,
    /// Number of vertices.
    pub count: usize,
    /// Vertices that a flex moved.
    pub flexed: usize,
    /// Farthest move by flexes and bones, in units.
    pub farthest: f32,
    /// Vertex that moved farthest, counted from the mesh's first; `null` when none moved.
    pub farthest_vertex: Option<usize>,
}

/// What lies beside the model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The vertices.
    pub vvd: Option<&'a Vvd<'a>>,
    /// The triangles, or why they cannot be read.
    pub vtx: Option<&'a ReadResult<Vtx>>,
}

impl FlexRun {
    /// Gathers what `run` tells.
    pub fn new(
        model: impl Into<String>,
        face: &Face,
        beside: Beside,
        options: &Options,
        frame: Frame,
    ) -> Self {
        let mdl = face.mdl;
        Self {
            schema: "skinsim.flex/1",
            model: model.into(),
            has_flexes: !mdl.has_no_flexes(),
            followed: followed(face, options),
            notes: notes(face, beside, options, &frame),
            not_finite: super::strange::count(face, &frame),
            rule_errors: rule_errors(face, beside),
            controller_names: mdl.controllers.iter().map(|controller| controller.name.clone()).collect(),
            flexdesc_names: mdl.flexdescs.iter().map(|desc| desc.name.clone()).collect(),
            meshes: meshes(face, &frame),
            controllers: frame.controllers,
            rule_weights: frame.rule_weights,
            weights: frame.weights,
            delayed_weights: frame.delayed_weights,
            positions: frame.vertices.positions,
            normals: frame.vertices.normals,
            tangents: frame.vertices.tangents,
            wrinkle: frame.vertices.wrinkle,
        }
    }
}

fn followed(face: &Face, options: &Options) -> Followed {
    Followed {
        sdk: match options.sdk {
            Sdk::Checked => "2025",
            Sdk::Unchecked => "older",
        },
        count_check: match options.count_check {
            CountCheck::Controllers => "controllers",
            CountCheck::Depth => "depth",
        },
        delta: match options.delta {
            DeltaForm::Half if !face.mdl.header.flexes_converted() => "half",
            DeltaForm::Half | DeltaForm::Fixed => "fixed",
        },
        ramp: match options.ramp {
            Ramp::Always => "always",
            Ramp::Shortcut => "shortcut",
        },
        engine_limit: options.engine_limit,
    }
}

/// What is missing beside the model and what follows, or what does not belong to it.
fn beside_notes(model: u32, beside: Beside) -> Vec<String> {
    let strange = |kind: &str, checksum: u32| {
        (checksum != model).then(|| {
            format!(
                "the {kind}'s checksum {checksum:#010x} is not the model's {model:#010x}: \
                 the engine does not load the pair"
            )
        })
    };
    let vvd = match beside.vvd {
        None => {
            let text = "no .vvd beside the model and none named by --vvd: weights only, \
                        no positions, normals or wrinkle values";
            Some(text.to_owned())
        }
        Some(vvd) => strange(".vvd", vvd.checksum),
    };
    let vtx = match beside.vtx {
        None => {
            let text = "no .vtx beside the model: no triangles, so export, snapshot and report have points; \
                        what stands here needs none";
            Some(text.to_owned())
        }
        Some(Err(error)) => Some(format!("the .vtx cannot be read, so there are no triangles: {error}")),
        Some(Ok(vtx)) => strange(".vtx", vtx.checksum),
    };
    vvd.into_iter().chain(vtx).collect()
}

fn notes(face: &Face, beside: Beside, options: &Options, frame: &Frame) -> Vec<String> {
    let mdl = face.mdl;
    let mut notes = beside_notes(mdl.header.checksum, beside);
    if options.delta == DeltaForm::Half && mdl.header.flexes_converted() {
        notes.push(
            "the file's deltas are fixed point already (flag 0x4000): no half floats to use".to_owned(),
        );
    }
    let mut outside = Capped::new("more controllers lie outside their range");
    for (controller, &value) in std::iter::zip(&mdl.controllers, &frame.controllers) {
        if !in_range(controller, value) {
            let (name, min, max) = (&controller.name, controller.min, controller.max);
            outside.push(|| format!("controller '{name}' = {value} lies outside its range {min} to {max}"));
        }
    }
    notes.extend(outside.into_notes());
    let mut refused = Capped::new("more instructions did nothing");
    for (rule, at, refusal) in &frame.refusals {
        refused.push(|| {
            let op = super::op_text(mdl, mdl.rules[*rule].ops[*at]);
            let desc = mdl.flexdesc_name(mdl.rules[*rule].flexdesc);
            format!("rule {rule} of flexdesc {desc}, op {at} {op}: did nothing: {refusal}")
        });
    }
    notes.extend(refused.into_notes());
    notes.extend(super::strange::wraps(face, options));
    notes.extend(super::strange::notes(face, frame));
    if frame.left_out > 0 {
        notes.push(format!("{} moves beyond 10,000 flexed vertices of a mesh were left out", frame.left_out));
    }
    notes
}

/// The rules' errors, as far as the files can be judged.
fn rule_errors(face: &Face, beside: Beside) -> usize {
    let findings = crate::mdl::rules::check(face.mdl, beside.vvd).unwrap_or_default();
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.count as usize).sum()
}

fn meshes(face: &Face, frame: &Frame) -> Vec<FlexMesh> {
    let moved = |at: usize| {
        let (rest, now) = (face.rest.positions[at], frame.vertices.positions[at]);
        std::iter::zip(rest, now).map(|(rest, now)| (now - rest) * (now - rest)).sum::<f32>().sqrt()
    };
    face.meshes()
        .map(|mesh| {
            let range = mesh.first..mesh.first + mesh.count;
            let farthest = range.clone().map(|at| (moved(at), at)).max_by(|a, b| a.0.total_cmp(&b.0));
            let farthest = farthest.filter(|&(distance, _)| distance != 0.0);
            FlexMesh {
                name: mesh.name.clone(),
                first: mesh.first,
                count: mesh.count,
                flexed: frame.vertices.flexed[range].iter().filter(|&&flexed| flexed).count(),
                farthest: farthest.map_or(0.0, |(distance, _)| distance),
                farthest_vertex: farthest.map(|(_, at)| at - mesh.first),
            }
        })
        .collect()
}

/// The same for people; `check` is the command that tells the findings.
pub fn text(run: &FlexRun, check: &str) -> String {
    let mut out = format!(
        "{}: {} controllers, {} flexdescs, {} vertices\n",
        printable(&run.model),
        run.controllers.len(),
        run.weights.len(),
        run.positions.len()
    );
    if !run.has_flexes {
        out.push_str("no flexes: nothing moves\n");
    }
    if !run.controllers.is_empty() {
        out.push_str("controllers:\n");
    }
    for (name, value) in std::iter::zip(&run.controller_names, &run.controllers) {
        let _ = writeln!(out, "  {} = {value}", printable(name));
    }
    weights(&mut out, run);
    for mesh in &run.meshes {
        let _ =
            write!(out, "mesh {}: {} of {} vertices flexed", printable(&mesh.name), mesh.flexed, mesh.count);
        let _ = match mesh.farthest_vertex {
            Some(vertex) => writeln!(out, ", farthest vertex {vertex} by {}", mesh.farthest),
            None => writeln!(out),
        };
    }
    let followed = &run.followed;
    let _ = writeln!(
        out,
        "followed: SDK {}, counts against {}, {} deltas, ramp {}",
        followed.sdk, followed.count_check, followed.delta, followed.ramp
    );
    if run.rule_errors > 0 {
        let _ = writeln!(
            out,
            "rules: {}, `{check}` tells {}",
            plural(run.rule_errors, "error"),
            if run.rule_errors == 1 { "it" } else { "them" }
        );
    }
    for note in &run.notes {
        let _ = writeln!(out, "note: {}", printable(note));
    }
    out
}

fn weights(out: &mut String, run: &FlexRun) {
    if run.weights.is_empty() {
        return;
    }
    out.push_str("weights (others are 0):\n");
    for (index, (&weight, &rule)) in std::iter::zip(&run.weights, &run.rule_weights).enumerate() {
        let name = printable(&run.flexdesc_names[index]);
        let _ = match (weight == 0.0 && rule == 0.0, weight.to_bits() == rule.to_bits()) {
            (true, _) => Ok(()),
            (false, true) => writeln!(out, "  {name} = {weight}"),
            (false, false) => writeln!(out, "  {name} = {weight}  (eyelid; {rule} by its rule)"),
        };
    }
}
