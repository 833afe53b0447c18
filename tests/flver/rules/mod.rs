//! Each rule: a sound model, one change, the code that tells it.

mod nodes;
mod records;
mod unread;
mod vertices;

use skinsim::finding::{Effect, Finding, Severity};
use skinsim::flver::format::header::VERSIONS;
use skinsim::flver::{self, Flver, Options, runtime};

use super::builder::{FaceSet, Member, Model, floats, member, static_vertex};

fn check(model: &Model) -> Vec<Finding> {
    flver::check(&model.write()).expect("a model that can be read")
}

fn codes(model: &Model) -> Vec<&'static str> {
    let mut codes: Vec<_> = check(model).iter().map(|finding| finding.code.name).collect();
    codes.dedup();
    codes
}

fn changed(change: impl FnOnce(&mut Model)) -> Model {
    let mut model = Model::sound();
    change(&mut model);
    model
}

/// The one finding a change brings.
fn only(change: impl FnOnce(&mut Model)) -> Finding {
    let findings = check(&changed(change));
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.into_iter().next().unwrap()
}

#[test]
fn a_sound_model_has_no_finding() {
    assert_eq!(check(&Model::sound()), []);
}

#[test]
fn a_sound_model_of_any_other_version_has_none_either_and_its_box_is_met() {
    for version in VERSIONS {
        let model = changed(|model| {
            model.version = version;
            model.unicode = version > 0x2000C;
            model.index_bits = 16;
        });
        assert_eq!(check(&model), [], "{version:#x}");
        let bytes = model.write();
        let flver = Flver::parse(&bytes).unwrap();
        let outcome = runtime::run("x", &flver, &Options::default()).unwrap();
        assert!(outcome.bounds.relative_difference.unwrap() < 1e-6, "{version:#x}");
        assert_eq!(outcome.meshes[0].triangles, [[0, 1, 2]], "{version:#x}");
        let skeletons = flver.skeletons.unwrap().map(|set| set.base.len());
        assert_eq!(skeletons, (version >= 0x2001A).then_some(model.skeleton.len()), "{version:#x}");
    }
}

#[test]
fn rules_of_the_survey_are_notes_in_other_games() {
    let finding = only(|model| {
        model.version = 0x20014;
        model.index_bits = 16;
        model.nodes[1].flags = 0x10;
    });
    assert_eq!((finding.code.name, finding.severity), ("node-flags", Severity::Note));
}

#[test]
fn every_code_of_this_wing_is_provoked_by_a_test_here() {
    let source = [include_str!("nodes.rs"), include_str!("records.rs"), include_str!("unread.rs")].concat()
        + include_str!("vertices.rs");
    for code in skinsim::flver::rules::CODES {
        assert!(source.contains(&format!("\"{}\"", code.name)), "{} has no test", code.name);
    }
}
