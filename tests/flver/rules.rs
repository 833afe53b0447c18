//! Each rule: a sound model, one change, the code that tells it.

use skinsim::finding::{Effect, Finding, Severity};
use skinsim::flver;

use super::builder::{FaceSet, Member, Model, floats, member, static_vertex};

fn check(model: &Model) -> Vec<Finding> {
    flver::check(&model.write()).expect("a model that can be read")
}

fn codes(model: &Model) -> Vec<&'static str> {
    let mut codes: Vec<_> = check(model).iter().map(|finding| finding.code.name).collect();
    codes.dedup();
    codes
}

fn changed(change: impl FnOnce(&mut Model)) -> Model {
    let mut model = Model::sound();
    change(&mut model);
    model
}

/// The one finding a change brings.
fn only(change: impl FnOnce(&mut Model)) -> Finding {
    let findings = check(&changed(change));
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.into_iter().next().unwrap()
}

#[test]
fn a_sound_model_has_no_finding() {
    assert_eq!(check(&Model::sound()), []);
}

#[test]
fn a_sound_model_of_an_older_version_has_none_either() {
    for version in [0x20005, 0x20007, 0x2000C, 0x20010, 0x20014] {
        let model = changed(|model| {
            model.version = version;
            model.unicode = version > 0x2000C;
            model.index_bits = 16;
        });
        assert_eq!(check(&model), [], "{version:#x}");
    }
}

#[test]
fn links_outside_the_table_and_circles_are_errors_and_end_the_posing() {
    let model = changed(|model| model.nodes[2].links[0] = 9);
    assert!(codes(&model).contains(&"node-link-range"), "{:?}", check(&model));
    assert!(!codes(&model).contains(&"node-cycle"));
    let model = changed(|model| {
        model.nodes[0].links[0] = 1;
        model.nodes[1].links[0] = 0;
    });
    let findings = check(&model);
    let cycle = findings.iter().find(|finding| finding.code.name == "node-cycle").expect("a circle");
    assert_eq!(cycle.severity, Severity::Error);
}

#[test]
fn siblings_that_contradict_the_parents_are_told() {
    assert_eq!(only(|model| model.nodes[2].links[3] = -1).code.name, "node-siblings");
    let model = changed(|model| model.nodes[0].links[1] = 2);
    assert_eq!(codes(&model), ["node-siblings", "node-first-child"]);
}

#[test]
fn a_first_child_that_is_not_the_lowest_is_a_note() {
    let finding = only(|model| {
        model.nodes[0].links[1] = 2;
        model.nodes[2].links[2..].copy_from_slice(&[1, -1]);
        model.nodes[1].links[2..].copy_from_slice(&[-1, 2]);
    });
    assert_eq!((finding.code.name, finding.severity), ("node-first-child", Severity::Note));
}

#[test]
fn a_node_before_its_parent_is_a_note_and_is_composed_all_the_same() {
    let model = changed(|model| {
        model.nodes.swap(0, 2);
        model.nodes[2].links = [-1, 0, -1, -1];
        model.nodes[0].links = [2, -1, 1, -1];
        model.nodes[1].links = [2, -1, -1, 0];
        model.buffers[1].bytes =
            [static_vertex([0.0, 1.0, 0.0], 0), static_vertex([1.0, 0.0, 0.0], 1)].concat();
        model.buffers[1].bytes.extend(static_vertex([0.0, 0.0, 0.0], 2));
    });
    assert_eq!(codes(&model), ["node-parent-order"]);
}

#[test]
fn node_bounds_are_a_box_or_the_inverted_sentinel() {
    assert_eq!(only(|model| model.nodes[1].bounds = [[1.0; 3], [0.0; 3]]).code.name, "node-bounds");
    assert_eq!(only(|model| model.nodes[1].bounds[1][2] = 0.0).code.name, "node-bounds");
    assert_eq!(codes(&changed(|model| model.nodes[1].bounds = [[0.0; 3], [1.0; 3]])), [""; 0]);
}

#[test]
fn node_flags_are_one_of_the_shipped_values() {
    for flags in [0, 4, 6, 8, 10, 12, 14] {
        assert!(!codes(&changed(|model| model.nodes[1].flags = flags)).contains(&"node-flags"), "{flags}");
    }
    assert_eq!(only(|model| model.nodes[1].flags = 0x10).code.name, "node-flags");
    assert_eq!(codes(&changed(|model| model.nodes[1].flags = 3)), ["node-flags", "node-flag-unused"]);
}

#[test]
fn an_unused_node_is_named_by_nothing_and_a_dummys_node_by_a_dummy() {
    let finding = only(|model| model.nodes[2].flags = 1);
    assert_eq!(finding.code.name, "node-flag-unused");
    assert!(finding.text.contains("a dummy point names it"));
    assert_eq!(only(|model| model.nodes[0].flags = 2).code.name, "node-flag-dummy");
    assert_eq!(codes(&changed(|model| model.nodes[1].flags = 2)), [""; 0]);
}

#[test]
fn a_zero_scale_is_told_only_where_it_flattens_something() {
    let model = changed(|model| model.nodes[0].scale = [2.0, 0.0, 2.0]);
    let findings = check(&model);
    let flattened: Vec<_> =
        findings.iter().filter(|finding| finding.code.name == "node-scale-zero").collect();
    assert_eq!(flattened.len(), 3, "the node and its descendants: {findings:#?}");
    assert!(matches!(flattened[0].game, Some(Effect::WrongOutput(_))));
    let mut bare = super::builder::node("Bare", [0.0; 3], [-1, -1, -1, -1]);
    bare.scale = [0.0; 3];
    assert_eq!(codes(&changed(|model| model.nodes.push(bare))), [""; 0]);
}

#[test]
fn a_negative_scale_mirrors() {
    let model = changed(|model| model.nodes[2].scale[0] = -1.0);
    assert_eq!(codes(&model), ["node-scale-negative"]);
}

#[test]
fn dummy_points_obey_the_survey() {
    assert_eq!(only(|model| model.dummies[0].parent = 3).code.name, "dummy-bone-range");
    assert_eq!(only(|model| model.dummies[0].attach = -2).code.name, "dummy-bone-range");
    assert_eq!(only(|model| model.dummies[0].flags[1] = 0).code.name, "dummy-use-upward");
    assert_eq!(only(|model| model.dummies[0].flags[0] = 0).code.name, "dummy-flag");
    assert_eq!(only(|model| model.dummies[0].colour[0] = 0).code.name, "dummy-alpha");
    assert_eq!(only(|model| model.dummies[0].forward = [0.0, 0.1, -1.0]).code.name, "dummy-vectors");
    assert_eq!(only(|model| model.dummies[0].position[1] = f32::NAN).code.name, "flver-not-finite");
}

#[test]
fn the_colour_of_a_ds2_dummy_point_has_its_alpha_last() {
    let model = changed(|model| {
        model.version = 0x20010;
        model.dummies[0].colour = [0, 0, 0, 255];
    });
    assert_eq!(codes(&model), [""; 0]);
}

#[test]
fn a_skeleton_entry_maps_to_a_node_and_links_inside_its_list() {
    // Both lists of the test model are the same bytes, so each fault is told twice.
    let model = changed(|model| model.skeleton[1].1 = 3);
    assert_eq!(codes(&model), ["skeleton-set"]);
    let model = changed(|model| model.skeleton[1].0[1] = 7);
    assert!(check(&model)[0].text.contains("first child is 7"));
}

#[test]
fn a_skeleton_set_that_an_exporter_left_out_is_told_and_hinders_nothing() {
    let mut bytes = Model::sound().write();
    // The set stands behind header, dummy, material, nodes, meshes, face sets, buffers and layouts.
    let set = 0x80 + 64 + 32 + 3 * 128 + 2 * 48 + 2 * 32 + 2 * 32 + 2 * 16;
    bytes[set..set + 12].fill(0x7F);
    let findings = flver::check(&bytes).unwrap();
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!((findings[0].code.name, findings[0].severity), ("skeleton-set", Severity::Warning));
}

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
fn a_palette_entry_names_a_node() {
    assert_eq!(only(|model| model.meshes[0].palette = vec![0, 1, 2, 5]).code.name, "flver-palette");
}

#[test]
fn a_joint_past_the_bound_matrices_is_told() {
    let model = changed(|model| {
        for _ in 3..300 {
            model.nodes.push(super::builder::node("", [0.0; 3], [-1, -1, -1, -1]));
        }
        model.meshes[0].palette = vec![0, 280, 2];
    });
    assert_eq!(codes(&model), ["flver-joint-buffer"]);
}

#[test]
fn a_mesh_names_what_exists() {
    assert_eq!(only(|model| model.meshes[0].material = 1).code.name, "flver-mesh-reference");
    assert_eq!(only(|model| model.meshes[0].face_sets = vec![0, 5]).code.name, "flver-mesh-reference");
    let model = changed(|model| model.meshes[0].buffers = vec![9]);
    assert_eq!(codes(&model), ["flver-mesh-reference", "flver-mesh-unreadable"]);
    let model = changed(|model| model.meshes[1].node_index = 9);
    assert_eq!(codes(&model), ["flver-mesh-reference"]);
}

#[test]
fn a_stride_that_is_not_the_layouts_size_is_an_error_but_the_known_ds1r_mistake_a_warning() {
    let model = changed(|model| model.layouts[1].push(member(5, 0x15, 0)));
    assert_eq!(check(&model)[0].code.name, "flver-stride");
    let finding = only(|model| {
        model.version = 0x2000C;
        model.index_bits = 16;
        model.layouts[1].push(member(6, 0x11, 0));
    });
    assert_eq!((finding.code.name, finding.severity), ("flver-stride-repaired", Severity::Warning));
}

#[test]
fn layout_offsets_are_running_sums() {
    let moved = |offset| {
        changed(move |model| model.layouts[1][1] = Member { offset: Some(offset), ..member(3, 0x11, 0) })
    };
    assert_eq!(codes(&moved(8))[0], "flver-layout-offset");
    assert_eq!(codes(&moved(14)), ["flver-layout-offset", "flver-mesh-unreadable"]);
}

#[test]
fn an_unknown_type_and_a_pair_without_a_meaning_are_told_apart() {
    let model = changed(|model| model.layouts[1][1] = member(3, 0x99, 0));
    assert_eq!(codes(&model), ["flver-mesh-unreadable"]);
    let model = changed(|model| {
        model.layouts[1][1] = member(9, 0x11, 0);
        model.meshes[1].node_index = 0;
        model.bounds[1] = [2.0, 3.0, 0.0];
    });
    assert_eq!(codes(&model), ["flver-member-undecoded"]);
}

#[test]
fn a_member_of_unknown_type_that_moves_no_vertex_leaves_the_mesh_posed() {
    let model = changed(|model| {
        model.layouts[1].push(Member { offset: Some(16), ..member(5, 0x99, 0) });
        model.buffers[1].stride = 22;
        model.buffers[1].bytes = model.buffers[1]
            .bytes
            .chunks(16)
            .map(|vertex| [vertex, &[7; 6]].concat())
            .collect::<Vec<_>>()
            .concat();
    });
    assert_eq!(codes(&model), ["flver-member-undecoded"]);
}

#[test]
fn an_empty_face_set_need_not_say_the_width_of_its_indices() {
    let model = changed(|model| {
        model.face_sets[1] = FaceSet { bits: 0, indices: vec![], ..model.face_sets[1].clone() }
    });
    assert_eq!(codes(&model), [""; 0]);
}

#[test]
fn a_name_or_a_box_of_a_mesh_outside_of_the_file_is_refused_with_its_offset() {
    let (node, mesh) = (0x80 + 64 + 32, 0x80 + 64 + 32 + 3 * 128);
    for (at, what) in [(node + 0x0C, "node 0 name"), (mesh + 24, "mesh 0 bounds")] {
        let mut bytes = Model::sound().write();
        bytes[at..at + 4].copy_from_slice(&0x00FF_FFF0u32.to_le_bytes());
        let error = flver::check(&bytes).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{what} at offset 0xfffff0")), "{error}");
    }
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
fn rules_of_the_survey_are_notes_in_other_games() {
    let finding = only(|model| {
        model.version = 0x20014;
        model.index_bits = 16;
        model.nodes[1].flags = 0x10;
    });
    assert_eq!((finding.code.name, finding.severity), ("node-flags", Severity::Note));
}

#[test]
fn every_code_of_this_wing_is_provoked_by_a_test_here() {
    let source = include_str!("rules.rs");
    for code in skinsim::flver::rules::CODES {
        assert!(source.contains(&format!("\"{}\"", code.name)), "{} has no test", code.name);
    }
}
