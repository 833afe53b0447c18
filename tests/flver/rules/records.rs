//! Records: header, layouts, members, faces.

use super::*;

#[test]
fn reserved_bytes_are_zero() {
    assert_eq!(only(|model| model.nodes[1].reserved = 1).code.name, "flver-reserved");
    let finding = only(|model| model.meshes[0].dynamic = 2);
    assert_eq!(finding.code.name, "flver-reserved");
}

#[test]
fn a_header_box_that_is_not_the_vertices_is_told_with_the_reading_that_would_give_it() {
    let finding = only(|model| model.bounds[1][0] = 3.1);
    assert_eq!((finding.code.name, finding.severity), ("header-bounds", Severity::Warning));
    assert!(finding.text.contains("3.226 %"), "{}", finding.text);
    assert_eq!(codes(&changed(|model| model.bounds[1][0] = 3.003)), [""; 0], "within 0.1 %");
    // As stored, the static vertices reach less far.
    let finding = only(|model| model.bounds = [[0.0; 3], [1.0, 1.0, 0.0]]);
    assert!(finding.text.contains("agrees with `--rigid stored`"), "{}", finding.text);
}

#[test]
fn a_palette_entry_names_a_node() {
    assert_eq!(only(|model| model.meshes[0].palette = vec![0, 1, 2, 5]).code.name, "flver-palette");
}

#[test]
fn layout_offsets_are_running_sums() {
    let moved = |offset| {
        changed(move |model| model.layouts[1][1] = Member { offset: Some(offset), ..member(3, 0x11, 0) })
    };
    assert_eq!(codes(&moved(8))[0], "flver-layout-offset");
    assert_eq!(codes(&moved(14)), ["flver-layout-offset", "flver-mesh-unreadable"]);
}

/// The static mesh with one more member of these bytes.
fn with_member(model: &mut Model, extra: Member, bytes: &[u8]) {
    model.layouts[1].push(extra);
    let vertices: Vec<Vec<u8>> =
        model.buffers[1].bytes.chunks(16).map(|vertex| [vertex, bytes].concat()).collect();
    model.buffers[1].stride += bytes.len() as u32;
    model.buffers[1].bytes = vertices.concat();
}

#[test]
fn uv_indices_are_ordinals_and_a_vertex_has_at_most_eight() {
    assert_eq!(codes(&changed(|model| with_member(model, member(5, 0x15, 0), &[0; 4]))), [""; 0]);
    assert_eq!(codes(&changed(|model| with_member(model, member(5, 0x15, 1), &[0; 4]))), ["flver-uv-order"]);
    let model = changed(|model| {
        for index in 0..5 {
            let stride = model.buffers[1].stride as usize;
            let vertices: Vec<Vec<u8>> =
                model.buffers[1].bytes.chunks(stride).map(|vertex| [vertex, &[0; 8]].concat()).collect();
            model.layouts[1].push(member(5, 0x16, index));
            model.buffers[1].stride += 8;
            model.buffers[1].bytes = vertices.concat();
        }
    });
    assert_eq!(codes(&model), ["flver-attribute-count"]);
}

#[test]
fn a_pivots_w_is_zero_outside_speedtree() {
    let with_w = |model: &mut Model| with_member(model, member(5, 0x2E, 0), &[0, 0, 0, 0, 0, 0, 0, 0x3C]);
    assert_eq!(codes(&changed(with_w)), ["flver-pivot-w"]);
    let speedtree = changed(|model| {
        with_w(model);
        model.modifier = 0x8000;
    });
    assert_eq!(codes(&speedtree), [""; 0]);
}

#[test]
fn a_four_lane_positions_w_is_zero() {
    let model = |w: f32| {
        changed(move |model| {
            model.layouts[1][0] = member(0, 3, 0);
            model.buffers[1].stride = 20;
            let vertices: Vec<Vec<u8>> = model.buffers[1]
                .bytes
                .chunks(16)
                .map(|vertex| [&vertex[..12], &w.to_le_bytes(), &vertex[12..]].concat())
                .collect();
            model.buffers[1].bytes = vertices.concat();
        })
    };
    assert_eq!(codes(&model(0.0)), [""; 0]);
    assert_eq!(codes(&model(1.0)), ["flver-position-w"]);
}

#[test]
fn a_face_names_a_vertex_of_its_mesh() {
    let finding = only(|model| model.face_sets[1].indices = vec![0, 1, 3]);
    assert_eq!((finding.code.name, finding.severity), ("flver-face-index", Severity::Error));
    let restart = changed(|model| {
        model.face_sets[1].strip = true;
        model.face_sets[1].indices = vec![0, 1, 2, 0xFFFF, 2, 1, 0];
    });
    assert_eq!(codes(&restart), [""; 0]);
}

#[test]
fn a_shared_buffer_is_a_note() {
    let model = changed(|model| {
        let mesh = model.meshes[1].clone();
        model.meshes.push(mesh);
    });
    assert_eq!(codes(&model), ["flver-buffer-shared"]);
}
