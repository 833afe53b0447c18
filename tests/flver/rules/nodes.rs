//! Nodes, dummy points and skeletons.

use super::*;

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
    let mut bare = crate::flver::builder::node("Bare", [0.0; 3], [-1, -1, -1, -1]);
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
fn a_skeleton_s_circle_and_a_node_of_two_entries_are_told() {
    let model = changed(|model| {
        model.skeleton[0].0 = [1, 1, -1, -1];
        model.skeleton[1].0 = [0, 0, 2, -1];
        model.skeleton[2].0[0] = 0;
    });
    let texts: Vec<String> = check(&model).into_iter().map(|finding| finding.text).collect();
    assert!(texts.iter().any(|text| text.contains("comes back to itself")), "{texts:?}");
    let model = changed(|model| model.skeleton[0].0[0] = 0);
    assert!(check(&model).iter().any(|finding| finding.text.contains("comes back to itself")));
    let model = changed(|model| model.skeleton[2].1 = 1);
    assert_eq!(codes(&model), ["skeleton-set"]);
    assert!(check(&model)[0].text.contains("node is 1, which entry 1 maps to"), "{:?}", check(&model));
}
