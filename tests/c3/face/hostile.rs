//! Facial sections of any bytes, played by any weights: a frame or an error, never a panic.

use proptest::prelude::*;
use skinsim::c3::format::block::SectionKind;
use skinsim::c3::model::Model;
use skinsim::c3::outcome::Outcome;
use skinsim::c3::poses::{Poses, Rig};
use skinsim::c3::runtime::face::{Face, FaceOptions, FaceRounding, FaceWeight};
use skinsim::c3::runtime::load::LoadPlan;
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::map::Target;

use super::head;

fn weights() -> impl Strategy<Value = Vec<FaceWeight>> {
    let one = (proptest::option::of(0_usize..3), 0_usize..4, any::<f32>());
    proptest::collection::vec(
        one.prop_map(|(object, pose, weight)| FaceWeight { object, pose, weight }),
        1..4,
    )
}

/// A head whose facial section, or all of it, has some bytes replaced.
fn heads() -> impl Strategy<Value = Vec<u8>> {
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    (any::<bool>(), any::<bool>(), edits).prop_map(|(packed, whole, edits)| {
        let mut block = head::block(head::NECK, packed);
        let start = match Model::from_block(&block).unwrap().block.unwrap().section(SectionKind::Facial) {
            Some(section) if !whole => section.view.base() as usize,
            _ => 0,
        };
        let length = block.len() - start;
        for (index, byte) in edits {
            block[start + index.index(length)] = byte;
        }
        block
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn any_face_runs_or_is_refused(block in heads(), weights in weights(), nearest: bool, console: bool) {
        let Ok(model) = Model::from_block(&block) else { return Ok(()) };
        let rounding = if nearest { FaceRounding::Nearest } else { FaceRounding::Truncate };
        let options = FaceOptions { weights, rounding, ..FaceOptions::default() };
        let (Ok(face), Ok(plan)) = (Face::of(&model, &options), LoadPlan::at(&model, 0x80a0_0000)) else {
            return Ok(());
        };
        let Ok(rest) = Poses::rest(&model, &Rig::default(), 1) else { return Ok(()) };
        let target = if console { Target::Console } else { Target::Dolphin };
        let run = RunOptions { target, budget: 100_000, ..RunOptions::default() };
        if let Ok(outcome) = Outcome::run(&model, plan, run, Poses { face, ..rest }) {
            prop_assert!(outcome.pose_error.is_none());
        }
    }
}
