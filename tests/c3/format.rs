//! The recorded files through the parsers and back.

use std::path::{Path, PathBuf};

use skinsim::c3::format::block::{Block, SectionKind};
use skinsim::c3::format::gpl::{Gpl, ReadWhen, StructureKind, structures};
use skinsim::c3::format::skn::{STRIDE, Skn};

/// Every recorded case that holds a pair of loose files.
fn pairs() -> Vec<PathBuf> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut folders: Vec<_> = ["skn", "faults"]
        .iter()
        .flat_map(|kind| std::fs::read_dir(cases.join(kind)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("model.skn").exists())
        .collect();
    folders.sort();
    assert!(folders.len() >= 10);
    folders
}

fn fox() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/fox.block")).unwrap()
}

#[test]
fn recorded_pairs_are_read_whole_and_written_back_byte_for_byte() {
    for folder in pairs() {
        let name = folder.display();
        let (gpl_bytes, skn_bytes) =
            ["model.gpl", "model.skn"].map(|file| std::fs::read(folder.join(file)).unwrap()).into();
        let (gpl, skn) = (Gpl::parse(&gpl_bytes).unwrap(), Skn::parse(&skn_bytes).unwrap());
        assert!(gpl.problems.is_empty() && skn.problems.is_empty(), "{name}");
        assert_eq!(gpl.to_bytes(), gpl_bytes, "{name}");
        assert_eq!(skn.to_bytes(), skn_bytes, "{name}");
        assert!(gpl.skinned().is_some(), "{name}");
    }
}

#[test]
fn well_formed_sources_lie_on_the_mirror() {
    for folder in pairs().into_iter().filter(|path| path.to_string_lossy().contains("well-formed")) {
        let bytes = std::fs::read(folder.join("model.skn")).unwrap();
        let skn = Skn::parse(&bytes).unwrap();
        let entries = skn.sk1.iter().map(|entry| (entry.source, entry.destination));
        for (source, destination) in entries.chain(skn.sk2.iter().map(|e| (e.source, e.destination))) {
            assert_eq!(u64::from(source), skn.mirror_start() + u64::from(destination));
        }
    }
}

#[test]
fn the_fox_block_holds_its_sections_and_every_vertex_of_its_mesh() {
    let bytes = fox();
    let block = Block::parse(&bytes).unwrap();
    assert_eq!(block.to_bytes(), bytes);
    let names: Vec<_> = block.sections().iter().map(|section| section.kind.name()).collect();
    assert_eq!(names, ["GPL", "ACT", "SKN"]);
    let gpl = Gpl::parse_view(block.section(SectionKind::Gpl).unwrap().view).unwrap();
    let skn = Skn::parse_view(block.section(SectionKind::Skn).unwrap().view).unwrap();
    assert!(gpl.problems.is_empty() && skn.problems.is_empty());
    let (_, layout, position) = gpl.skinned().unwrap();
    assert_eq!(position.element_size(), Some(STRIDE));
    let triangles: usize = layout
        .display_lists(gpl.header.version)
        .iter()
        .flat_map(|list| gpl.commands(layout, list))
        .map(|command| match command.unwrap().kind {
            skinsim::c3::format::gpl::CommandKind::Draw(primitive) => primitive.triangles().count(),
            _ => 0,
        })
        .sum();
    assert_eq!(triangles, 576);
}

#[test]
fn structures_of_the_fox_do_not_overlap() {
    let bytes = fox();
    let block = Block::parse(&bytes).unwrap();
    let gpl = Gpl::parse_view(block.section(SectionKind::Gpl).unwrap().view).unwrap();
    let all = structures(&gpl);
    for pair in all.windows(2) {
        assert!(pair[0].range.end <= pair[1].range.start, "{} and {}", pair[0].name(), pair[1].name());
    }
    let lists = all.iter().filter(|structure| matches!(structure.kind, StructureKind::PrimitiveList(_)));
    assert!(lists.clone().count() > 0 && lists.into_iter().all(|s| s.read_when == ReadWhen::EveryFrame));
}
