//! Reading a recorded case.

use std::path::{Path, PathBuf};

use serde_json::Value;
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::c3::runtime::load::{LoadPlan, SkinMatrix};
use skinsim::c3::runtime::simulation::{RunOptions, Simulation};
use skinsim::gekko::map::Console;

/// A case folder: files and `case.json`.
pub struct Case {
    pub name: String,
    pub folder: PathBuf,
    pub json: Value,
    pub gpl: Vec<u8>,
    pub skn: Vec<u8>,
}

/// The folders under `tests/cases/KIND`, and under the recordings beside the project where they are.
pub fn folders(kind: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = [root.join("tests/cases"), root.join("../shared/golden")]
        .iter()
        .filter_map(|place| std::fs::read_dir(place.join(kind)).ok())
        .flat_map(|entries| entries.map(|entry| entry.unwrap().path()))
        .collect();
    folders.sort();
    folders
}

pub fn address(value: &Value) -> u32 {
    u32::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

pub fn matrices(json: &Value) -> Vec<SkinMatrix> {
    let bits = |cell: &Value| f32::from_bits(u32::from_str_radix(cell.as_str().unwrap(), 16).unwrap());
    let rows = |bone: &Value| -> SkinMatrix {
        std::array::from_fn(|row| std::array::from_fn(|column| bits(&bone[row][column])))
    };
    json["skin_matrices"].as_array().unwrap().iter().map(rows).collect()
}

impl Case {
    pub fn read(folder: &Path) -> Self {
        let file = |name: &str| std::fs::read(folder.join(name)).unwrap();
        Self {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            folder: folder.to_owned(),
            json: serde_json::from_slice(&file("case.json")).unwrap(),
            gpl: file("model.gpl"),
            skn: file("model.skn"),
        }
    }

    /// Works with the plan of where the files go.
    pub fn with_plan<T>(&self, work: impl FnOnce(&LoadPlan) -> T) -> T {
        let files = LooseFiles { gpl: &self.gpl, skn: Some(&self.skn), ..LooseFiles::default() };
        let model = Model::from_loose(files).unwrap();
        let (gpl, skn) = (address(&self.json["gpl_address"]), address(&self.json["skn_address"]));
        work(&LoadPlan::loose(&model, gpl, Some(skn)).unwrap())
    }

    pub fn load(&self, options: RunOptions) -> (Simulation, Vec<SkinMatrix>) {
        let options = RunOptions { console: Console::GameCube, ..options };
        let matrices = matrices(&self.json);
        let simulation = self.with_plan(|plan| {
            let offset = self.json["position_array_offset"].as_u64().unwrap() as u32;
            assert_eq!(plan.positions, plan.gpl + offset, "{}: position array", self.name);
            Simulation::load(plan, matrices.len(), &options).unwrap()
        });
        (simulation, matrices)
    }
}
