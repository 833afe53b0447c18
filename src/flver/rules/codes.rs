//! The codes, with what the surveys of shipped files found of each rule.

use crate::finding::{Code, Severity};

/// A rule: its code, what to do about a breach with the figures it stands on, and how far it is known.
#[derive(Debug)]
pub struct Rule {
    /// The stable code.
    pub code: Code,
    /// How to mend a breach, and what the rule is true of.
    pub help: &'static str,
    /// Known of the surveyed games alone (Sekiro, Elden Ring): a breach in a file of another version is a note.
    pub surveyed: bool,
}

const fn rule(name: &'static str, severity: Severity, summary: &'static str, help: &'static str) -> Rule {
    Rule { code: Code { name, severity, summary }, help, surveyed: false }
}

const fn surveyed(name: &'static str, severity: Severity, summary: &'static str, help: &'static str) -> Rule {
    Rule { code: Code { name, severity, summary }, help, surveyed: true }
}

use Severity::{Error, Note, Warning};

pub static NODE_LINK_RANGE: Rule = rule(
    "node-link-range",
    Error,
    "a node's parent, child or sibling index names no node",
    "use -1 for none; walking siblings from the first child finds every child, in all 129,270 Sekiro and 535,503 Elden Ring nodes",
);
pub static NODE_CYCLE: Rule = rule(
    "node-cycle",
    Error,
    "a node's chain of parents comes back to itself",
    "give one node of the circle the parent it should have, or -1 for a root; the nodes of all 14,272 Sekiro and 21,938 \
     Elden Ring models that hold vertices could be composed",
);
pub static NODE_SIBLINGS: Rule = surveyed(
    "node-siblings",
    Warning,
    "child and sibling links do not give exactly the nodes whose parent this is",
    "rebuild first child, next and previous sibling from the parents; they agree in every node of both installs \
     (129,270 Sekiro, 535,503 Elden Ring)",
);
pub static NODE_FIRST_CHILD: Rule = surveyed(
    "node-first-child",
    Note,
    "a node's first child is not its child of the lowest index",
    "nothing need be done; it is the lowest in all but 75 Sekiro and 37 Elden Ring nodes",
);
pub static NODE_PARENT_ORDER: Rule = rule(
    "node-parent-order",
    Note,
    "a node stands before its parent",
    "nothing need be done for skinsim; tools that compose nodes in file order place this node wrongly",
);
pub static NODE_BOUNDS: Rule = surveyed(
    "node-bounds",
    Warning,
    "a node's bounds are neither a box nor the inverted sentinel",
    "store the box of the vertices bound to the node, or +3.4028235e38 / -3.4028235e38 on every axis without any: \
     66,485 boxes and 62,785 sentinels in Sekiro, 139,011 and 396,492 in Elden Ring, and nothing else",
);
pub static NODE_FLAGS: Rule = surveyed(
    "node-flags",
    Warning,
    "a node's flags are a value no shipped node has",
    "use one of 0, 1, 2, 4, 6, 8, 10, 12, 14: the only values of all 129,270 Sekiro and 535,503 Elden Ring nodes",
);
pub static NODE_FLAG_UNUSED: Rule = surveyed(
    "node-flag-unused",
    Warning,
    "a node flagged as unused (1) has children, or a mesh or dummy point names it",
    "clear flag 1: all 50,370 Sekiro and 363,132 Elden Ring nodes with it have no children and are named by none",
);
pub static NODE_FLAG_DUMMY: Rule = surveyed(
    "node-flag-dummy",
    Note,
    "a node flagged as a dummy's (2) is named by no dummy point",
    "all 24,493 Elden Ring nodes with flag 2 are named by a dummy point, 8,377 of 10,341 in Sekiro",
);
pub static NODE_SCALE_ZERO: Rule = rule(
    "node-scale-zero",
    Warning,
    "a node flattened by a zero scale carries vertices or dummy points",
    "give the node a scale; 544 Elden Ring nodes have a zero component and none carries a vertex or a dummy point",
);
pub static NODE_SCALE_NEGATIVE: Rule = surveyed(
    "node-scale-negative",
    Warning,
    "a negative scale mirrors what a node carries",
    "mirror the vertices instead; none of 129,270 Sekiro and 535,503 Elden Ring nodes has a negative component",
);
pub static DUMMY_BONE_RANGE: Rule = rule(
    "dummy-bone-range",
    Error,
    "a dummy point's parent or attach bone names no node",
    "use a node's number, or -1 for none",
);
pub static DUMMY_USE_UPWARD: Rule = surveyed(
    "dummy-use-upward",
    Warning,
    "a dummy point's use-upward byte is not 1",
    "store an upward vector and set byte 0x2F to 1, as on all 20,268 Sekiro and 88,340 Elden Ring dummy points",
);
pub static DUMMY_FLAG: Rule = surveyed(
    "dummy-flag",
    Note,
    "a dummy point's byte 0x2E does not say whether it has an attach bone",
    "set it to 1 with an attach bone, 0 without; so on 20,108 of 20,136 Sekiro and 86,033 of 86,135 Elden Ring \
     points of models of more than one node",
);
pub static DUMMY_ALPHA: Rule = surveyed(
    "dummy-alpha",
    Warning,
    "a dummy point's colour is not opaque",
    "set the alpha byte to 255, as on all 20,268 Sekiro and 88,340 Elden Ring dummy points",
);
pub static DUMMY_VECTORS: Rule = surveyed(
    "dummy-vectors",
    Note,
    "a dummy point's forward and upward vectors are not perpendicular",
    "|cos| is above 0.01 on 164 of 20,268 Sekiro and 4,216 of 88,340 Elden Ring points, up to 0.70",
);
pub static SKELETON_SET: Rule = surveyed(
    "skeleton-set",
    Warning,
    "a skeleton cannot be read, or an entry links outside it, contradicts its siblings, is its own ancestor, or maps to no node or another's",
    "rebuild the skeleton set from the nodes: each entry names its node and its place in the hierarchy; both lists were \
     read in 14,459 Sekiro and 22,050 Elden Ring models",
);
pub static RESERVED: Rule = surveyed(
    "flver-reserved",
    Warning,
    "bytes that are zero in every shipped file are not",
    "set them to zero, as in all 14,459 Sekiro and 22,050 reference-readable Elden Ring models",
);
pub static HEADER_BOUNDS: Rule = rule(
    "header-bounds",
    Warning,
    "the header's box is not that of the posed vertices",
    "store the box of the posed vertices; it agrees within 0.1 % in 14,250 of 14,272 Sekiro and 21,935 of 21,938 \
     Elden Ring models that hold vertices",
);
pub static NOT_FINITE: Rule = rule(
    "flver-not-finite",
    Error,
    "a position, normal or node transform is NaN or infinite",
    "repair the vertex data; a shift of some bytes in the buffer shows like this",
);
pub static WEIGHT_SUM: Rule = surveyed(
    "flver-weight-sum",
    Note,
    "a vertex' weights sum to something else than rounding explains",
    "nothing need be done, the programs divide by the sum; shipped sums are 252/255 to 255/255 (c1010: 31,544 of \
     140,330 vertices below 254/255)",
);
pub static WEIGHT_NONE: Rule = rule(
    "flver-weight-none",
    Error,
    "a skinned vertex' weights sum to less than a thousandth",
    "give the vertex a weight: the programs divide by the sum, but by no less than 0.001",
);
pub static WEIGHT_NEGATIVE: Rule = rule(
    "flver-weight-negative",
    Warning,
    "a weight is negative",
    "store weights of 0 to 1; types 0x10, 0x16 and 0x1A are signed",
);
pub static WEIGHT_SHORT4: Rule = rule(
    "flver-weight-short4",
    Note,
    "weights of type 0x16, whose reading is open",
    "read as signed / 32767 (checked population); `run --short-weights flipped` shows the other reading",
);
pub static BONE_INDEX: Rule = rule(
    "flver-bone-index",
    Error,
    "a bone index that moves a vertex lies outside the palette or the nodes",
    "remap the index: into the mesh's palette, or to a node where the palette is empty; the highest weighted joint is \
     101 of 368 nodes in c3000 (Elden Ring) and 109 of 400 in c1010 (Sekiro), both with empty palettes",
);
pub static JOINT_BUFFER: Rule = surveyed(
    "flver-joint-buffer",
    Warning,
    "a weighted joint lies past the 256 matrices a draw binds",
    "weight to lower nodes or use a palette: skinned draws bind 12,288 bytes, 256 matrices; the highest weighted \
     joint is 101 in c3000 (Elden Ring, 368 nodes), 109 in c1010 (Sekiro, 400 nodes)",
);
pub static PALETTE: Rule =
    rule("flver-palette", Warning, "a palette entry names no node", "rebuild the palette with node numbers");
pub static MESH_REFERENCE: Rule = rule(
    "flver-mesh-reference",
    Error,
    "a mesh names a material, face set, vertex buffer or node that does not exist",
    "correct the number",
);
pub static MESH_UNREADABLE: Rule = rule(
    "flver-mesh-unreadable",
    Error,
    "a mesh's vertices or indices cannot be decoded",
    "export the mesh again",
);
pub static POSITION_MISSING: Rule = rule(
    "flver-position-missing",
    Error,
    "a mesh has vertices, and none of its members is a position that can be decoded",
    "give the layout a position (semantic 0) of type 0x02, three floats: without one nothing of the mesh is drawn",
);
pub static DYNAMIC_UNBOUND: Rule = rule(
    "flver-dynamic-unbound",
    Warning,
    "a dynamic mesh's vertices name no bones, so nothing moves them",
    "store bone indices (semantic 2) and weights (semantic 1), or clear the mesh's dynamic byte",
);
pub static STRIDE: Rule = rule(
    "flver-stride",
    Error,
    "a vertex buffer's stride is not the size of its layout",
    "give the buffer the layout its bytes have; layouts were checked in 14,459 Sekiro and 22,050 Elden Ring models",
);
pub static STRIDE_REPAIRED: Rule = rule(
    "flver-stride-repaired",
    Warning,
    "a layout wrongly has or lacks a tangent, and was read as the stride says",
    "correct the layout; some DS1 remaster files (0x2000B to 0x2000D) are shipped like this",
);
pub static LAYOUT_OFFSET: Rule = rule(
    "flver-layout-offset",
    Warning,
    "a layout member's offset is not the sum of the sizes before it",
    "store running sums, as in every layout of 14,459 Sekiro and 22,050 Elden Ring models",
);
pub static MEMBER_UNDECODED: Rule = rule(
    "flver-member-undecoded",
    Warning,
    "a layout member of a semantic and type no source explains",
    "use a type the semantic is shipped with; the member was left alone",
);
pub static UV_ORDER: Rule = surveyed(
    "flver-uv-order",
    Note,
    "a UV member's semantic index is not its ordinal",
    "number UV members 0, 1, 2 … over the mesh's buffers; so in all but 4 of 131,998 Sekiro and 1,712 of 127,550 \
     Elden Ring members",
);
pub static ATTRIBUTE_COUNT: Rule = surveyed(
    "flver-attribute-count",
    Note,
    "more attributes of a kind than any shipped vertex has",
    "no vertex of 166,873,569 in Sekiro and 324,042,558 in Elden Ring holds more than eight UVs (a Float4 or Short4 \
     member is two), three tangents or two colours",
);
pub static PIVOT_W: Rule = surveyed(
    "flver-pivot-w",
    Note,
    "a Half4 pivot's W is not zero",
    "store zero: W is zero in all 978,040 Sekiro and 5,301,513 Elden Ring values outside SpeedTree models",
);
pub static POSITION_W: Rule = surveyed(
    "flver-position-w",
    Note,
    "a four-lane position's W is not zero",
    "store zero, as in the checked data (layouts of 14,459 Sekiro and 22,050 Elden Ring models), or use a three-lane \
     position",
);
pub static FACE_INDEX: Rule = rule(
    "flver-face-index",
    Error,
    "a face set names a vertex the mesh does not have",
    "rebuild the face set",
);
pub static BUFFER_SHARED: Rule = rule(
    "flver-buffer-shared",
    Note,
    "a vertex buffer or face set is named by several meshes",
    "nothing need be done; tools that consume what they read lose the second mesh",
);
pub static RIGID_UNBOUND: Rule = rule(
    "flver-rigid-unbound",
    Note,
    "a static mesh has vertices without a usable bone",
    "store a node in the normal's W or the mesh's NodeIndex; the vertices are left as stored, what the game does is \
     not known",
);
pub static RIGID_W_RANGE: Rule = rule(
    "flver-rigid-w-range",
    Warning,
    "a static vertex' normal W names no node",
    "store the number of the node the vertex follows; NodeIndex was used instead",
);
pub static RIGID_PALETTE: Rule = rule(
    "flver-rigid-palette",
    Note,
    "whether a static vertex' normal W goes through the palette matters here, and is open",
    "empty the palette of a static mesh, then both readings agree; `run --rigid-palette palette` shows the other",
);

/// Every rule of this wing.
static RULES: [&Rule; 44] = [
    &NODE_LINK_RANGE,
    &NODE_CYCLE,
    &NODE_SIBLINGS,
    &NODE_FIRST_CHILD,
    &NODE_PARENT_ORDER,
    &NODE_BOUNDS,
    &NODE_FLAGS,
    &NODE_FLAG_UNUSED,
    &NODE_FLAG_DUMMY,
    &NODE_SCALE_ZERO,
    &NODE_SCALE_NEGATIVE,
    &DUMMY_BONE_RANGE,
    &DUMMY_USE_UPWARD,
    &DUMMY_FLAG,
    &DUMMY_ALPHA,
    &DUMMY_VECTORS,
    &SKELETON_SET,
    &RESERVED,
    &HEADER_BOUNDS,
    &NOT_FINITE,
    &WEIGHT_SUM,
    &WEIGHT_NONE,
    &WEIGHT_NEGATIVE,
    &WEIGHT_SHORT4,
    &BONE_INDEX,
    &JOINT_BUFFER,
    &PALETTE,
    &MESH_REFERENCE,
    &MESH_UNREADABLE,
    &POSITION_MISSING,
    &DYNAMIC_UNBOUND,
    &STRIDE,
    &STRIDE_REPAIRED,
    &LAYOUT_OFFSET,
    &MEMBER_UNDECODED,
    &UV_ORDER,
    &ATTRIBUTE_COUNT,
    &PIVOT_W,
    &POSITION_W,
    &FACE_INDEX,
    &BUFFER_SHARED,
    &RIGID_UNBOUND,
    &RIGID_W_RANGE,
    &RIGID_PALETTE,
];

/// Every code of this wing.
pub static CODES: &[&Code] = &{
    let mut codes = [&RULES[0].code; RULES.len()];
    let mut index = 1;
    while index < codes.len() {
        codes[index] = &RULES[index].code;
        index += 1;
    }
    codes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_the_surveyed_games_says_of_how_many_it_is_true() {
        for rule in RULES.iter().filter(|rule| rule.surveyed) {
            let figure = rule.help.split(|digit: char| !digit.is_ascii_digit() && digit != ',');
            let counted = figure.clone().any(|figure| figure.len() >= 2);
            assert!(counted, "{}: {}", rule.code.name, rule.help);
        }
    }

    #[test]
    fn every_rule_says_what_to_do() {
        for rule in RULES {
            assert!(rule.help.len() > 10 && !rule.help.ends_with('.'), "{}", rule.code.name);
        }
    }
}
