//! What of a file cannot be read or used, and what is told of it.

use super::*;

#[test]
fn a_skeleton_set_that_an_exporter_left_out_is_told_and_hinders_nothing() {
    let mut bytes = Model::sound().write();
    // The set stands behind header, dummy, material, nodes, meshes, face sets, buffers and layouts.
    let set = 0x80 + 64 + 32 + 3 * 128 + 2 * 48 + 2 * 32 + 2 * 32 + 2 * 16;
    bytes[set..set + 32].fill(0x7F);
    let findings = flver::check(&bytes).unwrap();
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!((findings[0].code.name, findings[0].severity), ("skeleton-set", Severity::Warning));
    let outcome = runtime::run("x", &Flver::parse(&bytes).unwrap(), &Options::default()).unwrap();
    assert_eq!(outcome.findings[0].code.name, "skeleton-set", "a run tells it too");
    // A set, by its zeros, whose lists lie outside of the file: the file was cut.
    bytes[set + 12..set + 32].fill(0);
    let error = Flver::parse(&bytes).unwrap_err().to_string();
    assert!(error.contains("base skeleton"), "{error}");
}

#[test]
fn a_file_cut_anywhere_is_refused_and_says_where() {
    for file in ["synth_20014", "synth_2001a"] {
        let path = format!("{}/tests/cases/flver-synthetic/{file}.flver", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).unwrap();
        for length in 0..bytes.len() {
            let error = Flver::parse(&bytes[..length]).map(|_| length).unwrap_err().to_string();
            assert!(error.contains(" at offset 0x") && error.contains("have"), "{file} {length}: {error}");
        }
    }
}

#[test]
fn a_run_tells_a_mesh_that_cannot_be_decoded_and_runs_the_others() {
    let mut model = Model::sound();
    model.buffers[0].stride = 28;
    let bytes = model.write();
    let flver = Flver::parse(&bytes).unwrap();
    let outcome = runtime::run("x", &flver, &Options::default()).unwrap();
    let broken = outcome.meshes[0].unreadable.as_deref().unwrap();
    assert!(broken.contains("vertex buffer vertex size"), "{broken}");
    assert!(outcome.meshes[0].positions.is_empty());
    assert!(outcome.meshes[1].unreadable.is_none() && !outcome.meshes[1].positions.is_empty());
    assert_eq!(outcome.bounds.relative_difference, None, "the box of some meshes says nothing");
    let told: Vec<_> = outcome.findings.iter().map(|finding| (finding.code.name, finding.severity)).collect();
    assert_eq!(told, [("flver-stride", Severity::Error)]);
}

#[test]
fn weights_of_a_type_that_no_source_explains_are_told_with_what_follows() {
    let mut model = Model::sound();
    model.layouts[0].iter_mut().find(|member| member.semantic == 1).unwrap().packing = 0x12;
    let bytes = model.write();
    let outcome = runtime::run("x", &Flver::parse(&bytes).unwrap(), &Options::default()).unwrap();
    assert_eq!(outcome.meshes[0].undecoded, ["bone weights 0 of type 0x12"]);
    for findings in [outcome.findings, flver::check(&bytes).unwrap()] {
        let finding = findings.iter().find(|finding| finding.code.name == "flver-member-undecoded").unwrap();
        assert!(finding.text.contains("first bone alone") && finding.game.is_some(), "{}", finding.text);
    }
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
