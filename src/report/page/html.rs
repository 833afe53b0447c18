//! The document: style, scripts and data in one file.
//!
//! Names and texts of a model come from files nobody vouches for. They reach the page in two places
//! only: the title, where HTML is escaped, and a block of JSON that no parser takes for anything else,
//! because it holds no `<`, no `>` and no `&`. The scripts put text into the page as text.

use super::Page;

const SKELETON: &str = include_str!("assets/page.html");
const STYLE: &str = concat!(
    include_str!("assets/css/theme.css"),
    include_str!("assets/css/layout.css"),
    include_str!("assets/css/panels.css"),
);
/// The scripts in an order in which each finds what it uses.
const SCRIPTS: [&str; 19] = [
    include_str!("assets/js/dom.js"),
    include_str!("assets/js/data.js"),
    include_str!("assets/js/theme.js"),
    include_str!("assets/js/vectors.js"),
    include_str!("assets/js/camera.js"),
    include_str!("assets/js/colours.js"),
    include_str!("assets/js/webgl.js"),
    include_str!("assets/js/software.js"),
    include_str!("assets/js/picking.js"),
    include_str!("assets/js/viewer.js"),
    include_str!("assets/js/lines.js"),
    include_str!("assets/js/findings.js"),
    include_str!("assets/js/tables.js"),
    include_str!("assets/js/summary.js"),
    include_str!("assets/js/machine.js"),
    include_str!("assets/js/flexes.js"),
    include_str!("assets/js/face.js"),
    include_str!("assets/js/model.js"),
    include_str!("assets/js/main.js"),
];

/// The whole document.
pub fn document(page: &Page) -> String {
    let names: Vec<&str> = page.models.iter().map(|model| model.name.as_str()).collect();
    let scripts = format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat());
    let mut out = String::with_capacity(SKELETON.len() + STYLE.len() + scripts.len());
    let mut rest = SKELETON;
    let parts = [
        ("{{title}}", escape(&names.join(" and "))),
        ("{{style}}", STYLE.to_owned()),
        ("{{data}}", data(page)),
        ("{{script}}", scripts),
    ];
    // Each mark is looked for behind the last one, in the skeleton alone: what is put in is never searched.
    for (mark, value) in parts {
        let Some((before, after)) = rest.split_once(mark) else { continue };
        out.push_str(before);
        out.push_str(&value);
        rest = after;
    }
    out + rest
}

/// Text between tags or in an attribute.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
    }
    out
}

/// JSON that ends no script element and opens no comment. The characters replaced occur in strings only.
fn data(page: &Page) -> String {
    // Nothing in a page fails to serialize: its keys are strings, and numbers that are not finite become null.
    let json = serde_json::to_string(page).unwrap_or_default();
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::page::PageModel;

    fn page(name: &str) -> Page {
        Page::new(vec![PageModel {
            name: name.to_owned(),
            kind: "model block",
            verdicts: Vec::new(),
            facts: vec![(name.to_owned(), name.to_owned())],
            lines: None,
            geometry: None,
            findings: Vec::new(),
            tables: Vec::new(),
            face: None,
            pose_error: None,
        }])
    }

    /// The data block's text, as a browser cuts it out.
    fn embedded(html: &str) -> &str {
        let (_, after) = html.split_once("id=\"data\">").expect("a data block");
        after.split_once("</script").expect("its end").0
    }

    const HOSTILE: &str = "</script><script>alert(1)</script><!--<script>\u{2028}&lt;\"'{{script}}{{data}}";

    #[test]
    fn no_name_gets_out_of_the_data() {
        let html = page(HOSTILE).html();
        let data = embedded(&html);
        assert!(!data.contains(['<', '>', '&', '\u{2028}']));
        let parsed: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(parsed["models"][0]["name"], HOSTILE);
    }

    #[test]
    fn a_hostile_name_adds_no_element() {
        let count = |name: &str, mark: &str| page(name).html().matches(mark).count();
        for mark in ["<script", "</script", "<!--", "<"] {
            assert_eq!(count(HOSTILE, mark), count("a.block", mark), "{mark}");
        }
    }

    #[test]
    fn the_page_names_no_other_place() {
        let html = page("a.block").html();
        for outside in ["http:", "https:", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn every_mark_is_filled_in() {
        let html = page("a.block").html();
        for mark in ["{{title}}", "{{style}}", "{{data}}", "{{script}}"] {
            assert!(SKELETON.contains(mark), "{mark}");
            assert!(!html.contains(mark), "{mark}");
        }
    }
}
