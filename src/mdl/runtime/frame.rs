//! A frame of a face, in the engine's order: controllers → rules → delay → for each body part: its
//! eyelids, then its meshes' flexes → skinning.

use super::controllers;
use super::deform::{self, Vertices};
use super::delay::{self, DelayedLids};
use super::eyelid;
use super::face::{Face, FacePart};
use super::machine::Refusal;
use super::options::Options;
use super::rules::{self, Event};
use super::skin;

/// What a frame gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Value of each controller, in its own range.
    pub controllers: Vec<f32>,
    /// Weight of each flexdesc after the rules.
    pub rule_weights: Vec<f32>,
    /// The same after the eyelids.
    pub weights: Vec<f32>,
    /// Delayed weight of each flexdesc, when there was a frame before.
    pub delayed_weights: Option<Vec<f32>>,
    /// The deformed vertices, in the order of [`Face::meshes`].
    pub vertices: Vertices,
    /// Instructions that did nothing: rule, instruction, why.
    pub refusals: Vec<(usize, usize, Refusal)>,
    /// Moves of vertices that the engine's limit left out.
    pub left_out: usize,
}

/// Current and delayed weights while a frame is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// By flexdesc.
    pub current: Vec<f32>,
    /// By flexdesc; `None` in a first frame, whose delayed weights are the current ones.
    pub delayed: Option<Vec<f32>>,
}

impl Weights {
    /// Current and delayed weight of a flexdesc that exists.
    pub(super) fn of(&self, flexdesc: usize) -> [f32; 2] {
        let current = self.current[flexdesc];
        [current, self.delayed.as_ref().map_or(current, |delayed| delayed[flexdesc])]
    }
}

/// Computes a frame. Missing controller values count as the controllers' minimums.
pub fn run(face: &Face, options: &Options) -> Frame {
    let mdl = face.mdl;
    let mut values = controllers::minimums(mdl);
    if let Some(given) = &options.controllers {
        std::iter::zip(&mut values, given).for_each(|(value, given)| *value = *given);
    }
    let mut refusals = Vec::new();
    let rule_weights = rules::run(mdl, &values, options.sdk, options.count_check, |event| {
        if let Event::Step { rule, at, refusal: Some(refusal), .. } = event {
            refusals.push((rule, at, refusal));
        }
    });
    let mut weights =
        Weights { delayed: delayed(face, options, &rule_weights), current: rule_weights.clone() };
    let mut vertices = face.rest.clone();
    let mut left_out = 0;
    for part in &face.parts {
        eyelids(face, part, options, &mut weights);
        for mesh in &part.meshes {
            left_out += deform::mesh(mesh, &weights, options.ramp, options.engine_limit, &mut vertices);
        }
    }
    if let Some(matrices) = &options.skin {
        skin::apply(&face.stored, matrices, &mut vertices);
    }
    Frame {
        controllers: values,
        rule_weights,
        weights: weights.current,
        delayed_weights: weights.delayed,
        vertices,
        refusals,
        left_out,
    }
}

/// The delayed weights of a frame that has one before it.
fn delayed(face: &Face, options: &Options, now: &[f32]) -> Option<Vec<f32>> {
    let delay = options.delay.as_ref()?;
    let before = rules::run(face.mdl, &delay.before, options.sdk, options.count_check, |_| ());
    let decay = delay::decay(delay.seconds);
    Some(std::iter::zip(before, now).map(|(old, &new)| delay::advance(old, new, decay)).collect())
}

fn eyelids(face: &Face, part: &FacePart, options: &Options, weights: &mut Weights) {
    for eye in part.model.eyeballs.iter().filter(|eye| !eye.non_facs) {
        let bone_to_world = skin::bone_to_world(face.mdl, eye.bone, options.skin.as_deref());
        let heights = eyelid::heights(eye, &bone_to_world, options.view_target, &weights.current);
        for (lid, height) in std::iter::zip([&eye.upper, &eye.lower], heights) {
            let Ok(at) = usize::try_from(lid.lid_flexdesc) else { continue };
            if let Some(weight) = weights.current.get_mut(at) {
                *weight = height;
            }
            if options.delayed_lids == DelayedLids::Current
                && let Some(weight) = weights.delayed.as_mut().and_then(|delayed| delayed.get_mut(at))
            {
                *weight = height;
            }
        }
    }
}
