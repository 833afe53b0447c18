//! Pages of FLVER and MDL models.

use skinsim::flver::{self, Flver};
use skinsim::mdl;
use skinsim::report::page::{Page, PageModel};

use crate::support::{f32s, u16s, unpacked};

fn case(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/cases/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn flver_page(path: &str) -> PageModel {
    let bytes = case(path);
    let flver = Flver::parse(&bytes).unwrap();
    skinsim::report::page::flver::page("a.flver".to_owned(), &flver, &flver::Options::default(), "rest")
        .unwrap()
}

fn face(name: &str) -> PageModel {
    let (bytes, vvd) = (case(&format!("{name}.mdl")), case(&format!("{name}.vvd")));
    skinsim::report::page::mdl::page("a.mdl".to_owned(), &bytes, Some(&vvd), &mdl::Options::default())
        .unwrap()
}

#[test]
fn a_flver_is_drawn_where_the_run_puts_it() {
    let bytes = case("flver-synthetic/synth_2001a.flver");
    let flver = Flver::parse(&bytes).unwrap();
    let outcome = flver::runtime::run("a", &flver, &flver::Options::default()).unwrap();
    let page = flver_page("flver-synthetic/synth_2001a.flver");
    let geometry = page.geometry.as_ref().unwrap();
    let want: Vec<f32> = outcome.meshes.iter().flat_map(|mesh| &mesh.positions).flatten().copied().collect();
    let steps = u16s(&geometry.frames[0].positions);
    assert_eq!(steps.len(), want.len());
    for (at, (&steps, want)) in steps.iter().zip(want).enumerate() {
        let have = geometry.origin[at % 3] + f32::from(steps) * geometry.step;
        assert!((have - want).abs() <= geometry.step, "{at}: {have} for {want}");
    }
    let titles: Vec<&str> = page.tables.iter().map(|table| table.title).collect();
    assert_eq!(titles, ["Nodes", "Meshes", "Dummy points"]);
    assert!(page.lines.is_none());
}

#[test]
fn a_finding_of_a_flver_mesh_marks_its_vertices() {
    let mut bytes = case("flver-synthetic/synth_20014.flver");
    let flver = Flver::parse(&bytes).unwrap();
    // The last vertex of the last buffer gets a position that is no number.
    let at = flver
        .buffers
        .iter()
        .map(|buffer| u64::from(flver.header.data_offset) + u64::from(buffer.data_offset))
        .min()
        .unwrap() as usize;
    bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let flver = Flver::parse(&bytes).unwrap();
    let page = skinsim::report::page::flver::page("a".to_owned(), &flver, &flver::Options::default(), "rest")
        .unwrap();
    assert!(page.findings.iter().any(|finding| !finding.vertices.is_empty()));
}

#[test]
fn a_face_brings_its_programs_flexes_and_controls() {
    let page = face("mdl_synth_flex/synth_flex");
    let (geometry, face) = (page.geometry.as_ref().unwrap(), page.face.as_ref().unwrap());
    assert_eq!(f32s(&face.rest).len(), 3 * geometry.vertex_count);
    assert_eq!(f32s(&face.ranges).len(), 3 * face.controllers.len());
    assert!(!face.rules.is_empty() && face.rules.iter().all(|rule| !rule.ops.is_empty()));
    let flexes: Vec<_> =
        face.parts.iter().flat_map(|part| &part.meshes).flat_map(|mesh| &mesh.flexes).collect();
    assert!(!flexes.is_empty());
    for flex in flexes {
        let moved = u16s(&flex.vertices).len();
        assert_eq!((unpacked(&flex.mixes).len(), f32s(&flex.deltas).len()), (2 * moved, 3 * moved));
    }
    assert!(face.parts.iter().any(|part| part.eyes.iter().any(|lids| !lids.is_empty())));
    let grouped: std::collections::BTreeSet<usize> =
        face.groups.iter().flat_map(|group| &group.sliders).map(|(_, controller)| *controller).collect();
    assert_eq!(grouped.len(), face.controllers.len(), "every controller has a slider");
}

#[test]
fn without_flexes_there_is_a_mesh_and_no_sliders() {
    let page = face("mdl_no_flexes/animated_monkey");
    assert!(page.face.is_none());
    assert!(page.facts.contains(&("flexes".to_owned(), "no flexes".to_owned())));
    assert!(Page::new(vec![page]).html().len() < 2_000_000);
}

#[test]
fn without_vertices_the_rules_still_run() {
    let bytes = case("mdl_synth_flex/synth_flex.mdl");
    let page =
        skinsim::report::page::mdl::page("a".to_owned(), &bytes, None, &mdl::Options::default()).unwrap();
    assert!(page.geometry.is_none());
    assert!(page.face.is_some_and(|face| face.parts.iter().all(|part| part.meshes.is_empty())));
}
