//! The page of a MDL: the face with a slider for every controller.

pub mod face;

use super::finding::PageFinding;
use super::geometry::{Attributes, Frames, Geometry, Influence, Influences, Shape};
use super::table::{Table, numbers, words};
use super::{PageModel, verdict};
use crate::bytes::{ReadError, ReadResult};
use crate::finding::ModelReport;
use crate::mdl::format::Mdl;
use crate::mdl::format::vvd::{Vertex, Vvd};
use crate::mdl::runtime::face::Face;
use crate::mdl::{self, Options};
use crate::mesh::Mesh;
use face::PageFace;

/// What weights of a vertex sum to.
const WHOLE: u16 = 65_535;

/// Draws up the page of a model; without vertices there is no mesh.
///
/// # Errors
/// When a file cannot be read, or the vertices do not fit the model.
pub fn page(name: String, bytes: &[u8], vvd: Option<&[u8]>, options: &Options) -> ReadResult<PageModel> {
    let mdl = Mdl::read(bytes)?;
    let vertices = vvd.map(Vvd::read).transpose()?;
    let face = Face::new(&mdl, vertices.as_ref(), options)?;
    let report = ModelReport::new(name.clone(), mdl::check(bytes, vvd, options.vtx.as_deref())?);
    let mesh = vvd.map(|vvd| mdl::mesh(bytes, Some(vvd), options)).transpose()?;
    let verdict = verdict::of_findings("Game", &report.findings);
    Ok(PageModel {
        kind: "MDL",
        verdicts: vec![verdict],
        facts: facts(&mdl, &face, mesh.as_ref()),
        lines: None,
        geometry: mesh.map(|mesh| geometry(&mdl, &face, &mesh)),
        findings: report
            .findings
            .iter()
            .map(|finding| PageFinding::new(finding, std::iter::empty(), Vec::new()))
            .collect(),
        tables: vec![controllers(&mdl), rules(&mdl), bones(&mdl)],
        face: (!mdl.has_no_flexes()).then(|| PageFace::new(&face, options)),
        pose_error: None,
        name,
    })
}

/// What a page cannot show: it moves the sliders of a first frame at the rest pose.
///
/// # Errors
/// When the options ask for something else.
pub fn showable(options: &Options) -> ReadResult<()> {
    let refuse =
        |what: &str| Err(ReadError::new("report of a MDL", 0, "the first frame at the rest pose", what));
    match (&options.skin, &options.delay) {
        (Some(_), _) => refuse("--pose or --matrices"),
        (_, Some(_)) => refuse("--before"),
        (None, None) => Ok(()),
    }
}

fn facts(mdl: &Mdl, face: &Face, mesh: Option<&Mesh>) -> Vec<(String, String)> {
    let flexes: usize = face.meshes().map(|mesh| mesh.flexes.len()).sum();
    let mut facts = vec![
        ("version".to_owned(), mdl.header.version.to_string()),
        ("controllers".to_owned(), mdl.controllers.len().to_string()),
        ("rules".to_owned(), mdl.rules.len().to_string()),
        ("flexdescs".to_owned(), mdl.flexdescs.len().to_string()),
        ("flexes".to_owned(), if mdl.has_no_flexes() { "no flexes".to_owned() } else { flexes.to_string() }),
    ];
    match mesh {
        None => facts.push(("not shown".to_owned(), "no .vvd beside the model, so no vertices".to_owned())),
        Some(mesh) => {
            facts.push(("vertices".to_owned(), mesh.positions.len().to_string()));
            if mesh.triangles().next().is_none() {
                facts.push(("surface".to_owned(), "no .vtx beside the model: points only".to_owned()));
            }
        }
    }
    facts
}

fn geometry(mdl: &Mdl, face: &Face, mesh: &Mesh) -> Geometry {
    let shape = Shape { name: "rest".to_owned(), positions: face.rest.positions.clone(), errors: None };
    let by_vertex: Vec<Vec<Influence>> = face.stored.iter().map(influences).collect();
    let attributes = Attributes {
        influences: Influences::new(&by_vertex, WHOLE),
        bone_names: mdl.bones.iter().map(|bone| bone.name.clone()).collect(),
        ..Attributes::default()
    };
    Geometry::new(mesh, shape, Frames::new(mesh.positions.len()), attributes)
}

fn influences(vertex: &Vertex) -> Vec<Influence> {
    let parts = vertex.influences();
    parts
        .map(|(bone, weight)| Influence {
            entry: 0,
            bone: bone.into(),
            weight: (weight.clamp(0.0, 1.0) * f32::from(WHOLE)).round() as u16,
        })
        .collect()
}

fn controllers(mdl: &Mdl) -> Table {
    let columns = [numbers("controller"), words("name"), words("group"), numbers("from"), numbers("to")];
    let rows = mdl.controllers.iter().enumerate().map(|(number, controller)| {
        let range = [controller.min.to_string(), controller.max.to_string()];
        [vec![number.to_string(), controller.name.clone(), controller.kind.clone()], range.to_vec()].concat()
    });
    Table::new("Controllers", &columns, rows)
}

fn rules(mdl: &Mdl) -> Table {
    let rows = mdl.rules.iter().enumerate().map(|(number, rule)| {
        let program: Vec<String> = rule.ops.iter().map(ToString::to_string).collect();
        vec![number.to_string(), mdl.flexdesc_name(rule.flexdesc), program.join(", ")]
    });
    Table::new("Rules", &[numbers("rule"), words("sets"), words("program")], rows)
}

fn bones(mdl: &Mdl) -> Table {
    let rows = mdl.bones.iter().enumerate().map(|(number, bone)| vec![number.to_string(), bone.name.clone()]);
    Table::new("Bones", &[numbers("bone"), words("name")], rows)
}
