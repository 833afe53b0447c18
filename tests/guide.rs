//! The guide shows what the program prints, and the README a picture of it.
//!
//! `UPDATE_GUIDE=1 cargo test --test guide` writes both anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn update() -> bool {
    std::env::var_os("UPDATE_GUIDE").is_some()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(path, to).unwrap();
        }
    }
}

/// A folder with the samples, in which commands may write.
fn playground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for samples in ["examples", "tests/cases/mdl_synth_flex", "tests/cases/flver-synthetic"] {
        copy(&root().join(samples), &folder.path().join(samples));
    }
    folder
}

fn skinsim(arguments: &[&str], folder: &Path) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("skinsim").unwrap();
    command.current_dir(folder).args(arguments).output().unwrap()
}

/// The pages that the table of contents names.
fn pages() -> Vec<PathBuf> {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let links = summary.split("](").skip(1).map(|rest| rest.split(')').next().unwrap().to_owned());
    links.map(|link| root().join("docs").join(link)).collect()
}

#[test]
fn every_page_of_the_contents_exists_and_every_link_leads_somewhere() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap_or_else(|_| panic!("no {}", page.display()));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let inside = !file.is_empty() && !file.contains(':') && !file.contains(' ');
            let there = page.parent().unwrap().join(file).exists();
            assert!(!inside || there, "{}: no {link}", page.display());
        }
    }
}

#[test]
fn the_guide_shows_the_output_that_the_program_gives() {
    let mut shown = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut parts = text.split("```console\n");
        let mut now = parts.next().unwrap().to_owned();
        let folder = playground();
        for part in parts {
            let (block, rest) = part.split_once("```").expect("a block ends");
            let command = block.lines().next().unwrap();
            let arguments =
                command.strip_prefix("$ skinsim ").expect("a shown command starts with $ skinsim");
            let arguments: Vec<&str> = arguments.split_whitespace().collect();
            let output = skinsim(&arguments, folder.path());
            assert_ne!(
                output.status.code(),
                Some(2),
                "{command}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let printed = String::from_utf8(output.stdout).unwrap();
            now = format!("{now}```console\n{command}\n{printed}```{rest}");
            shown += 1;
        }
        if update() {
            fs::write(&page, &now).unwrap();
        }
        let same = fs::read_to_string(&page).unwrap() == now;
        assert!(same, "{} shows other output: UPDATE_GUIDE=1 cargo test --test guide", page.display());
    }
    assert!(shown > 10, "{shown}");
}

#[test]
fn the_picture_of_the_readme_is_what_the_program_prints() {
    let arguments = ["--color", "always", "check", "examples/broken/shared-line.block"];
    let printed = String::from_utf8(skinsim(&arguments, root()).stdout).unwrap();
    let text = format!("$ skinsim check examples/broken/shared-line.block\n{printed}");
    let picture = anstyle_svg::Term::new().render_svg(&text);
    let path = root().join("docs/images/check.svg");
    if update() {
        fs::write(&path, &picture).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == picture, "{}: UPDATE_GUIDE=1 cargo test --test guide", path.display());
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("docs/images/check.svg"));
}
