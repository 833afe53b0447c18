use proptest::prelude::*;

use super::*;

fn section() -> FacialSource {
    let attribute = |submesh, kind, vertices: Vec<u16>| AttributeSource {
        submesh,
        kind,
        poses: (0..3_i16).map(|pose| vec![[pose, 10 * pose, -pose]; vertices.len()]).collect(),
        vertices,
    };
    FacialSource {
        objects: vec![
            ObjectSource {
                attributes: vec![
                    attribute(0, POSITIONS, vec![3, 4, 5, 9]),
                    attribute(0, NORMALS, vec![3, 4, 5, 9]),
                ],
            },
            ObjectSource { attributes: vec![attribute(2, POSITIONS, vec![0])] },
        ],
    }
}

#[test]
fn what_is_written_from_nothing_reads_back() {
    let bytes = section().to_bytes().unwrap();
    let facial = Facial::parse(&bytes).unwrap();
    assert!(facial.problems.is_empty(), "{:?}", facial.problems);
    assert_eq!((facial.header.max_poses, facial.header.object_count), (3, 2));
    let attribute = &facial.objects[0].attributes[1];
    assert_eq!((attribute.kind, attribute.entries), (NORMALS, 4));
    assert_eq!(attribute.runs, [Run { first: 3, length: 3 }, Run { first: 9, length: 1 }]);
    assert_eq!(attribute.vertices().collect::<Vec<_>>(), [3, 4, 5, 9]);
    assert_eq!(facial.values(attribute, 2).unwrap(), [[2, 20, -2]; 4]);
    assert!(facial.values(attribute, 3).is_err());
    assert_eq!(facial.objects[1].record_size, 0x18);
}

#[test]
fn a_record_size_that_contradicts_the_poses_is_a_problem() {
    let mut bytes = section().to_bytes().unwrap();
    bytes[0xF] = 0x14;
    let facial = Facial::parse(&bytes).unwrap();
    assert_eq!(
        facial.problems[0].to_string().as_str().split(':').next(),
        Some("facial object record size at offset 0xc")
    );
}

#[test]
fn a_run_list_that_never_adds_up_ends_with_the_section() {
    let mut bytes = section().to_bytes().unwrap();
    let attribute = Facial::parse(&bytes).unwrap().objects[0].attributes[0].offset as usize;
    bytes[attribute..attribute + 4].copy_from_slice(&u32::MAX.to_be_bytes());
    let facial = Facial::parse(&bytes).unwrap();
    assert!(!facial.problems.is_empty());
    assert!(facial.objects[0].attributes[0].runs.len() * 4 <= bytes.len());
}

#[test]
fn objects_that_share_one_table_cannot_multiply_memory() {
    // 1,000 objects, all with the same thousand attributes of no poses.
    let mut bytes = vec![0; 8 + 12 * 1000 + 12 * 1000];
    bytes[2..4].copy_from_slice(&1000_u16.to_be_bytes());
    for object in bytes[8..8 + 12_000].chunks_exact_mut(12) {
        object[2..4].copy_from_slice(&1000_u16.to_be_bytes());
        object[4..8].copy_from_slice(&12_u32.to_be_bytes());
        object[8..12].copy_from_slice(&12_008_u32.to_be_bytes());
    }
    let facial = Facial::parse(&bytes).unwrap();
    let attributes: usize = facial.objects.iter().map(|object| object.attributes.len()).sum();
    assert!((1000..=2000).contains(&attributes), "{attributes}");
    assert!(facial.problems.iter().any(|problem| problem.want == "records that do not overlap"));
}

#[test]
fn vertices_out_of_order_are_refused() {
    let mut source = section();
    source.objects[0].attributes[0].vertices.swap(0, 1);
    assert!(source.to_bytes().unwrap_err().to_string().contains("ascending"));
}

/// A valid section with some of its bytes replaced.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12);
    edits.prop_map(|edits| {
        let mut bytes = section().to_bytes().unwrap();
        for (index, byte) in edits {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

fn read_everything(bytes: &[u8]) {
    let Ok(facial) = Facial::parse(bytes) else { return };
    assert_eq!(facial.to_bytes(), bytes);
    for attribute in facial.objects.iter().flat_map(|object| &object.attributes) {
        let _ = (facial.values(attribute, 0), attribute.vertices().count());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_and_written_back(bytes in proptest::collection::vec(any::<u8>(), 0..0x140)) {
        read_everything(&bytes);
    }

    #[test]
    fn broken_sections_are_read_or_refused_and_written_back(bytes in mutated()) {
        read_everything(&bytes);
    }
}

#[test]
fn attributes_that_share_their_bytes_are_counted_one_by_one() {
    let facial = section().to_bytes().unwrap();
    assert_eq!(Facial::parse(&facial).unwrap().value_count(), (4 + 4 + 1) * 3);
    // Runs of 65,535 vertices: one mebibyte of them names more values than anybody can work on.
    let mut bytes = facial;
    let attribute = Facial::parse(&bytes).unwrap().objects[0].attributes[0].offset as usize;
    let runs = bytes.len() as u32;
    bytes[attribute..attribute + 4].copy_from_slice(&(0xffff * 0x100_u32).to_be_bytes());
    bytes[attribute + 8..attribute + 12].copy_from_slice(&runs.to_be_bytes());
    bytes.extend([0, 0, 0xff, 0xff].repeat(0x100));
    let facial = Facial::parse(&bytes).unwrap();
    assert!(facial.problems.is_empty(), "{:?}", facial.problems);
    assert!(facial.value_count() > MOST_VALUES);
}
