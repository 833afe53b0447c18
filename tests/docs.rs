//! What the documents promise about the code.

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push(path);
        }
    }
}

/// Every line of every source and test file.
fn code() -> String {
    let mut files = Vec::new();
    for folder in ["src", "tests"] {
        sources(&root().join(folder), &mut files);
    }
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// The text between backticks in the last column of a table row.
fn named_tests(row: &str) -> Vec<&str> {
    let last = row.trim_end_matches('|').rsplit('|').next().unwrap();
    last.split('`').skip(1).step_by(2).collect()
}

/// Whether a name in the table stands for something: a file, a module with tests, or a test.
fn exists(name: &str, code: &str) -> bool {
    if Path::new(name).extension().is_some_and(|ending| ending == "rs") {
        return root().join(name).is_file();
    }
    let mut parts = name.rsplit("::");
    match parts.next() {
        Some("tests") => {
            let module: PathBuf = parts.collect::<Vec<_>>().into_iter().rev().collect();
            let file = root().join("src").join(&module).with_extension("rs");
            file.is_file() || root().join("src").join(module).join("mod.rs").is_file()
        }
        Some(test) => code.contains(&format!("fn {test}(")) || module_file(name).is_some(),
        None => false,
    }
}

fn module_file(name: &str) -> Option<PathBuf> {
    let module: PathBuf = name.split("::").collect();
    let file = root().join("src").join(module).with_extension("rs");
    file.is_file().then_some(file)
}

#[test]
fn every_test_named_in_the_evidence_table_exists() {
    let table = std::fs::read_to_string(root().join("docs/evidence.md")).unwrap();
    let (table, open) = table.split_once("## Open questions").expect("the open questions follow the table");
    let code = code();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|') && line.contains('`')).collect();
    assert!(rows.len() > 20);
    for row in rows {
        for name in named_tests(row) {
            assert!(exists(name, &code), "docs/evidence.md names {name}, which does not exist: {row}");
        }
    }
    for row in open.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        for switch in named_tests(row) {
            let flag = switch.split_whitespace().next().unwrap().trim_start_matches("--");
            // A flag is a field of an argument struct.
            assert!(code.contains(&format!("{}:", flag.replace('-', "_"))), "no switch {switch}: {row}");
        }
    }
}

#[test]
fn the_readme_shows_the_output_that_the_program_gives() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme
        .split("```console\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .filter_map(|block| block.split_once('\n'));
    let mut checked = 0;
    for (command, expected) in shown {
        let arguments = command.strip_prefix("$ skinsim ").expect("a shown command starts with $ skinsim");
        let output = assert_cmd::Command::cargo_bin("skinsim")
            .unwrap()
            .current_dir(root())
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        let have = String::from_utf8(output.stdout).unwrap();
        assert_eq!(have, expected, "README.md shows another output for: {command}");
        checked += 1;
    }
    assert!(checked >= 1);
}
