//! Completions and manual pages.

use assert_cmd::Command;
use predicates::prelude::*;

fn skinsim(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("skinsim").unwrap().args(arguments).assert()
}

#[test]
fn every_shell_gets_completions_that_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        skinsim(&["completions", shell]).success().stdout(predicate::str::contains("snapshot"));
    }
    skinsim(&["completions", "csh"]).code(2);
}

#[test]
fn a_page_is_printed_by_the_commands_name_or_all_are_written() {
    skinsim(&["man"]).success().stdout(predicate::str::contains(".TH skinsim 1"));
    skinsim(&["man", "snapshot", "take"]).success().stdout(
        predicate::str::contains(".TH skinsim-snapshot-take 1").and(predicate::str::contains("Examples:")),
    );
    skinsim(&["man", "fly"]).code(2).stderr("skinsim: man: want a command of `skinsim`, have \"fly\"\n");
    let folder = tempfile::tempdir().unwrap();
    skinsim(&["man", "--dir", folder.path().to_str().unwrap()]).success();
    for page in ["skinsim.1", "skinsim-check.1", "skinsim-snapshot-verify.1"] {
        assert!(folder.path().join(page).is_file(), "{page}");
    }
}
