//! Weights, bones and positions.

use super::*;

#[test]
fn positions_that_are_not_numbers_are_errors_with_mesh_and_vertex() {
    let findings = check(&changed(|model| {
        model.buffers[0].bytes[24..28].copy_from_slice(&f32::NAN.to_le_bytes());
    }));
    let finding = findings.iter().find(|finding| finding.code.name == "flver-not-finite").unwrap();
    assert_eq!((finding.severity, finding.place.vertex), (Severity::Error, Some(1)));
    assert!(finding.place.entry.as_ref().unwrap().contains("mesh 0 'Skin'"));
}

#[test]
fn weights_are_judged_by_their_sum() {
    let weights =
        |bytes: [u8; 4]| changed(move |model| model.buffers[0].bytes[20..24].copy_from_slice(&bytes));
    assert_eq!(codes(&weights([252, 0, 0, 0])), [""; 0]);
    assert_eq!(codes(&weights([128, 0, 0, 0])), ["flver-weight-sum"]);
    assert_eq!(codes(&weights([200, 200, 0, 0])), ["flver-weight-sum"]);
    let findings = check(&weights([0; 4]));
    assert_eq!((findings[0].code.name, findings[0].severity), ("flver-weight-none", Severity::Error));
}

#[test]
fn signed_weights_below_zero_are_told() {
    let model = changed(|model| {
        model.layouts[0][3] = member(1, 0x10, 0);
        for vertex in 0..3 {
            model.buffers[0].bytes[vertex * 24 + 20..vertex * 24 + 24].copy_from_slice(&[127, 10, 0xF6, 0]);
        }
    });
    assert_eq!(codes(&model), ["flver-weight-negative"]);
}

#[test]
fn weights_of_type_0x16_are_read_and_the_choice_is_told() {
    let model = changed(|model| {
        model.layouts[0][3] = member(1, 0x16, 0);
        model.buffers[0].stride = 28;
        let vertex = |position: [f32; 3]| {
            [&floats(&position)[..], &[127, 254, 127, 0, 1, 0, 0, 0, 0xFF, 0x7F, 0, 0, 0, 0, 0, 0]].concat()
        };
        model.buffers[0].bytes =
            [vertex([0.0; 3]), vertex([1.0, 0.0, 0.0]), vertex([0.0, 1.0, 0.0])].concat();
    });
    assert_eq!(codes(&model), ["flver-weight-short4"]);
}

#[test]
fn a_weighted_index_outside_nodes_or_palette_is_an_error_an_unweighted_one_is_nothing() {
    let finding = only(|model| model.buffers[0].bytes[16] = 3);
    assert_eq!((finding.code.name, finding.severity), ("flver-bone-index", Severity::Error));
    assert!(finding.text.contains("the 3 nodes"), "{}", finding.text);
    assert_eq!(codes(&changed(|model| model.buffers[0].bytes[18] = 200)), [""; 0]);
    let finding = only(|model| model.meshes[0].palette = vec![0, 1]);
    assert!(finding.text.contains("palette of 2 entries"), "{}", finding.text);
    assert_eq!(codes(&changed(|model| model.meshes[0].palette = vec![0, 1, 2])), [""; 0]);
}

#[test]
fn a_joint_past_the_bound_matrices_is_told() {
    let model = changed(|model| {
        for _ in 3..300 {
            model.nodes.push(crate::flver::builder::node("", [0.0; 3], [-1, -1, -1, -1]));
        }
        model.meshes[0].palette = vec![0, 280, 2];
    });
    assert_eq!(codes(&model), ["flver-joint-buffer"]);
}

#[test]
fn a_static_vertex_whose_w_names_no_node_falls_back_and_says_so() {
    let finding = only(|model| model.buffers[1].bytes[15] = 200);
    assert_eq!(finding.code.name, "flver-rigid-w-range");
    let model = changed(|model| {
        model.buffers[1].bytes[15] = 200;
        model.meshes[1].node_index = -1;
    });
    assert_eq!(
        codes(&model),
        ["header-bounds", "flver-rigid-unbound", "flver-rigid-w-range"]
            .map(|code| code)
            .iter()
            .filter(|code| codes(&model).contains(code))
            .copied()
            .collect::<Vec<_>>()
    );
    assert!(codes(&model).contains(&"flver-rigid-unbound"));
}

#[test]
fn a_static_mesh_whose_palette_would_change_its_bones_says_that_this_is_open() {
    assert_eq!(codes(&changed(|model| model.meshes[1].palette = vec![0, 1, 2])), [""; 0]);
    let finding = only(|model| model.meshes[1].palette = vec![0, 2, 1]);
    assert_eq!((finding.code.name, finding.severity), ("flver-rigid-palette", Severity::Note));
    assert!(finding.text.contains("through the palette it is node 2"), "{}", finding.text);
}

#[test]
fn the_bone_index_of_a_static_vertex_must_name_a_node() {
    let with_index = |bone: u8, palette: Vec<i32>| {
        changed(|model| {
            (model.version, model.index_bits, model.unicode) = (0x2000C, 16, false);
            model.layouts[1].push(member(2, 0x11, 0));
            model.buffers[1].stride = 20;
            let vertices = model.buffers[1].bytes.chunks(16).map(|old| [old, &[bone, 0, 0, 0]].concat());
            model.buffers[1].bytes = vertices.collect::<Vec<_>>().concat();
            model.meshes[1].palette = palette;
        })
    };
    for (bone, palette, of) in
        [(3, vec![], "the 3 nodes"), (2, vec![0, 1], "palette of 2 entries"), (0, vec![9], "palette")]
    {
        let findings = check(&with_index(bone, palette));
        let finding = findings.iter().find(|finding| finding.code.name == "flver-bone-index").unwrap();
        assert_eq!((finding.severity, finding.place.vertex), (Severity::Error, Some(0)));
        assert!(finding.text.contains(of) && finding.text.contains("3 of 3"), "{}", finding.text);
    }
}

#[test]
fn a_mesh_without_a_position_that_can_be_decoded_is_an_error() {
    let finding = |packing, semantic| {
        let findings = check(&changed(|model| model.layouts[1][0] = member(semantic, packing, 0)));
        findings.into_iter().find(|finding| finding.code.name == "flver-position-missing").unwrap()
    };
    let none = finding(2, 6);
    assert_eq!(none.severity, Severity::Error);
    assert!(none.text.contains("3 vertices") && none.text.contains("semantic 0"), "{}", none.text);
    let undecodable = check(&changed(|model| {
        model.layouts[1][0] = member(0, 0x13, 0);
        (model.buffers[1].stride, model.buffers[1].bytes) = (8, vec![0; 24]);
    }));
    let finding = undecodable.iter().find(|finding| finding.code.name == "flver-position-missing").unwrap();
    assert!(finding.text.contains("0x13") && finding.text.contains("cannot be decoded"), "{}", finding.text);
}

#[test]
fn a_dynamic_mesh_without_bone_indices_is_told() {
    let findings = check(&changed(|model| model.meshes[1].dynamic = 1));
    let neither = findings.iter().find(|finding| finding.code.name == "flver-dynamic-unbound").unwrap();
    assert_eq!(neither.severity, Severity::Warning);
    assert!(neither.text.contains("neither"), "{}", neither.text);
    let weights = check(&changed(|model| {
        model.layouts[0].remove(2);
        model.buffers[0].stride = 20;
        let vertices = model.buffers[0].bytes.chunks(24).map(|old| [&old[..16], &old[20..]].concat());
        model.buffers[0].bytes = vertices.collect::<Vec<_>>().concat();
    }));
    assert!(weights[0].text.contains("weights and no bone indices"), "{weights:#?}");
}

#[test]
fn a_run_finds_what_a_check_finds() {
    let changes: [fn(&mut Model); 5] = [
        |model| model.face_sets[0].indices[0] = 9,
        |model| model.nodes[1].scale[0] = f32::NAN,
        |model| model.dummies[0].position[0] = f32::NAN,
        |model| model.layouts[1][0] = member(6, 2, 0),
        |model| model.bounds[1][0] = 50.0,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let model = changed(change);
        let bytes = model.write();
        let flver = Flver::parse(&bytes).unwrap();
        let outcome = runtime::run("x", &flver, &Options::default()).unwrap();
        let findings = skinsim::flver::rules::with_those_of_the_file(&flver, &outcome);
        assert!(findings.starts_with(&check(&model)), "{number}: {findings:#?}");
        assert!(!findings.is_empty(), "{number}");
    }
}
