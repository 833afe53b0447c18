//! Arrays that are drawn from and lie at a null pointer. \[formats.md 1.4\]

use std::cell::LazyCell;
use std::collections::BTreeSet;

use super::codes;
use super::found::Found;
use super::subject::Subject;
use crate::c3::format::gpl::{Attribute, AttributeMode, DisplayList};

/// All rules of this file.
pub fn check(subject: &Subject, found: &mut Vec<Found>) {
    let Some(gpl) = subject.gpl() else { return };
    for submesh in &gpl.submeshes {
        let Some(layout) = &submesh.layout else { continue };
        // Of normals the library has a table of its own.
        let attributes = Attribute::ALL.into_iter().filter(|attribute| *attribute != Attribute::Normal);
        let lists = LazyCell::new(|| layout.display_lists(gpl.header.version));
        let mut told = BTreeSet::new();
        for attribute in attributes {
            let null = layout.array(attribute).filter(|array| array.array == 0 && array.count != 0);
            let Some(array) = null.filter(|array| !told.contains(&array.offset)) else { continue };
            if !lists.iter().any(|list| draws(list, attribute)) {
                continue;
            }
            told.insert(array.offset);
            let name = format!("submesh {} {} array", submesh.index, array.kind.name());
            let text = format!("{name}: its {} elements lie at a null pointer, and are drawn", array.count);
            let help = "point to the array";
            let place = subject.gpl_place(u64::from(array.offset)).field(name);
            let finding = Found::new(&codes::OUT_OF_BOUNDS, place, text, help);
            found.push(finding.spoils("what lies at the bottom of memory is drawn"));
        }
    }
}

/// Whether a list's vertices have an index of this attribute. What the list holds costs too much to be walked again.
fn draws(list: &DisplayList, attribute: Attribute) -> bool {
    let mode = list.descriptor.mode(attribute);
    list.size != 0 && matches!(mode, AttributeMode::Index8 | AttributeMode::Index16)
}
