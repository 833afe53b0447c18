//! The codes of this wing.

use crate::finding::{Code, Severity};

macro_rules! codes {
    ($($constant:ident = $name:literal, $severity:ident, $summary:literal;)*) => {
        $(#[doc = $summary]
        pub static $constant: Code =
            Code { name: $name, severity: Severity::$severity, summary: $summary };)*

        /// Every code of this wing.
        pub static CODES: &[&Code] = &[$(&$constant),*];
    };
}

codes! {
    // The files.
    NO_FLEXES = "no-flexes", Note, "the model was read whole and has nothing that flexes";
    MDL_LENGTH = "mdl-length", Note, "the file is longer than its header says";
    VVD_MISSING = "vvd-missing", Note, "no vertices were given, so flexes were not tried on them";
    VVD_CHECKSUM = "vvd-checksum", Error, "the .vvd belongs to another compile than the .mdl";
    VTX_CHECKSUM = "vtx-checksum", Error, "the .vtx belongs to another compile than the .mdl";
    VTX_UNREAD = "vtx-unread", Error, "the .vtx does not describe the meshes of the .mdl";
    MESH_OUTSIDE_VVD = "mesh-outside-vvd", Error, "a mesh's vertices do not lie in the .vvd";
    VERTEX_BONE = "mdl-vertex-bone", Error, "a vertex follows a bone that does not exist";
    VERTEX_NOT_FINITE = "mdl-not-finite", Error, "a vertex's position or normal is NaN or infinite";
    FLEXES_CONVERTED = "flexes-converted", Warning, "flag 0x4000 says that deltas are fixed point in the file";
    FIXED_POINT_SCALE = "fixed-point-scale", Error, "the header's fixed-point scale is used and is no positive number";
    CONTROLLER_UI_UNREAD = "controller-ui-unread", Note, "the controller UI's table does not lie in the file";
    // Targets and inputs.
    FLEXDESC_DUPLICATE = "flexdesc-duplicate", Warning, "two flexdescs have one name";
    FLEXDESC_UNREACHABLE = "flexdesc-unreachable", Warning, "a mesh follows a flexdesc that nothing ever sets";
    FLEXDESC_UNUSED = "flexdesc-unused", Note, "nothing follows or reads a flexdesc";
    FLEXDESC_LIMIT = "flexdesc-limit", Error, "more than 1,024 flexdescs";
    CONTROLLER_LIMIT = "controller-limit", Error, "more than 96 controllers";
    CONTROLLER_DUPLICATE = "controller-duplicate", Warning, "two controllers have one name and so one value";
    CONTROLLER_UNUSED = "controller-unused", Warning, "no rule reads a controller";
    CONTROLLER_RANGE = "controller-range", Warning, "a controller's range is empty, reversed or not finite";
    MOUTH_FLEXDESC = "mouth-flexdesc", Warning, "a mouth drives a flexdesc that does not exist";
    // Rules.
    RULE_FLEXDESC = "rule-flexdesc", Error, "a rule sets a flexdesc that does not exist";
    RULE_SETS_TWICE = "rule-sets-twice", Warning, "two rules set one flexdesc";
    RULE_NEVER_SETS = "rule-never-sets", Warning, "a rule pushes nothing, so its weight is always 0";
    RULE_LEFTOVER = "rule-leftover", Warning, "a rule ends with more than one value; the bottom one counts";
    RULE_ORDER = "rule-order", Warning, "a rule reads a flexdesc that no rule before it sets";
    STACK_UNDERFLOW = "stack-underflow", Error, "an instruction needs more values than the stack holds";
    STACK_OVERFLOW = "stack-overflow", Error, "an instruction pushes onto a full stack of 32";
    OP_CONTROLLER = "op-controller", Error, "an instruction names a controller that does not exist";
    OP_FLEXDESC = "op-flexdesc", Error, "an instruction reads a flexdesc that does not exist";
    OP_UNKNOWN = "op-unknown", Warning, "an opcode that no engine knows";
    OP_IGNORED = "op-ignored", Note, "an instruction that does nothing (EXP, OPEN, CLOSE, COMMA)";
    COMBO_COUNT = "combo-count", Warning, "a count of COMBO or DOMINATE that fails the SDK's check or takes no value";
    EYELID_INDEX = "eyelid-index", Error, "a negative eyeUpDown index: none in older SDKs, the weight itself in 2025's";
    WEIGHT_NOT_FINITE = "weight-not-finite", Error, "a rule gives an infinite or undefined weight";
    // Controller UI.
    UI_OUTSIDE = "ui-outside", Warning, "a UI entry leads to no controller";
    UI_NWAY_VALUE = "ui-nway-value", Warning, "an N-way UI entry has no value controller";
    UI_REMAP = "ui-remap", Warning, "a UI entry's remap type is unknown";
    // Eyeballs.
    EYEBALL_FLEXDESC = "eyeball-flexdesc", Error, "an eyelid names a flexdesc that does not exist";
    EYEBALL_RADIUS = "eyeball-radius", Error, "an eyeball's radius is no positive number";
    EYEBALL_VECTORS = "eyeball-vectors", Error, "an eyeball's origin, up or forward is not finite or points nowhere";
    EYEBALL_TARGET = "eyeball-target", Warning, "an eyelid's target lies beyond the eyeball";
    EYEBALL_BONE = "eyeball-bone", Error, "an eyeball sits in a bone that does not exist";
    // Flexes.
    FLEX_FLEXDESC = "flex-flexdesc", Error, "a mesh's flex follows a flexdesc that does not exist";
    FLEX_TARGETS = "flex-targets", Warning, "a flex's four targets do not ascend";
    FLEX_KIND = "flex-kind", Warning, "a flex's vertex animation type is unknown";
    STEREO_ONE_SIDED = "stereo-one-sided", Warning, "all vertices of a stereo pair have one side byte";
    STEREO_WITHOUT_PAIR = "stereo-without-pair", Note, "side bytes vary in a flex that has no pair";
    DELTA_WRAPS = "delta-wraps", Error, "a delta too large for fixed point wraps to the other side";
    DELTA_NOT_FINITE = "delta-not-finite", Warning, "a half-float delta is an infinity or a NaN";
    FLEXED_VERTEX_LIMIT = "flexed-vertex-limit", Warning, "more than 10,000 flexed vertices in a mesh";
    VERTANIM_BEYOND_LOD = "vertanim-beyond-lod", Warning, "a vertex animation's index lies beyond the mesh's level of detail";
    COINCIDENT_SEPARATED = "coincident-separated", Warning, "a flex separates vertices that lie on one point";
}
