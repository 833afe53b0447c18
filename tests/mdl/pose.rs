//! `--pose`: bones moved by a pose file, held against an evaluation in double precision that knows nothing of
//! the program's.

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::builder::{Bone, Eyeball, Face, constant};

/// Row-vector form: `point * matrix`, translation in the last row.
type Rows = [[f64; 4]; 4];

fn product(a: &Rows, b: &Rows) -> Rows {
    [0, 1, 2, 3].map(|row| [0, 1, 2, 3].map(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

/// Gauss-Jordan, so that nothing is shared with the program's cofactors.
fn inverse(matrix: &Rows) -> Rows {
    let (mut left, mut right) = (*matrix, identity());
    for column in 0..4 {
        let pivot =
            (column..4).max_by(|a, b| left[*a][column].abs().total_cmp(&left[*b][column].abs())).unwrap();
        left.swap(column, pivot);
        right.swap(column, pivot);
        let factor = left[column][column];
        left[column].iter_mut().chain(&mut right[column]).for_each(|cell| *cell /= factor);
        for row in (0..4).filter(|row| *row != column) {
            let factor = left[row][column];
            for lane in 0..4 {
                left[row][lane] -= factor * left[column][lane];
                right[row][lane] -= factor * right[column][lane];
            }
        }
    }
    right
}

fn identity() -> Rows {
    [0, 1, 2, 3].map(|row| [0, 1, 2, 3].map(|column| f64::from(u8::from(row == column))))
}

/// A turn about two axes, a scale and a place.
fn transform(about_x: f64, about_z: f64, scale: f64, place: [f64; 3]) -> Rows {
    let ((sx, cx), (sz, cz)) = (about_x.sin_cos(), about_z.sin_cos());
    let x = [[1.0, 0.0, 0.0, 0.0], [0.0, cx, sx, 0.0], [0.0, -sx, cx, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let z = [[cz, sz, 0.0, 0.0], [-sz, cz, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let mut rows = product(&x, &z);
    rows[..3].iter_mut().flatten().for_each(|cell| *cell *= scale);
    rows[3] = [place[0], place[1], place[2], 1.0];
    rows
}

/// A bone whose rest in the model's space is `rest`: three rows in column-vector form, as files have them.
fn bone(name: &'static str, parent: i32, rest: &Rows) -> Bone {
    let inverse = inverse(rest);
    let from_pose = [0, 1, 2].map(|axis| [0, 1, 2, 3].map(|row| inverse[row][axis] as f32));
    Bone { name, parent, from_pose }
}

/// The same from the file's singles.
fn pose_to_bone(bone: &Bone) -> Rows {
    let cell = |row: usize, axis: usize| f64::from(bone.from_pose[axis][row]);
    [0, 1, 2, 3].map(|row| [cell(row, 0), cell(row, 1), cell(row, 2), f64::from(u8::from(row == 3))])
}

/// A chain of three bones at odd places, and one beside it.
fn rigged() -> Face {
    let rests = [
        transform(0.3, -0.5, 1.0, [1.0, 2.0, 3.0]),
        transform(-1.1, 0.4, 1.0, [2.0, -1.0, 4.0]),
        transform(0.7, 2.0, 1.0, [0.5, 0.5, 6.0]),
        transform(0.0, 1.0, 1.0, [-3.0, 0.0, 0.0]),
    ];
    let influences = vec![
        vec![(2, 0.5), (1, 0.25), (3, 0.25)],
        vec![(1, 0.75), (0, 0.25)],
        vec![(3, 1.0)],
        vec![(2, 0.4), (0, 0.4)],
    ];
    Face {
        bones: vec![
            bone("spine", -1, &rests[0]),
            bone("neck", 0, &rests[1]),
            bone("head", 1, &rests[2]),
            bone("hand", -1, &rests[3]),
        ],
        influences,
        ..Face::default()
    }
}

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new(face: &Face) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("face.mdl"), face.mdl()).unwrap();
        std::fs::write(folder.path().join("face.vvd"), face.vvd()).unwrap();
        Self { folder }
    }

    fn pose(&self, pose: &Value) {
        std::fs::write(self.folder.path().join("pose.json"), pose.to_string()).unwrap();
    }

    fn skinsim(&self, args: &[&str]) -> std::process::Output {
        Command::new(env!("CARGO_BIN_EXE_skinsim")).args(args).current_dir(&self.folder).output().unwrap()
    }

    fn run(&self, args: &[&str]) -> Value {
        let output = self.skinsim(&[&["run", "face.mdl", "--json"], args].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refusal(&self, pose: &Value) -> String {
        self.pose(pose);
        let output = self.skinsim(&["run", "face.mdl", "--pose", "pose.json"]);
        assert_eq!(output.status.code(), Some(2), "{pose}");
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    }
}

fn triples(run: &Value, key: &str) -> Vec<[f64; 3]> {
    serde_json::from_value(run[key].clone()).unwrap()
}

#[test]
fn posed_bones_move_what_flexes_moved_as_in_double_precision() {
    let face = rigged();
    let files = Files::new(&face);
    let neck = transform(0.9, 0.1, 1.0, [0.0, 3.0, -1.0]);
    let hand = transform(-0.6, 0.2, 1.5, [4.0, 4.0, 4.0]);
    files.pose(&json!({"bones": {"neck": {"local": neck}, "3": {"world": hand}}}));

    let bind: Vec<Rows> = face.bones.iter().map(pose_to_bone).collect();
    let rest: Vec<Rows> = bind.iter().map(inverse).collect();
    let head_local = product(&rest[2], &inverse(&rest[1]));
    let neck_world = product(&neck, &rest[0]);
    let worlds = [rest[0], neck_world, product(&head_local, &neck_world), hand];
    let skins: Vec<Rows> = bind.iter().zip(&worlds).map(|(bind, world)| product(bind, world)).collect();

    let flexed = files.run(&["--set", "smile=1"]);
    let posed = files.run(&["--set", "smile=1", "--pose", "pose.json"]);
    let (before, after, normals) =
        (triples(&flexed, "positions"), triples(&posed, "positions"), triples(&posed, "normals"));
    for (vertex, influences) in face.influences.iter().enumerate() {
        let blend = |cell: fn(&Rows, [f64; 3], usize) -> f64, from: [f64; 3]| {
            [0, 1, 2].map(|axis| {
                let parts = influences.iter();
                parts
                    .map(|(bone, weight)| f64::from(*weight) * cell(&skins[*bone as usize], from, axis))
                    .sum()
            })
        };
        let turn = |skin: &Rows, from: [f64; 3], axis: usize| -> f64 {
            (0..3).map(|row| from[row] * skin[row][axis]).sum()
        };
        let place = |skin: &Rows, from: [f64; 3], axis: usize| -> f64 {
            (0..3).map(|row| from[row] * skin[row][axis]).sum::<f64>() + skin[3][axis]
        };
        let position: [f64; 3] = blend(place, before[vertex]);
        let normal: [f64; 3] = blend(turn, [0.0, 0.0, 1.0]);
        let length = normal.iter().map(|lane| lane * lane).sum::<f64>().sqrt();
        for axis in 0..3 {
            assert!((after[vertex][axis] - position[axis]).abs() < 2e-5, "vertex {vertex}: {position:?}");
            assert!((normals[vertex][axis] - normal[axis] / length).abs() < 1e-5, "normal {vertex}");
        }
    }
}

#[test]
fn a_pose_that_moves_no_bone_is_the_rest_pose_to_the_bit() {
    let mut face = rigged();
    // Weights that sum to 1: the engine does not divide by their sum.
    face.influences[3] = vec![(2, 0.5), (0, 0.5)];
    let files = Files::new(&face);
    files.pose(&json!({"bones": {}}));
    assert_eq!(files.run(&["--pose", "pose.json"])["positions"], files.run(&["--pose", "rest"])["positions"]);
}

#[test]
fn an_eye_of_a_posed_bone_aims_from_where_the_bone_is() {
    let face = Face {
        flexdescs: ["lid", "raiser", "neutral", "lowerer"].map(str::to_owned).to_vec(),
        rules: (1..4).map(|desc| (desc, vec![constant(if desc == 2 { 1.0 } else { 0.0 })])).collect(),
        eyeballs: vec![Eyeball::upper_only()],
        ..Face::default()
    };
    let files = Files::new(&face);
    files.pose(&json!({"bones": {"head": {"world": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,-10,1]]}}}));
    let lid =
        |args: &[&str]| files.run(&[args, &["--view-target", "10,0,0"]].concat())["weights"][0].as_f64();
    assert!(lid(&[]).unwrap().abs() < 1e-6);
    assert!((lid(&["--pose", "pose.json"]).unwrap() - 0.5f64.sqrt()).abs() < 1e-6, "ten up, ten ahead");
}

#[test]
fn the_other_commands_pose_a_face_too() {
    let files = Files::new(&rigged());
    files.pose(&json!({"bones": {"hand": {"world": transform(0.0, 0.0, 1.0, [0.0, 0.0, 50.0])}}}));
    for args in [
        &["export", "face.mdl", "--pose", "pose.json", "-o", "posed.obj"][..],
        &["snapshot", "take", "face.mdl", "--pose", "pose.json", "--dir", "golden", "--full"],
    ] {
        assert!(files.skinsim(args).status.success(), "{args:?}");
    }
    let written = std::fs::read_to_string(files.folder.path().join("posed.obj")).unwrap();
    assert!(written.lines().any(|line| line.starts_with("v ") && line.contains(" 50")), "{written}");
    let golden = std::fs::read_to_string(files.folder.path().join("golden/face.mdl.snap")).unwrap();
    assert!(golden.contains("pose"), "{golden}");
    let report = files.skinsim(&["report", "face.mdl", "--pose", "pose.json", "-o", "page.html"]);
    assert_eq!(report.status.code(), Some(2));
    assert!(String::from_utf8(report.stderr).unwrap().contains("--pose or --matrices"));
}

#[test]
fn a_pose_that_fits_no_bone_or_cannot_be_applied_is_refused() {
    let matrix = transform(0.1, 0.2, 1.0, [1.0, 2.0, 3.0]);
    let flat = transform(0.0, 0.0, 0.0, [1.0, 2.0, 3.0]);
    let files = Files::new(&rigged());
    let one = |bone: &str, kind: &str, rows: Value| json!({"bones": {bone: {kind: rows}}});
    for (pose, text) in [
        (
            one("tail", "local", json!(matrix)),
            "bone 'tail': want the name or number of one of the model's 4 bones",
        ),
        (one("4", "local", json!(matrix)), "have no such bone"),
        (one("neck", "local", json!(flat)), "bone 1 'neck': want a matrix with an inverse"),
        (one("neck", "turn", json!(matrix)), "want either `local` or `world`, have none"),
        (
            one("neck", "local", json!([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])),
            "row 0: want 4 numbers, have 3",
        ),
        (
            one("neck", "local", json!([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])),
            "want 4 rows of four numbers, have 3",
        ),
        (
            one("neck", "world", json!([["7fc00000", 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])),
            "row 0 cell 0",
        ),
        (json!({"pose": {}}), "want a key `nodes` or `bones`"),
    ] {
        let error = files.refusal(&pose);
        assert!(error.contains(text) && error.contains("pose.json"), "{pose}: {error}");
    }
    files.pose(&one("neck", "local", json!(matrix)));
    std::fs::write(files.folder.path().join("matrices.json"), r#"{"skin_matrices": []}"#).unwrap();
    let both = files.skinsim(&["run", "face.mdl", "--pose", "pose.json", "--matrices", "matrices.json"]);
    assert_eq!(both.status.code(), Some(2));
    assert!(String::from_utf8(both.stderr).unwrap().contains("want one of --pose and --matrices"));
}

#[test]
fn a_rest_that_the_model_does_not_give_is_refused_where_it_is_needed() {
    let matrix = transform(0.1, 0.2, 1.0, [1.0, 2.0, 3.0]);
    let mut face = rigged();
    face.bones[0].from_pose = [[0.0; 4]; 3];
    let files = Files::new(&face);
    let text = files.refusal(&json!({"bones": {"neck": {"local": matrix}}}));
    assert!(text.contains("bone 0 'spine': want a poseToBone with an inverse"), "{text}");
    files.pose(&json!({"bones": {"neck": {"world": matrix}}}));
    files.run(&["--pose", "pose.json"]);
    for parent in [1, 2, 7, -2] {
        let mut face = rigged();
        face.bones[1].parent = parent;
        let text = Files::new(&face).refusal(&json!({"bones": {"neck": {"world": matrix}}}));
        assert!(text.contains("want a parent before the bone, or -1 for none"), "{text}");
    }
}
