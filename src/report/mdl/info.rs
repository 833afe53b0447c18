//! What is in an MDL: one value, rendered as text or as JSON (`skinsim.info/1`, kind `mdl`).

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::mdl::format::Mdl;
use crate::mdl::format::eyeball::Eyeball;
use crate::mdl::format::flex::{FlexController, Mouth, Remap};
use crate::mdl::format::header::Header;
use crate::mdl::format::mesh;
use crate::mdl::format::vvd::Vvd;
use crate::printable::printable;

/// Everything `info` tells about an MDL.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MdlInfo {
    /// `skinsim.info/1`.
    pub schema: &'static str,
    /// `mdl`.
    pub kind: &'static str,
    /// As named on the command line.
    pub model: String,
    /// The header's own fields.
    pub header: Header,
    /// Whether anything in the model can flex. `false` says that all of it was read and none was found.
    pub has_flexes: bool,
    /// How position and normal deltas are stored.
    pub deltas: &'static str,
    /// Units a step of a fixed-point delta.
    pub fixed_point_scale: f32,
    /// Bones by name.
    pub bones: Vec<String>,
    /// Targets by name.
    pub flexdescs: Vec<String>,
    /// Inputs.
    pub controllers: Vec<FlexController>,
    /// Programs in the order they run.
    pub rules: Vec<RuleInfo>,
    /// Groups of sliders in the face poser.
    pub controller_ui: Vec<UiInfo>,
    /// Why the controller UI was not read, where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_ui_error: Option<String>,
    /// Flexdescs driven by sound.
    pub mouths: Vec<Mouth>,
    /// Body parts with models, meshes and flexes.
    pub body_parts: Vec<BodyPartInfo>,
    /// The vertex file, when one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vvd: Option<VvdInfo>,
}

/// A flex rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuleInfo {
    /// Index of the flexdesc it sets.
    pub flexdesc: i32,
    /// That flexdesc with its name.
    pub name: String,
    /// Instructions with their operands, names resolved.
    pub ops: Vec<String>,
}

/// A group of sliders; controllers resolved to indices.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UiInfo {
    /// Name shown.
    pub name: String,
    /// Kind of slider.
    pub remap: Remap,
    /// Whether it is split into left and right.
    pub stereo: bool,
    /// Controllers: the only or left one, the right one, the value controller of an N-way slider.
    /// `null` where the index leads to no controller or is not used.
    pub controllers: [Option<usize>; 3],
}

/// A body part.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BodyPartInfo {
    /// Name.
    pub name: String,
    /// Divisor that picks the model out of the body number.
    pub base: i32,
    /// Alternatives.
    pub models: Vec<ModelInfo>,
}

/// A model of a body part.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelInfo {
    /// Source file's name.
    pub name: String,
    /// Vertices of all its meshes.
    pub vertices: i32,
    /// Meshes.
    pub meshes: Vec<MeshInfo>,
    /// Eyeballs.
    pub eyeballs: Vec<Eyeball>,
}

/// A mesh.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MeshInfo {
    /// Material's index.
    pub material: i32,
    /// Vertices at the finest level of detail.
    pub vertices: i32,
    /// First vertex, counted from the model's first.
    pub vertex_offset: i32,
    /// Flexes in the order they accumulate.
    pub flexes: Vec<FlexInfo>,
}

/// A flex.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlexInfo {
    /// Index of the flexdesc followed.
    pub flexdesc: i32,
    /// Index of the other side's flexdesc, 0 for none.
    pub pair: i32,
    /// Ramp.
    pub targets: [f32; 4],
    /// Whether the entries carry wrinkle deltas.
    pub wrinkle: bool,
    /// Number of vertices moved.
    pub vertices: usize,
}

/// A vertex file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VvdInfo {
    /// Its checksum, which must be the header's.
    pub checksum: u32,
    /// Levels of detail.
    pub lods: i32,
    /// Vertices at each.
    pub lod_vertices: [u32; mesh::MAX_LODS],
    /// Runs shared between levels of detail.
    pub fixups: u32,
}

impl MdlInfo {
    /// Gathers what `info` tells.
    pub fn new(model: impl Into<String>, mdl: &Mdl, vvd: Option<&Vvd>) -> Self {
        Self {
            schema: "skinsim.info/1",
            kind: "mdl",
            model: model.into(),
            header: mdl.header.clone(),
            has_flexes: !mdl.has_no_flexes(),
            deltas: if mdl.header.flexes_converted() { "fixed" } else { "half" },
            fixed_point_scale: mdl.header.fixed_point_scale(),
            bones: mdl.bones.iter().map(|bone| bone.name.clone()).collect(),
            flexdescs: mdl.flexdescs.iter().map(|desc| desc.name.clone()).collect(),
            controllers: mdl.controllers.clone(),
            rules: mdl.rules.iter().map(|rule| rule_info(mdl, rule)).collect(),
            controller_ui: mdl.controller_ui.iter().map(|ui| ui_info(mdl, ui)).collect(),
            controller_ui_error: mdl.controller_ui_error.as_ref().map(ToString::to_string),
            mouths: mdl.mouths.clone(),
            body_parts: mdl.body_parts.iter().map(body_part_info).collect(),
            vvd: vvd.map(|vvd| VvdInfo {
                checksum: vvd.checksum,
                lods: vvd.lod_count,
                lod_vertices: vvd.lod_vertex_counts,
                fixups: vvd.fixup_count,
            }),
        }
    }
}

fn rule_info(mdl: &Mdl, rule: &crate::mdl::format::flex::FlexRule) -> RuleInfo {
    RuleInfo {
        flexdesc: rule.flexdesc,
        name: mdl.flexdesc_name(rule.flexdesc),
        ops: rule.ops.iter().map(|&op| super::op_text(mdl, op)).collect(),
    }
}

fn ui_info(mdl: &Mdl, ui: &crate::mdl::format::flex::ControllerUi) -> UiInfo {
    let controller = |at: usize| mdl.ui_controller(ui, ui.indices[at]);
    UiInfo {
        name: ui.name.clone(),
        remap: ui.remap,
        stereo: ui.stereo,
        controllers: [
            controller(0),
            if ui.stereo { controller(1) } else { None },
            if ui.remap == Remap::NWay { controller(2) } else { None },
        ],
    }
}

fn body_part_info(part: &mesh::BodyPart) -> BodyPartInfo {
    let mesh_info = |mesh: &mesh::Mesh| MeshInfo {
        material: mesh.material,
        vertices: mesh.vertex_count,
        vertex_offset: mesh.vertex_offset,
        flexes: mesh
            .flexes
            .iter()
            .map(|flex| FlexInfo {
                flexdesc: flex.flexdesc,
                pair: flex.pair,
                targets: flex.targets,
                wrinkle: flex.anim_type == 1,
                vertices: flex.anims.len(),
            })
            .collect(),
    };
    let model_info = |model: &mesh::Model| ModelInfo {
        name: model.name.clone(),
        vertices: model.vertex_count,
        meshes: model.meshes.iter().map(mesh_info).collect(),
        eyeballs: model.eyeballs.clone(),
    };
    BodyPartInfo {
        name: part.name.clone(),
        base: part.base,
        models: part.models.iter().map(model_info).collect(),
    }
}

/// The same for people.
pub fn text(info: &MdlInfo) -> String {
    let mut out = String::new();
    head(&mut out, info);
    if !info.has_flexes {
        out.push_str("no flexes: no targets, controllers, rules or vertex animations\n");
    }
    controllers(&mut out, info);
    let _ = section(&mut out, "flexdescs", info.flexdescs.iter().enumerate(), |out, (index, name)| {
        writeln!(out, "  {index:>4}  {}", printable(name))
    });
    let _ = section(&mut out, "rules", info.rules.iter(), |out, rule| {
        writeln!(out, "  {} =  {}", printable(&rule.name), printable(&rule.ops.join("; ")))
    });
    let _ = section(&mut out, "mouths", info.mouths.iter(), |out, mouth| {
        writeln!(out, "  bone {}  flexdesc {}", mouth.bone, mouth.flexdesc)
    });
    let _ = section(&mut out, "body parts", info.body_parts.iter(), |out, part| body_part(out, info, part));
    out
}

fn head(out: &mut String, info: &MdlInfo) {
    let header = &info.header;
    let (model, name) = (printable(&info.model), printable(&header.name));
    let _ = writeln!(out, "{model}: Source MDL version {}, '{name}'", header.version);
    let _ = writeln!(
        out,
        "checksum {:#010x}, flags {:#x}, {} bones, {} bone flex drivers",
        header.checksum,
        header.flags,
        info.bones.len(),
        header.bone_flex_drivers
    );
    let form = if info.deltas == "fixed" {
        "fixed point in the file (flag 0x4000 set)"
    } else {
        "half floats in the file (flag 0x4000 clear)"
    };
    let _ = writeln!(out, "deltas: {form}, fixed-point scale {}", info.fixed_point_scale);
    match &info.vvd {
        Some(vvd) => {
            let _ = writeln!(
                out,
                "vertices: {} in the .vvd, {} levels of detail, {} fixups, checksum {:#010x}",
                vvd.lod_vertices[0], vvd.lods, vvd.fixups, vvd.checksum
            );
        }
        None => out.push_str("vertices: no .vvd found beside the model (--vvd FILE names one)\n"),
    }
}

fn controllers(out: &mut String, info: &MdlInfo) {
    let _ = section(out, "controllers", info.controllers.iter().enumerate(), |out, (index, controller)| {
        let FlexController { kind, name, min, max, .. } = controller;
        let (kind, name) = (printable(kind), printable(name));
        writeln!(out, "  {index:>4}  {name}  {min} to {max}  ({kind})")
    });
    let _ = section(out, "controller UI", info.controller_ui.iter(), |out, ui| {
        let name = |at: usize| {
            ui.controllers[at].map_or("-".into(), |index| printable(&info.controllers[index].name))
        };
        let stereo = if ui.stereo { format!(" / {}", name(1)) } else { String::new() };
        let value = if ui.remap == Remap::NWay { format!(", value {}", name(2)) } else { String::new() };
        writeln!(out, "  {}  {:?}  {}{stereo}{value}", printable(&ui.name), ui.remap, name(0))
    });
    if let Some(error) = &info.controller_ui_error {
        let _ = writeln!(out, "controller UI: not read ({error})");
    }
}

fn section<T>(
    out: &mut String,
    title: &str,
    items: impl ExactSizeIterator<Item = T>,
    mut line: impl FnMut(&mut String, T) -> std::fmt::Result,
) -> std::fmt::Result {
    if items.len() > 0 {
        writeln!(out, "{title} ({}):", items.len())?;
    }
    for item in items {
        line(out, item)?;
    }
    Ok(())
}

fn body_part(out: &mut String, info: &MdlInfo, part: &BodyPartInfo) -> std::fmt::Result {
    let desc = |index: i32| {
        let name = usize::try_from(index).ok().and_then(|at| info.flexdescs.get(at));
        name.map_or("(none)".into(), |name| printable(name))
    };
    for (index, model) in part.models.iter().enumerate() {
        let names = (printable(&part.name), printable(&model.name));
        writeln!(out, "  {} [{index}] {}: {} vertices", names.0, names.1, model.vertices)?;
        for (number, eye) in model.eyeballs.iter().enumerate() {
            let Eyeball { bone, radius, upper, lower, .. } = eye;
            let lids = if eye.non_facs {
                "lids not driven".to_owned()
            } else {
                format!("lids '{}', '{}'", desc(upper.lid_flexdesc), desc(lower.lid_flexdesc))
            };
            writeln!(out, "    eyeball {number}  bone {bone}  radius {radius}  {lids}")?;
        }
        for (number, mesh) in model.meshes.iter().enumerate() {
            writeln!(
                out,
                "    mesh {number}  material {}  {} vertices from {}  {} flexes",
                mesh.material,
                mesh.vertices,
                mesh.vertex_offset,
                mesh.flexes.len()
            )?;
            for flex in &mesh.flexes {
                let pair = if flex.pair == 0 { String::new() } else { format!(" / '{}'", desc(flex.pair)) };
                let wrinkle = if flex.wrinkle { ", wrinkle" } else { "" };
                writeln!(
                    out,
                    "      '{}'{pair}  ramp {:?}  {} vertices{wrinkle}",
                    desc(flex.flexdesc),
                    flex.targets,
                    flex.vertices
                )?;
            }
        }
    }
    Ok(())
}
