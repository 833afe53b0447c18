//! Repair of the recorded pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use skinsim::c3::model::Model;
use skinsim::c3::repair::repair;
use skinsim::c3::repair::write::Files;
use skinsim::c3::rules;
use skinsim::c3::rules::subject::{Direct, Subject};
use skinsim::c3::rules::weights::contributions;
use skinsim::c3::runtime::load::{LoadPlan, SkinMatrix};
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};
use skinsim::gekko::machine::OnFault;

use crate::output::records;

/// The recorded pairs of this repository and, where they are, those beside it.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = [root.join("tests/cases/skn"), root.join("../shared/golden/skn")]
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.map(|entry| entry.unwrap().path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn matrices(folder: &Path) -> Vec<SkinMatrix> {
    let json: Value = serde_json::from_slice(&std::fs::read(folder.join("case.json")).unwrap()).unwrap();
    let bits = |cell: &Value| f32::from_bits(u32::from_str_radix(cell.as_str().unwrap(), 16).unwrap());
    let rows = |bone: &Value| std::array::from_fn(|r| std::array::from_fn(|c| bits(&bone[r][c])));
    json["skin_matrices"].as_array().unwrap().iter().map(rows).collect()
}

fn output(model: &Model, matrices: &[SkinMatrix]) -> Vec<[i16; 6]> {
    let plan = LoadPlan::loose(model, 0x8040_0000, None).unwrap();
    let options = RunOptions { on_fault: OnFault::Continue, budget: 2_000_000, ..RunOptions::default() };
    let mut simulation = Simulation::load(&plan, matrices.len(), &options).unwrap();
    simulation.frame(matrices);
    records(simulation.position_bytes().unwrap())
}

/// Direct slots whose weights are whole: no remedy has a reason to change what they look like.
fn whole_slots(model: &Model) -> Vec<u64> {
    let subject = Subject::new(model);
    let mut sums: BTreeMap<u64, u32> = BTreeMap::new();
    for part in contributions(&subject) {
        *sums.entry(part.slot).or_default() += u32::from(part.weight);
    }
    let written: BTreeSet<u64> = subject.direct.iter().flat_map(Direct::slots).collect();
    sums.into_iter()
        .filter(|(slot, sum)| *sum == 256 && written.contains(slot))
        .map(|(slot, _)| slot)
        .collect()
}

#[test]
fn recorded_pairs_are_mended_and_whole_vertices_come_out_as_before() {
    let folders = folders();
    assert!(folders.len() >= 16);
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let [gpl, skn] = ["model.gpl", "model.skn"].map(|file| std::fs::read(folder.join(file)).unwrap());
        let files = Files::Loose { gpl, skn, act: None };
        let before = files.model().unwrap();
        let repaired = repair(files.clone()).unwrap();
        let after = repaired.files.model().unwrap();
        let left: BTreeSet<&str> =
            rules::check(&Subject::new(&after)).iter().map(|found| found.finding.code.name).collect();
        let refused: BTreeSet<&str> = repaired.refused.iter().map(|refusal| refusal.code.name).collect();
        for fix in &repaired.fixes {
            assert!(
                !left.contains(fix.code.name) || refused.contains(fix.code.name),
                "{name}: {}",
                fix.code.name
            );
        }
        // In these two kinds the frame itself spoils whole vertices.
        if name.contains("shared-line") || name.contains("oversize") {
            assert!(!repaired.fixes.is_empty(), "{name}");
            continue;
        }
        let matrices = matrices(&folder);
        let (old, new) = (output(&before, &matrices), output(&after, &matrices));
        for slot in whole_slots(&before) {
            let to = repaired.moves.get(&(slot as u16)).map_or(slot, |&to| u64::from(to));
            let (have, want) = (new.get(to as usize), old.get(slot as usize));
            assert!(have == want || want.is_none(), "{name}: slot {slot}: {have:?} instead of {want:?}");
        }
    }
}

#[test]
fn oversize_entries_are_split_where_vertices_begin_lines() {
    for folder in folders().into_iter().filter(|path| path.to_string_lossy().contains("oversize")) {
        let [gpl, skn] = ["model.gpl", "model.skn"].map(|file| std::fs::read(folder.join(file)).unwrap());
        let repaired = repair(Files::Loose { gpl, skn, act: None }).unwrap();
        let after = repaired.files.model().unwrap();
        for entry in &after.skn.as_ref().unwrap().sk1 {
            assert!(u64::from(entry.vertex_offset) + 12 * u64::from(entry.count) <= 8180);
            assert!(entry.count >= 3 && entry.destination % 32 == 0);
        }
        assert!(repaired.fixes.iter().any(|fix| fix.code.name == "source-over-buffer"));
    }
}
