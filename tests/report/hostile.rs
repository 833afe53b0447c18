//! Models that nobody vouches for.

use proptest::prelude::*;
use skinsim::c3::model::Model;
use skinsim::report::page::Page;
use skinsim::report::page::c3::page;

use crate::support::{example, source};

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Words of the SKN's and the GPL's headers and entries are replaced: there is a page or a reason.
    #[test]
    fn a_spoiled_block_gives_a_page_or_a_reason(
        changes in proptest::collection::vec((0..0x900_usize, any::<u32>()), 1..8)
    ) {
        let mut bytes = example("fox");
        for (at, word) in changes {
            let base = if at % 2 == 0 { 0x20 } else { 0x5dc0 };
            bytes[base + at / 2 * 2..][..4].copy_from_slice(&word.to_be_bytes());
        }
        if let Ok(model) = Model::from_block(&bytes)
            && let Ok(page) = page(source(&model, 1))
        {
            let html = Page::new(vec![page]).html();
            prop_assert!(html.len() < 40_000_000);
        }
    }
}

#[test]
fn names_from_the_file_stay_data() {
    let mut bytes = example("fox");
    // The GPL's descriptor holds the submesh's name.
    let at = bytes.windows(5).position(|window| window == b"body\0").expect("the fox' submesh");
    bytes[at..at + 3].copy_from_slice(b"<b>");
    let model = Model::from_block(&bytes).unwrap();
    let page = page(source(&model, 1)).unwrap();
    let named = page.geometry.as_ref().unwrap().parts.iter().any(|(name, _)| name.contains("<b>"));
    assert!(named, "the name reaches the page");
    assert!(!Page::new(vec![page]).html().contains("<b>"));
}
