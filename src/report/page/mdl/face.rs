//! What the page's own machine needs to run a face's rules and move its vertices: programs, flexes and
//! lids as the runtime has them, every float to the bit.

use serde::Serialize;

use crate::mdl::Options;
use crate::mdl::format::Mdl;
use crate::mdl::format::flex::{ControllerUi, Remap};
use crate::mdl::format::opcode::{Op, Operand};
use crate::mdl::runtime::controllers;
use crate::mdl::runtime::deform::Ramp;
use crate::mdl::runtime::eyelid::{self, LidShape};
use crate::mdl::runtime::face::{Face, FaceFlex, FaceMesh, FacePart};
use crate::mdl::runtime::machine::{CountCheck, Sdk};
use crate::report::page::pack;

/// A face.
#[derive(Debug, Serialize)]
pub struct PageFace {
    /// Names of the controllers.
    pub controllers: Vec<String>,
    /// Least, greatest and first value of each controller, f32.
    pub ranges: String,
    /// Sliders that belong together.
    pub groups: Vec<Group>,
    /// Names of the flexdescs.
    pub flexdescs: Vec<String>,
    /// The rules in file order.
    pub rules: Vec<Rule>,
    /// Body parts in order: each sets its eyelids and moves its meshes.
    pub parts: Vec<Part>,
    /// Vertices at rest, f32.
    pub rest: String,
    /// `2025` or `older`: whose stack machine.
    pub sdk: &'static str,
    /// `controllers` or `depth`: what counts of COMBO and DOMINATE are compared with.
    pub count_check: &'static str,
    /// `always` or `shortcut`.
    pub ramp: &'static str,
    /// Whether flexed vertices beyond 10,000 a mesh are left out.
    pub engine_limit: bool,
}

/// Sliders of one control of the face poser.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// What kind of control it is.
    pub kind: &'static str,
    /// A label and a controller for each slider.
    pub sliders: Vec<(String, usize)>,
}

/// A rule.
#[derive(Debug, Serialize)]
pub struct Rule {
    /// The flexdesc it sets.
    pub flexdesc: i32,
    /// Name and operand of each instruction; a constant is given by its bits.
    pub ops: Vec<(&'static str, i64)>,
}

/// A body part's chosen model.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Eyes, each with its lids: the heights of one eye's lids are found before either is set.
    pub eyes: Vec<Vec<PageLid>>,
    /// Meshes in order.
    pub meshes: Vec<PageMesh>,
}

/// A lid: angles by which its three flexdescs turn it, and what its height is made of.
#[derive(Debug, Serialize)]
pub struct PageLid {
    /// The flexdesc that receives the height.
    pub flexdesc: usize,
    /// Raiser, neutral and lowerer.
    pub inputs: [i32; 3],
    /// The angle of each, then the eye's aimed up, aimed forward, own up, and its radius: f32.
    pub numbers: String,
}

/// A mesh's flexes.
#[derive(Debug, Serialize)]
pub struct PageMesh {
    /// First vertex.
    pub first: usize,
    /// In the order in which they accumulate.
    pub flexes: Vec<PageFlex>,
}

/// A flex.
#[derive(Debug, Serialize)]
pub struct PageFlex {
    /// The flexdesc followed.
    pub flexdesc: usize,
    /// The other side's.
    pub pair: Option<usize>,
    /// The four targets, f32.
    pub targets: String,
    /// Vertices moved, counted from the mesh's first, u16.
    pub vertices: String,
    /// Speed and side of each, a byte each.
    pub mixes: String,
    /// Deltas, three f32 each.
    pub deltas: String,
}

impl PageFace {
    /// Packs a face.
    pub fn new(face: &Face, options: &Options) -> Self {
        let mdl = face.mdl;
        let mut values = controllers::minimums(mdl);
        if let Some(given) = &options.controllers {
            std::iter::zip(&mut values, given).for_each(|(value, given)| *value = *given);
        }
        let ranges = mdl.controllers.iter().zip(values).flat_map(|(it, value)| [it.min, it.max, value]);
        Self {
            controllers: mdl.controllers.iter().map(|controller| controller.name.clone()).collect(),
            ranges: pack::f32s(ranges),
            groups: groups(mdl),
            flexdescs: mdl.flexdescs.iter().map(|desc| desc.name.clone()).collect(),
            rules: mdl
                .rules
                .iter()
                .map(|rule| Rule { flexdesc: rule.flexdesc, ops: ops(&rule.ops) })
                .collect(),
            parts: face.parts.iter().map(|part| Part::new(face, part, options)).collect(),
            rest: pack::f32s(face.rest.positions.iter().flatten().copied()),
            sdk: match options.sdk {
                Sdk::Checked => "2025",
                Sdk::Unchecked => "older",
            },
            count_check: match options.count_check {
                CountCheck::Controllers => "controllers",
                CountCheck::Depth => "depth",
            },
            ramp: match options.ramp {
                Ramp::Always => "always",
                Ramp::Shortcut => "shortcut",
            },
            engine_limit: options.engine_limit,
        }
    }
}

fn ops(ops: &[Op]) -> Vec<(&'static str, i64)> {
    let operand = |op: &Op| match op.operand() {
        Operand::None => 0,
        Operand::Value(value) => value.to_bits().into(),
        Operand::Controller(index) | Operand::FlexDesc(index) | Operand::Count(index) => index.into(),
    };
    ops.iter().map(|op| (op.name(), operand(op))).collect()
}

impl Part {
    fn new(face: &Face, part: &FacePart, options: &Options) -> Self {
        let shapes = eyelid::shapes(face.mdl, part.model, options.view_target);
        Self {
            eyes: shapes.into_iter().map(|lids| lids.into_iter().map(PageLid::from).collect()).collect(),
            meshes: part.meshes.iter().map(PageMesh::new).collect(),
        }
    }
}

impl From<LidShape> for PageLid {
    fn from(lid: LidShape) -> Self {
        let vectors = [lid.angles, lid.aimed_up, lid.aimed_forward, lid.up];
        Self {
            flexdesc: lid.flexdesc,
            inputs: lid.inputs,
            numbers: pack::f32s(vectors.into_iter().flatten().chain([lid.radius])),
        }
    }
}

impl PageMesh {
    fn new(mesh: &FaceMesh) -> Self {
        Self {
            first: mesh.first,
            flexes: mesh.flexes.iter().map(|flex| PageFlex::new(flex, mesh.first)).collect(),
        }
    }
}

impl PageFlex {
    fn new(flex: &FaceFlex, first: usize) -> Self {
        let byte = |part: f32| (part * 255.0).round() as u8;
        let mixes: Vec<u8> = flex.anims.iter().flat_map(|anim| [byte(anim.speed), byte(anim.side)]).collect();
        Self {
            flexdesc: flex.flexdesc,
            pair: flex.pair,
            targets: pack::f32s(flex.targets),
            vertices: pack::u16s(flex.anims.iter().map(|anim| (anim.vertex - first) as u16)),
            mixes: pack::bytes(&mixes),
            deltas: pack::f32s(flex.anims.iter().flat_map(|anim| anim.delta)),
        }
    }
}

/// The controls of the face poser, then the controllers that it does not show, by their own groups.
fn groups(mdl: &Mdl) -> Vec<Group> {
    let mut groups: Vec<Group> = mdl.controller_ui.iter().map(|ui| group(mdl, ui)).collect();
    groups.retain(|group| !group.sliders.is_empty());
    let mut shown = vec![false; mdl.controllers.len()];
    groups.iter().flat_map(|group| &group.sliders).for_each(|(_, at)| shown[*at] = true);
    let mut rest: Vec<Group> = Vec::new();
    for (at, controller) in mdl.controllers.iter().enumerate().filter(|(at, _)| !shown[*at]) {
        let slider = (controller.name.clone(), at);
        match rest.iter_mut().find(|group| group.name == controller.kind) {
            Some(group) => group.sliders.push(slider),
            None => {
                rest.push(Group {
                    name: controller.kind.clone(),
                    kind: "controllers",
                    sliders: vec![slider],
                });
            }
        }
    }
    groups.append(&mut rest);
    groups
}

fn group(mdl: &Mdl, ui: &ControllerUi) -> Group {
    let mut slots: Vec<(usize, &str)> =
        if ui.stereo { vec![(0, "left"), (1, "right")] } else { vec![(0, "")] };
    if ui.remap == Remap::NWay {
        slots.push((2, "value"));
    }
    let slider = |(slot, label): (usize, &str)| {
        let at = mdl.ui_controller(ui, ui.indices[slot])?;
        let label = if label.is_empty() { mdl.controllers[at].name.clone() } else { label.to_owned() };
        Some((label, at))
    };
    let kind = match ui.remap {
        Remap::PassThrough => "slider",
        Remap::TwoWay => "two-way",
        Remap::NWay => "N-way",
        Remap::Eyelid => "eyelid",
        Remap::Unknown(_) => "unknown kind",
    };
    Group { name: ui.name.clone(), kind, sliders: slots.into_iter().filter_map(slider).collect() }
}
