//! The recorded cases: the library's own code, run on files of ours (`tests/cases/pose/*`).

use std::path::{Path, PathBuf};

use serde::Deserialize;
use skinsim::c3::format::act::{Act, Control};
use skinsim::c3::runtime::pose::{Actor, LoadOptions, Matrix, Skeleton};

/// Cells as recorded: the hex digits of an f32's bits.
pub type Cells = [[String; 4]; 3];

/// A recorded case.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub name: String,
    pub anm: Option<String>,
    pub sequence: Option<usize>,
    pub start_bits: Option<String>,
    pub speed_bits: Option<String>,
    pub ticks: usize,
    pub world_control: Option<String>,
    pub bone_ids: Vec<u16>,
    pub file_index: Vec<usize>,
    pub orientation_inverse: Vec<Cells>,
    pub error: Option<Failure>,
    pub bound: Option<Frame>,
    pub frames: Vec<Frame>,
    #[serde(skip)]
    pub folder: PathBuf,
}

/// The tick that must fail.
#[derive(Debug, Deserialize)]
pub struct Failure {
    pub tick: usize,
}

/// What one frame recorded.
#[derive(Debug, Deserialize)]
pub struct Frame {
    pub tick: Option<usize>,
    pub bone_time: Vec<Option<String>>,
    pub forward: Vec<Cells>,
    pub skin: Vec<Cells>,
}

impl Case {
    pub fn read(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(file)).unwrap()
    }

    /// The loaded actor, its world control set.
    pub fn actor(&self) -> Actor {
        let bytes = self.read("model.act");
        let act = Act::parse(&bytes).unwrap();
        let mut actor = Actor::new(Skeleton::load(&act, &LoadOptions::default()).unwrap());
        if let Some(hex) = &self.world_control {
            let bytes: Vec<u8> = (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
                .collect();
            let view = skinsim::bytes::View::new(&bytes, skinsim::bytes::Endian::Big);
            actor.world = Control::parse(view, 0).unwrap();
        }
        actor
    }
}

/// Every recorded case, by name of its folder.
pub fn all() -> Vec<Case> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/pose");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert_eq!(folders.len(), 24);
    folders
        .into_iter()
        .map(|folder| {
            let text = std::fs::read_to_string(folder.join("case.json")).unwrap();
            let case: Case = serde_json::from_str(&text).unwrap();
            Case { folder, ..case }
        })
        .collect()
}

/// A float from the hex digits of its bits.
pub fn float(hex: &str) -> f32 {
    f32::from_bits(u32::from_str_radix(hex, 16).unwrap())
}

/// The matrix of recorded cells.
pub fn matrix(cells: &Cells) -> Matrix {
    Matrix(std::array::from_fn(|row| std::array::from_fn(|column| float(&cells[row][column]))))
}

/// The largest difference of two matrices by the recording's measure: relative to 1 or to the largest
/// entry of the recorded one. Its tolerance is 1e-5.
pub fn difference(ours: &[[f32; 4]; 3], recorded: &Matrix) -> f32 {
    let pairs = ours.iter().flatten().zip(recorded.0.iter().flatten());
    let largest = pairs
        .map(|(a, b)| if a == b { 0.0 } else { (a - b).abs() })
        .fold(0.0, |worst: f32, now| if now.is_nan() { f32::INFINITY } else { worst.max(now) });
    largest / recorded.largest().max(1.0)
}
