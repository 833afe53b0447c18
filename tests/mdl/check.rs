//! One face for every finding code, and none for the face without fault.

use std::collections::BTreeSet;

use skinsim::finding::Finding;
use skinsim::mdl::check;
use skinsim::mdl::rules::CODES;

use crate::builder::{Anim, Eyeball, Face, Flex, Mesh, Ui, constant, half};

fn findings(face: &Face) -> Vec<Finding> {
    check(&face.mdl(), Some(&face.vvd()), None).unwrap()
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code.name).collect()
}

/// The finding of that code in what a change makes of the faultless face.
fn found(code: &str, change: impl FnOnce(&mut Face)) -> Finding {
    let mut face = Face::default();
    change(&mut face);
    let findings = findings(&face);
    let have = codes(&findings);
    findings
        .into_iter()
        .find(|finding| finding.code.name == code)
        .unwrap_or_else(|| panic!("{code}: {have:?}"))
}

fn assert_found(code: &str, text: &str, change: impl FnOnce(&mut Face)) {
    let finding = found(code, change);
    assert!(finding.text.contains(text), "{code}: {}", finding.text);
    assert!(finding.game.is_some() && !finding.help.is_empty(), "{code}");
}

fn eye(change: impl FnOnce(&mut Eyeball)) -> impl FnOnce(&mut Face) {
    |face| {
        face.flexdescs = ["lid", "raiser", "neutral", "lowerer"].map(str::to_owned).to_vec();
        let mut eye = Eyeball { lower_lid: 3, ..Eyeball::upper_only() };
        change(&mut eye);
        face.eyeballs = vec![eye];
    }
}

fn first_flex(change: impl FnOnce(&mut Flex)) -> impl FnOnce(&mut Face) {
    |face| change(&mut face.meshes[0].flexes[0])
}

fn program(ops: Vec<(i32, u32)>) -> impl FnOnce(&mut Face) {
    move |face| face.rules[0].1 = ops
}

fn ui(targets: [i32; 3], remap: u8, stereo: bool) -> impl FnOnce(&mut Face) {
    move |face| face.ui = vec![Ui { name: "smile", targets, remap, stereo }]
}

type Change = Box<dyn FnOnce(&mut Face)>;

/// Code, part of its text, and what makes it of the faultless face.
fn cases() -> Vec<(&'static str, &'static str, Change)> {
    [files(), inputs(), rules(), uis_and_eyes(), flexes()].into_iter().flatten().collect()
}

macro_rules! cases {
    ($(($code:literal, $text:literal, $change:expr)),* $(,)?) => {
        vec![$(($code, $text, Box::new($change) as Change)),*]
    };
}

fn files() -> Vec<(&'static str, &'static str, Change)> {
    cases![
        ("no-flexes", "no flexdescs", |face: &mut Face| {
            (face.controllers, face.flexdescs, face.rules) = Default::default();
            face.meshes[0].flexes.clear();
        }),
        ("vvd-checksum", "0x00000008, the .mdl has 0x00000007", |face: &mut Face| face.vvd_checksum = 8),
        ("mdl-not-finite", "1 vertices, the first vertex 3", |face: &mut Face| face.meshes[0].vertices[3] =
            [0.0, f32::NAN, 0.0]),
        ("flexes-converted", "flag 0x4000", |face: &mut Face| face.flags = 0x4000),
        ("fixed-point-scale", "scale is -1", |face: &mut Face| (face.flags, face.scale) = (0x20_0000, -1.0)),
    ]
}

fn inputs() -> Vec<(&'static str, &'static str, Change)> {
    cases![
        ("flexdesc-duplicate", "flexdesc 0 has the same name", |face: &mut Face| {
            face.flexdescs.push("SMILE".to_owned());
        }),
        ("flexdesc-unreachable", "no rule, eyelid or mouth sets it", |face: &mut Face| face.rules.clear()),
        ("flexdesc-unused", "no mesh follows it", |face: &mut Face| face.flexdescs.push("frown".to_owned())),
        ("flexdesc-limit", "1025 flexdescs, the engine has room for 1024", |face: &mut Face| {
            face.flexdescs = (0..1025).map(|index| format!("d{index}")).collect();
        }),
        ("controller-limit", "97 controllers", |face: &mut Face| face.controllers =
            vec![("smile", 0.0, 1.0); 97]),
        ("controller-duplicate", "controller 0 has", |face: &mut Face| face
            .controllers
            .push(("smile", 0.0, 1.0))),
        ("controller-unused", "no rule reads it", |face: &mut Face| face
            .controllers
            .push(("frown", 0.0, 1.0))),
        ("controller-range", "range 1 to 1", |face: &mut Face| face.controllers = vec![("smile", 1.0, 1.0)]),
        ("mouth-flexdesc", "flexdesc 5 of 1", |face: &mut Face| face.mouths = vec![0, 5]),
    ]
}

fn rules() -> Vec<(&'static str, &'static str, Change)> {
    cases![
        ("rule-flexdesc", "flexdesc -1 of 1", |face: &mut Face| face.rules.push((-1, vec![]))),
        ("rule-sets-twice", "rule 0 sets the same", |face: &mut Face| face.rules.push((0, vec![(2, 0)]))),
        ("rule-never-sets", "nothing is pushed", program(vec![(9, 0)])),
        ("rule-leftover", "2 values are left", program(vec![(2, 0), constant(1.0)])),
        ("rule-order", "which it sets itself", program(vec![(3, 0)])),
        ("stack-underflow", "needs 2 values, the stack holds 1", program(vec![(2, 0), (4, 0)])),
        ("stack-overflow", "full stack of 32", program(vec![(2, 0); 33])),
        ("op-controller", "controller 1, which", program(vec![(2, 1), (2, 0)])),
        ("op-flexdesc", "flexdesc 9, which", program(vec![(3, 9), (2, 0)])),
        ("op-unknown", "number 22", program(vec![(2, 0), (22, 0)])),
        ("op-ignored", "does nothing", program(vec![(2, 0), (12, 0), (11, 0)])),
        ("combo-count", "count 1 fails", program(vec![(2, 0), (18, 1)])),
        (
            "eyelid-index",
            "eyeUpDown controller -1",
            program(vec![constant(-1.0), constant(0.0), constant(0.0), (20, 0)])
        ),
        ("weight-not-finite", "inf", program(vec![constant(f32::INFINITY)])),
    ]
}

fn uis_and_eyes() -> Vec<(&'static str, &'static str, Change)> {
    cases![
        ("ui-outside", "the right controller's offset", ui([0, 20, 0], 1, true)),
        ("ui-nway-value", "is no controller's", ui([0, 0, 7], 2, false)),
        ("ui-remap", "remap type 4", ui([0; 3], 4, false)),
        ("eyeball-flexdesc", "flexdesc -1 of 4", eye(|eye| eye.lower_lid = -1)),
        ("eyeball-radius", "radius 0", eye(|eye| eye.radius = 0.0)),
        ("eyeball-vectors", "org [0.0, NaN, 0.0]", eye(|eye| eye.origin[1] = f32::NAN)),
        ("eyeball-vectors", "up [0.0, 0.0, 0.0]", eye(|eye| eye.up = [0.0; 3])),
        ("eyeball-vectors", "forward [-0.0, 0.0, 0.0]", eye(|eye| eye.forward = [-0.0, 0.0, 0.0])),
        ("eyeball-target", "height 1.5 beyond the radius 1", eye(|eye| eye.upper_targets[2] = 1.5)),
        ("eyeball-bone", "bone 1 of 1", eye(|eye| eye.bone = 1)),
    ]
}

fn flexes() -> Vec<(&'static str, &'static str, Change)> {
    cases![
        ("flex-flexdesc", "flexdesc 3 of 1", first_flex(|flex| flex.flexdesc = 3)),
        ("flex-targets", "want them ascending", first_flex(|flex| flex.targets = [1.0, 0.0, 10.0, 11.0])),
        ("flex-kind", "type 2", first_flex(|flex| flex.kind = 2)),
        ("stereo-one-sided", "only the first flexdesc", first_flex(|flex| flex.pair = 1)),
        ("stereo-without-pair", "2 different side bytes", first_flex(|flex| flex.anims[1].side = 9)),
        (
            "delta-wraps",
            "vertex 1 delta z 9.5 becomes -6.5",
            first_flex(|flex| flex.anims[1].delta[2] = half(9.5))
        ),
        (
            "delta-not-finite",
            "vertex 0 ndelta x reads as 0",
            first_flex(|flex| flex.anims[0].normal_delta[0] = 0x7e00)
        ),
        ("flexed-vertex-limit", "10001 vertices flex", |face: &mut Face| {
            let vertices = (0..10_001u16).map(|x| [f32::from(x), 0.0, 0.0]).collect();
            let anims = (0..10_001).map(|index| Anim::of(index, [0.5, 0.0, 0.0])).collect();
            face.meshes = vec![Mesh { vertices, flexes: vec![Flex::of(0, anims)], lod_count: None }];
        }),
        ("vertanim-beyond-lod", "indices 4", first_flex(|flex| flex.anims[1].index = 4)),
        (
            "coincident-separated",
            "1 points tear open, the widest by 0.5 units: at vertex 0 of mesh 0",
            |face: &mut Face| {
                face.meshes[0].vertices[3] = [-0.0; 3];
            }
        ),
    ]
}

/// Codes whose cases need more than a change of the face; each has a test of its own below.
const ELSEWHERE: [&str; 7] = [
    "mdl-length",
    "vvd-missing",
    "vtx-checksum",
    "vtx-unread",
    "mesh-outside-vvd",
    "mdl-vertex-bone",
    "controller-ui-unread",
];

#[test]
fn a_faultless_face_has_no_findings() {
    assert_eq!(codes(&findings(&Face::default())), [""; 0]);
}

#[test]
fn every_code_is_found_in_a_face_that_breaks_its_rule() {
    let mut tried: BTreeSet<&str> = ELSEWHERE.into();
    for (code, text, change) in cases() {
        assert_found(code, text, change);
        tried.insert(code);
    }
    let all: BTreeSet<&str> = CODES.iter().map(|code| code.name).collect();
    assert_eq!(tried, all);
}

#[test]
fn every_code_is_documented() {
    let guide = include_str!("../../docs/findings.md");
    for code in CODES {
        assert!(guide.contains(&format!("### `{}`\n", code.name)), "{}", code.name);
    }
}

#[test]
fn bytes_behind_the_model_and_missing_vertices_are_notes() {
    let face = Face::default();
    let longer = [face.mdl(), vec![0; 3]].concat();
    assert_eq!(codes(&check(&longer, Some(&face.vvd()), None).unwrap()), ["mdl-length"]);
    assert_eq!(codes(&check(&face.mdl(), None, None).unwrap()), ["vvd-missing"]);
}

/// A `.vtx` of one body part with one model without levels of detail.
pub fn vtx(checksum: u32) -> Vec<u8> {
    let mut bytes = vec![0; 52];
    for (at, word) in [(0, 7), (16, checksum), (28, 1), (32, 36), (36, 1), (40, 8)] {
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

#[test]
fn triangles_of_another_compile_or_of_other_meshes_are_errors() {
    let face = Face::default();
    let found = |vtx: &[u8]| check(&face.mdl(), Some(&face.vvd()), Some(vtx)).unwrap();
    assert_eq!(codes(&found(&vtx(7))), [""; 0]);
    let strange = found(&vtx(8));
    assert_eq!(codes(&strange), ["vtx-checksum"]);
    assert!(strange[0].text.contains("checksum 0x00000008, the .mdl has 0x00000007"));
    let mut other = vtx(7);
    other[28] = 2;
    assert_eq!(codes(&found(&other)), ["vtx-unread"]);
    assert_eq!(codes(&found(b"")), ["vtx-unread"]);
}

#[test]
fn a_mesh_outside_the_vertices_and_a_missing_bone_are_errors() {
    let face = Face::default();
    let mut smaller = face.clone();
    smaller.meshes[0].vertices.pop();
    let outside = check(&face.mdl(), Some(&smaller.vvd()), None).unwrap();
    assert_eq!(codes(&outside), ["mesh-outside-vvd"]);
    assert!(outside[0].text.contains("want 4 vertices from 0, have 3 in the VVD"), "{}", outside[0].text);
    let mut vvd = face.vvd();
    vvd[64 + 48 + 12] = 3;
    let bone = check(&face.mdl(), Some(&vvd), None).unwrap();
    assert_eq!(codes(&bone), ["mdl-vertex-bone"]);
    assert!(bone[0].text.contains("vertex 1 of mesh 0"));
}

#[test]
fn a_ui_that_version_49_uses_otherwise_is_a_note() {
    let face = Face { version: 49, ..Face::default() };
    let mut mdl = face.mdl();
    mdl[384] = 1;
    mdl[388..392].copy_from_slice(&i32::MAX.to_le_bytes());
    assert_eq!(codes(&check(&mdl, Some(&face.vvd()), None).unwrap()), ["controller-ui-unread"]);
}

#[test]
fn a_rule_out_of_order_is_told_from_one_that_reads_what_nothing_sets() {
    let two = |rules: Vec<(i32, Vec<(i32, u32)>)>| {
        found("rule-order", |face| {
            face.flexdescs.push("frown".to_owned());
            face.rules = rules;
        })
    };
    assert!(two(vec![(0, vec![(3, 1)]), (1, vec![(2, 0)])]).text.contains("which a later rule sets"));
    assert!(two(vec![(0, vec![(3, 1)])]).text.contains("which no rule sets"));
}

#[test]
fn controllers_named_on_the_stack_count_as_used() {
    let face = Face {
        controllers: vec![
            ("close_v", 0.0, 1.0),
            ("close", 0.0, 1.0),
            ("blink", 0.0, 1.0),
            ("gaze", 0.0, 1.0),
        ],
        rules: vec![(0, vec![constant(3.0), constant(2.0), constant(1.0), (20, 0)])],
        ..Face::default()
    };
    assert_eq!(codes(&findings(&face)), [""; 0]);
}

#[test]
fn vertices_on_one_point_may_move_together() {
    let mut face = Face::default();
    face.meshes[0].vertices[3] = [0.0; 3];
    face.meshes[0].flexes[0].anims.push(Anim::of(3, [0.5, 0.0, 0.0]));
    assert_eq!(codes(&findings(&face)), [""; 0]);
}

#[test]
fn a_seam_between_meshes_tears_when_one_side_stays() {
    let finding = found("coincident-separated", |face| {
        let second = Mesh { vertices: vec![[1.0, 0.0, 0.0]], ..Mesh::default() };
        face.meshes.push(second);
    });
    assert!(finding.text.contains("by 0.25 units: at vertex 1 of mesh 0"), "{}", finding.text);
}

#[test]
fn repeats_are_counted_and_a_flood_is_folded() {
    let wraps = found("delta-wraps", first_flex(|flex| flex.anims = vec![Anim::of(0, [9.0; 3]); 3]));
    assert_eq!(wraps.count, 9);
    assert!(wraps.text.ends_with("and 5 more"), "{}", wraps.text);
    let mut face = Face::default();
    face.rules[0].1 = vec![(99, 0); 1000];
    let all = findings(&face);
    let unknown = || all.iter().filter(|finding| finding.code.name == "op-unknown");
    assert_eq!(unknown().count(), 256);
    assert_eq!(unknown().map(|finding| finding.count).sum::<u32>(), 1000);
}
