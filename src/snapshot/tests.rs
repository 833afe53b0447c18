use proptest::prelude::*;

use super::*;

fn row(vertex: u32, x: f32) -> VertexRow {
    VertexRow { vertex, position: [x, 0.5, -2.0], normal: [0.0, 0.0, 1.0] }
}

fn snapshot(xs: &[f32]) -> Snapshot {
    let vertices: Vec<VertexRow> = (0..).zip(xs).map(|(vertex, &x)| row(vertex, x)).collect();
    let mut out = Snapshot { vertices, ..Snapshot::default() };
    out.line("kind", "test");
    out.line("model", "blake3 00");
    out.count_vertices();
    let half = out.vertices.len() / 2;
    out.groups = vec![
        Group::new("SK1[0]", "bone 1", &out.vertices[..half]),
        Group::new("SK1[1]", "bone 2", &out.vertices[half..]),
    ];
    out.findings = vec![("error count-wraps".to_owned(), 1)];
    out
}

#[test]
fn the_text_is_readable() {
    insta::assert_snapshot!(snapshot(&[0.1, 1.5, -0.0]).full());
}

#[test]
fn a_text_read_back_gives_the_same_text() {
    for snapshot in [snapshot(&[1.0, 2.0, f32::NAN, 1e-40]).full(), snapshot(&[1.0]), Snapshot::default()] {
        let text = snapshot.to_string();
        assert_eq!(text.parse::<Snapshot>().unwrap().to_string(), text);
    }
}

#[test]
fn a_line_that_is_none_is_named() {
    let error = |text: &str| text.parse::<Snapshot>().unwrap_err().to_string();
    assert_eq!(error(""), r#"line 1: want skinsim snapshot 1, have """#);
    let broken = snapshot(&[1.0]).to_string().replace("first  0:", "first  zero:");
    assert!(error(&broken).contains("want a line of a group"), "{}", error(&broken));
}

#[test]
fn equal_snapshots_do_not_differ() {
    let old: Snapshot = snapshot(&[1.0, f32::NAN]).to_string().parse().unwrap();
    assert!(old.difference(&snapshot(&[1.0, f32::NAN])).is_empty());
}

#[test]
fn what_moved_is_told_entry_by_entry_with_the_farthest_vertex() {
    let old: Snapshot = snapshot(&[1.0, 2.0, 3.0, 4.0]).full().to_string().parse().unwrap();
    let mut now = snapshot(&[1.0, 2.0, 3.25, 4.5]);
    now.findings[0].1 = 2;
    insta::assert_snapshot!(old.difference(&now));
}

#[test]
fn without_a_listing_the_ends_and_bounds_of_entries_still_tell() {
    let old: Snapshot = snapshot(&[1.0, 2.0, 3.0, 4.0, 9.0, 5.0]).to_string().parse().unwrap();
    let difference = old.difference(&snapshot(&[1.0, 2.0, 3.0, 4.0, 12.0, 5.0]));
    assert_eq!((difference.groups.len(), difference.groups[0].distance), (1, Some(3.0)));
    assert!(difference.moved.is_empty(), "neither first nor last of an entry");
}

#[test]
fn other_bytes_alone_are_told_as_such() {
    let old = snapshot(&[1.0, 2.0]);
    let mut now = old.clone();
    now.header[1].1 = "blake3 11".to_owned();
    let difference = old.difference(&now);
    assert!(difference.is_input_alone());
    assert!(difference.to_string().starts_with("  only the bytes of the model differ"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(skinsim snapshot 1\n)?(\\PC|\n|\\[groups\\]\n|  first  |: |; )*") {
        let _ = text.parse::<Snapshot>();
    }

    #[test]
    fn texts_differ_exactly_where_there_is_a_difference(
        a in proptest::collection::vec(-2i8..3, 4), b in proptest::collection::vec(-2i8..3, 4)
    ) {
        let make = |xs: &[i8]| snapshot(&xs.iter().map(|&x| f32::from(x)).collect::<Vec<_>>());
        let (a, b) = (make(&a), make(&b));
        prop_assert_eq!(a.to_string() == b.to_string(), a.difference(&b).is_empty());
    }
}
