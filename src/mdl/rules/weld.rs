//! Vertices on one point that a flex moves apart: the surface tears there. And vertices of bones that
//! do not exist.

use std::collections::{BTreeMap, HashMap};

use super::{
    COINCIDENT_SEPARATED, Findings, VERTEX_BONE, VERTEX_NOT_FINITE, exists, finding, first_few, repeated,
    wrong,
};
use crate::finding::Place;
use crate::mdl::runtime::face::{Face, FaceFlex, FacePart};

/// Gaps up to this are no tear anyone sees, in units (a fifth of a millimetre in the game's scale).
const VISIBLE_GAP: f32 = 0.01;

/// What is one shape to the eye: the flexes of all meshes of a model that follow the same weights.
type Shape = (usize, Option<usize>, [u32; 4]);

/// How a vertex moves with the flexdesc and with its pair, both full.
type Moves = [[f32; 3]; 2];

pub(super) fn check(face: &Face, findings: &mut Findings) {
    for part in &face.parts {
        let points = Points::of(face, part);
        for (shape, moves) in shapes(part) {
            if let Some(tear) = points.tear(&moves) {
                report(face, part, shape, &tear, findings);
            }
        }
        bones(face, part, findings);
        finite(face, part, findings);
    }
}

/// Points that several vertices of a model share.
struct Points {
    /// By vertex, the shared point it lies on.
    of: HashMap<usize, usize>,
    /// By shared point, its vertices.
    vertices: Vec<Vec<usize>>,
}

impl Points {
    fn of(face: &Face, part: &FacePart) -> Self {
        let mut by_position: HashMap<[u32; 3], Vec<usize>> = HashMap::new();
        for mesh in &part.meshes {
            for at in mesh.first..mesh.first + mesh.count {
                // Adding 0 makes -0 the same point as 0.
                let position = face.rest.positions[at].map(|value| (value + 0.0).to_bits());
                by_position.entry(position).or_default().push(at);
            }
        }
        let mut vertices: Vec<Vec<usize>> =
            by_position.into_values().filter(|vertices| vertices.len() > 1).collect();
        vertices.sort_unstable();
        let of = vertices
            .iter()
            .enumerate()
            .flat_map(|(point, vertices)| vertices.iter().map(move |&at| (at, point)));
        Self { of: of.collect(), vertices }
    }

    /// The shared points that moves tear apart.
    fn tear(&self, moves: &BTreeMap<usize, Moves>) -> Option<Tear> {
        let touched: std::collections::BTreeSet<usize> =
            moves.keys().filter_map(|vertex| self.of.get(vertex)).copied().collect();
        let mut tear = Tear { widest: 0.0, torn: Vec::new() };
        for point in touched {
            let vertices = &self.vertices[point];
            let at = |vertex: &usize| moves.get(vertex).copied().unwrap_or_default();
            let first = at(&vertices[0]);
            let gap = vertices[1..].iter().map(|vertex| gap(first, at(vertex))).fold(0.0, f32::max);
            if gap > VISIBLE_GAP {
                tear.widest = tear.widest.max(gap);
                tear.torn.push(vertices[0]);
            }
        }
        (!tear.torn.is_empty()).then_some(tear)
    }
}

struct Tear {
    widest: f32,
    /// A vertex of each torn point.
    torn: Vec<usize>,
}

/// How far apart two moves are, on the worse side.
fn gap(a: Moves, b: Moves) -> f32 {
    let distance = |side: usize| {
        let square = |axis: usize| (a[side][axis] - b[side][axis]).powi(2);
        (square(0) + square(1) + square(2)).sqrt()
    };
    distance(0).max(distance(1))
}

/// By shape, how each of its vertices moves.
fn shapes(part: &FacePart) -> BTreeMap<Shape, BTreeMap<usize, Moves>> {
    let mut shapes: BTreeMap<Shape, BTreeMap<usize, Moves>> = BTreeMap::new();
    for flex in part.meshes.iter().flat_map(|mesh| &mesh.flexes) {
        let FaceFlex { flexdesc, pair, targets, anims } = flex;
        let shape = shapes.entry((*flexdesc, *pair, targets.map(f32::to_bits))).or_default();
        for anim in anims {
            let moves = shape.entry(anim.vertex).or_default();
            let shares = if pair.is_some() { [1.0 - anim.side, anim.side] } else { [1.0, 0.0] };
            for (moves, share) in std::iter::zip(moves, shares) {
                std::iter::zip(moves, anim.delta).for_each(|(value, delta)| *value += delta * share);
            }
        }
    }
    shapes
}

fn report(face: &Face, part: &FacePart, shape: Shape, tear: &Tear, findings: &mut Findings) {
    let (flexdesc, ..) = shape;
    let place = Place::section("flexes")
        .entry(format!("{} flexdesc {}", part.model.name, face.mdl.flexdesc_name(flexdesc as i32)))
        .offset(part.model.offset);
    let count = tear.torn.len();
    let where_torn = first_few(tear.torn.iter().map(|&at| vertex_name(part, at)), count);
    let tear = finding(
        &COINCIDENT_SEPARATED,
        place,
        format!("{count} points tear open, the widest by {} units: at {where_torn}", tear.widest),
        wrong("gaps show when the shape is active, or a vertex sticks while its neighbours move"),
        "Move all vertices of a seam alike; a compiler may have merged or dropped some of the shape's",
    );
    findings.push(repeated(tear, count));
}

/// `vertex N of mesh M`, counted as the file does.
fn vertex_name(part: &FacePart, at: usize) -> String {
    let mesh =
        part.meshes.iter().enumerate().find(|(_, mesh)| (mesh.first..mesh.first + mesh.count).contains(&at));
    match mesh {
        Some((index, mesh)) => format!("vertex {} of mesh {index}", at - mesh.first),
        None => format!("vertex {at}"),
    }
}

fn bones(face: &Face, part: &FacePart, findings: &mut Findings) {
    let missing: Vec<usize> = part
        .meshes
        .iter()
        .flat_map(|mesh| mesh.first..mesh.first + mesh.count)
        .filter(|&at| {
            let vertex = &face.stored[at];
            let bones = vertex.bones.iter().take(usize::from(vertex.bone_count));
            bones.into_iter().any(|&bone| !exists(i32::from(bone), face.mdl.bones.len()))
        })
        .collect();
    if let Some(&first) = missing.first() {
        let finding = finding(
            &VERTEX_BONE,
            Place::section("models").entry(part.model.name.clone()).offset(part.model.offset),
            format!("{} vertices, the first {}", missing.len(), vertex_name(part, first)),
            wrong("the engine reads a matrix outside the skeleton"),
            "Use the .vvd of the same compile, or compile the model again",
        );
        findings.push(repeated(finding, missing.len()));
    }
}

fn finite(face: &Face, part: &FacePart, findings: &mut Findings) {
    let numbers = |at: &usize| face.rest.positions[*at].iter().chain(&face.rest.normals[*at]);
    let vertices = part.meshes.iter().flat_map(|mesh| mesh.first..mesh.first + mesh.count);
    let strange: Vec<usize> = vertices.filter(|at| !numbers(at).all(|number| number.is_finite())).collect();
    if let Some(&first) = strange.first() {
        let (position, normal) = (face.rest.positions[first], face.rest.normals[first]);
        let name = vertex_name(part, first);
        let finding = finding(
            &VERTEX_NOT_FINITE,
            Place::section("models").entry(part.model.name.clone()).offset(part.model.offset),
            format!("{} vertices, the first {name}: position {position:?}, normal {normal:?}", strange.len()),
            wrong("triangles at the vertex vanish or cross the screen"),
            "Use the .vvd of the same compile, or compile the model again",
        );
        findings.push(repeated(finding, strange.len()));
    }
}
