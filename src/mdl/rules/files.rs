//! The files as such: length, checksums, and how deltas are stored.

use super::{
    CONTROLLER_UI_UNREAD, FIXED_POINT_SCALE, FLEXES_CONVERTED, Findings, MDL_LENGTH, NO_FLEXES, VTX_CHECKSUM,
    VTX_UNREAD, VVD_CHECKSUM, VVD_MISSING, wrong,
};
use crate::finding::{Effect, Place};
use crate::mdl::format::Mdl;
use crate::mdl::format::vtx::Vtx;
use crate::mdl::format::vvd::Vvd;

pub(super) fn check(mdl: &Mdl, vvd: Option<&Vvd>, findings: &mut Findings) {
    let header = || Place::section("header");
    if mdl.has_no_flexes() {
        findings.add(
            &NO_FLEXES,
            Place::section("flexes"),
            "no flexdescs, controllers, rules or vertex animations".to_owned(),
            Effect::None,
            "Nothing to mend, unless the model should have a face: then the compiler was given no flex file. 204 of \
             Team Fortress 2's 9,858 models have flexes",
        );
    }
    let extra = mdl.file_length.saturating_sub(u64::from(mdl.header.length));
    if extra > 0 {
        findings.add(
            &MDL_LENGTH,
            header().field("length").offset(76),
            format!("{extra} bytes follow the {} that the header counts", mdl.header.length),
            Effect::None,
            "Nothing reads them; a tool may have appended data",
        );
    }
    vertices(mdl, vvd, findings);
    deltas(mdl, findings);
    if let Some(error) = &mdl.controller_ui_error {
        findings.add(
            &CONTROLLER_UI_UNREAD,
            header().field("flexcontrolleruiindex").offset(388),
            error.to_string(),
            Effect::None,
            "Branches of version 49 use the field for something else; only the face poser needs the table",
        );
    }
}

fn vertices(mdl: &Mdl, vvd: Option<&Vvd>, findings: &mut Findings) {
    match vvd {
        None => findings.add(
            &VVD_MISSING,
            Place::section("VVD"),
            "no .vvd lies beside the .mdl".to_owned(),
            Effect::None,
            "Put the .vvd of the same compile beside the model",
        ),
        Some(vvd) if vvd.checksum != mdl.header.checksum => findings.add(
            &VVD_CHECKSUM,
            Place::section("VVD").field("checksum").offset(8),
            format!("checksum {:#010x}, the .mdl has {:#010x}", vvd.checksum, mdl.header.checksum),
            Effect::Faults("the engine refuses the vertices and does not draw the model".to_owned()),
            "Use the .vvd of the same compile, or compile the model again",
        ),
        Some(_) => {}
    }
}

/// The triangles beside a model: of the same compile, and of its meshes.
pub(super) fn triangles(mdl: &Mdl, bytes: &[u8], findings: &mut Findings) {
    let (want, place) = (mdl.header.checksum, Place::section("VTX"));
    match Vtx::read(bytes, mdl) {
        Err(error) => findings.add(
            &VTX_UNREAD,
            place.offset(error.offset),
            error.to_string(),
            Effect::Faults(
                "the engine draws triangles of other vertices, or reads beyond the file".to_owned(),
            ),
            "Use the .vtx of the same compile, or compile the model again",
        ),
        Ok(vtx) if vtx.checksum != want => findings.add(
            &VTX_CHECKSUM,
            place.field("checksum").offset(16),
            format!("checksum {:#010x}, the .mdl has {want:#010x}", vtx.checksum),
            Effect::Faults("the engine refuses the triangles and does not draw the model".to_owned()),
            "Use the .vtx of the same compile, or compile the model again",
        ),
        Ok(_) => {}
    }
}

fn deltas(mdl: &Mdl, findings: &mut Findings) {
    if mdl.header.flexes_converted() && mdl.flexes().next().is_some() {
        findings.add(
            &FLEXES_CONVERTED,
            Place::section("header").field("flags").offset(152),
            "flag 0x4000 is set: the deltas count as fixed point and are not converted at load".to_owned(),
            wrong("if the file holds half floats after all, the face explodes"),
            "Compilers never set the flag (it is set on no file of Team Fortress 2); clear it unless a tool converted \
             the deltas",
        );
    }
    let scale = mdl.header.vert_anim_fixed_point_scale;
    if mdl.header.has_fixed_point_scale() && !(scale > 0.0 && scale.is_finite()) {
        findings.add(
            &FIXED_POINT_SCALE,
            Place::section("header").field("flVertAnimFixedPointScale").offset(392),
            format!("flag 0x200000 is set and the scale is {scale}"),
            wrong("every delta becomes 0 or is thrown far away"),
            "Write a positive scale (1/4096 is usual) or clear the flag; one model of Team Fortress 2 sets it",
        );
    }
}
