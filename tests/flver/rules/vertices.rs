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
