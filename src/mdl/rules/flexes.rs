//! Flexes of meshes: what they follow, and the deltas as the engine will read them.

use std::collections::BTreeSet;

use super::{
    DELTA_NOT_FINITE, DELTA_WRAPS, FLEX_FLEXDESC, FLEX_KIND, FLEX_TARGETS, FLEXED_VERTEX_LIMIT, Findings,
    STEREO_ONE_SIDED, STEREO_WITHOUT_PAIR, VERTANIM_BEYOND_LOD, exists, finding, first_few, repeated, wrong,
};
use crate::finding::{Effect, Place};
use crate::mdl::format::Mdl;
use crate::mdl::format::half;
use crate::mdl::format::mesh::{Flex, Mesh};
use crate::mdl::runtime::deform::FLEXED_VERTEX_LIMIT as ENGINE_LIMIT;
use crate::mdl::runtime::delta::{DeltaForm, DeltaReader};

pub(super) fn check(mdl: &Mdl, findings: &mut Findings) {
    let deltas = DeltaReader::new(&mdl.header, DeltaForm::Fixed);
    for model in mdl.models() {
        for (index, mesh) in model.meshes.iter().enumerate() {
            let name = format!("{} mesh {index}", model.name);
            flexed_vertices(mesh, &name, findings);
            for (number, flex) in mesh.flexes.iter().enumerate() {
                let entry = format!("{name} flex {number} '{}'", mdl.flexdesc_name(flex.flexdesc));
                let place = || Place::section("flexes").entry(entry.clone()).offset(flex.offset);
                follows(mdl, flex, &place, findings);
                sides(flex, &place, findings);
                indices(mesh, flex, &place, findings);
                values(&deltas, mdl.header.flexes_converted(), flex, &place, findings);
            }
        }
    }
}

fn flexed_vertices(mesh: &Mesh, name: &str, findings: &mut Findings) {
    let flexed: BTreeSet<u16> =
        mesh.flexes.iter().flat_map(|flex| &flex.anims).map(|anim| anim.index).collect();
    if flexed.len() > ENGINE_LIMIT {
        findings.add(
            &FLEXED_VERTEX_LIMIT,
            Place::section("flexes").entry(name).offset(mesh.offset),
            format!("{} vertices flex, the engine's buffer holds {ENGINE_LIMIT}", flexed.len()),
            wrong("with enough flexes active, the vertices that come last stay frozen"),
            "Split the mesh by material, or flex fewer vertices",
        );
    }
}

fn follows(mdl: &Mdl, flex: &Flex, place: &impl Fn() -> Place, findings: &mut Findings) {
    let descs = [("flexdesc", flex.flexdesc), ("flexpair", flex.pair)];
    for (field, index) in descs.into_iter().filter(|&(_, index)| !exists(index, mdl.flexdescs.len())) {
        // Pair 0 is "none", whether or not a flexdesc 0 exists.
        if field == "flexpair" && index == 0 {
            continue;
        }
        findings.add(
            &FLEX_FLEXDESC,
            place().field(field),
            format!("flexdesc {index} of {}", mdl.flexdescs.len()),
            wrong("the engine reads another value as the weight; here the shape is left out"),
            "Name an existing flexdesc; compile the model again",
        );
    }
    let [t0, t1, t2, t3] = flex.targets;
    if !(t0 <= t1 && t1 <= t2 && t2 <= t3) {
        findings.add(
            &FLEX_TARGETS,
            place().field("target"),
            format!("targets {:?}, want them ascending", flex.targets),
            wrong("the shape shows at the wrong weights or never"),
            "Usual targets are 0, 1, 10, 11",
        );
    }
    if flex.anim_type > 1 {
        findings.add(
            &FLEX_KIND,
            place().field("vertanimtype"),
            format!("type {}, want 0 (normal) or 1 (wrinkle); read as normal", flex.anim_type),
            wrong("entries of another size are read as 16 bytes each"),
            "Compile the model again",
        );
    }
}

fn sides(flex: &Flex, place: &impl Fn() -> Place, findings: &mut Findings) {
    let sides: BTreeSet<u8> = flex.anims.iter().map(|anim| anim.side).collect();
    let one = sides.first().filter(|_| sides.len() == 1);
    if let (true, Some(&side)) = (flex.pair != 0, one) {
        let what = match side {
            0 => "only the first flexdesc moves anything".to_owned(),
            255 => "only the pair's flexdesc moves anything".to_owned(),
            _ => format!("both move everything, the pair by {side}/255"),
        };
        findings.add(
            &STEREO_ONE_SIDED,
            place().field("side"),
            format!("all {} vertices have the side byte {side}: {what}", flex.anims.len()),
            wrong("left and right do not move apart"),
            "Split the shape at the middle when exporting, or compile it as one side",
        );
    } else if flex.pair == 0 && sides.len() > 1 {
        findings.add(
            &STEREO_WITHOUT_PAIR,
            place().field("flexpair"),
            format!("{} different side bytes and no pair: they have no effect", sides.len()),
            Effect::None,
            "Name the other side's flexdesc if the shape should be split",
        );
    }
}

fn indices(mesh: &Mesh, flex: &Flex, place: &impl Fn() -> Place, findings: &mut Findings) {
    let active = mesh.lod_vertex_counts[0].min(mesh.vertex_count);
    let beyond = || flex.anims.iter().filter(|anim| i32::from(anim.index) >= active);
    if let Some(first) = beyond().next() {
        let count = beyond().count();
        let indices = first_few(beyond().map(|anim| anim.index.to_string()), count);
        let finding = finding(
            &VERTANIM_BEYOND_LOD,
            place().field("index").vertex(u32::from(first.index)),
            format!("the mesh has {active} vertices at its finest level; indices {indices}"),
            wrong("those vertices do not move"),
            "Compile the model again: indices count from the mesh's first vertex",
        );
        findings.push(repeated(finding, count));
    }
}

/// One number of a delta, and where it stands.
struct Cell {
    vertex: u16,
    what: &'static str,
    axis: &'static str,
    bits: u16,
}

fn cells(flex: &Flex) -> impl Iterator<Item = Cell> {
    flex.anims.iter().flat_map(|anim| {
        let triple = |what: &'static str, bits: [u16; 3]| {
            let vertex = anim.index;
            std::iter::zip(["x", "y", "z"], bits).map(move |(axis, bits)| Cell { vertex, what, axis, bits })
        };
        triple("delta", anim.delta).chain(triple("ndelta", anim.normal_delta))
    })
}

/// Deltas that the conversion at load spoils.
fn values(
    deltas: &DeltaReader,
    converted: bool,
    flex: &Flex,
    place: &impl Fn() -> Place,
    findings: &mut Findings,
) {
    if converted {
        return;
    }
    let wrapped = |cell: &Cell| deltas.wrapped(cell.bits).is_some();
    let text = |cell: Cell| {
        let Cell { vertex, what, axis, bits } = cell;
        format!("vertex {vertex} {what} {axis} {} becomes {}", half::decode(bits), deltas.value(bits))
    };
    if let Some(first) = cells(flex).find(wrapped) {
        let count = cells(flex).filter(wrapped).count();
        let finding = finding(
            &DELTA_WRAPS,
            place().field(first.what).vertex(u32::from(first.vertex)),
            first_few(cells(flex).filter(wrapped).map(text), count),
            wrong("the face explodes: these vertices fly to the other side"),
            "Set flag 0x200000 and a larger fixed-point scale, or make the shape smaller",
        );
        findings.push(repeated(finding, count));
    }
    let special = |cell: &Cell| half::is_special(cell.bits);
    let text = |cell: Cell| {
        let Cell { vertex, what, axis, bits } = cell;
        format!("vertex {vertex} {what} {axis} reads as {}", half::decode(bits))
    };
    if let Some(first) = cells(flex).find(special) {
        let count = cells(flex).filter(special).count();
        let finding = finding(
            &DELTA_NOT_FINITE,
            place().field(first.what).vertex(u32::from(first.vertex)),
            first_few(cells(flex).filter(special).map(text), count),
            wrong("infinity reads as 65504 units, NaN as 0"),
            "Export the shape again: a division by zero got into it",
        );
        findings.push(repeated(finding, count));
    }
}
