//! Of several suspects the one is named whose access the message tells.

use serde_json::Value;

use super::explain::explain;
use super::ignored::file;
use super::rules::{broken_fox, fox_with, sk1};

fn first(arguments: &[&str]) -> Value {
    let output = explain(&[arguments, &["--json"]].concat(), "").code(0).get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).unwrap();
    report["messages"][0].clone()
}

fn codes(message: &Value) -> Vec<&str> {
    message["causes"].as_array().unwrap().iter().map(|cause| cause["code"].as_str().unwrap()).collect()
}

#[test]
fn a_destination_in_no_memory_is_not_laid_to_its_last_bits() {
    let (_folder, path) = file(&fox_with(&[(sk1(3) + 0x34, &[5, 0, 6, 0x44])]));
    let message = first(&["Unknown Pointer 0x05a00700 PC 0x80597b44 LR 0x805238ac", &path]);
    assert_eq!(message["candidates"][0]["reproduced"], true, "{message}");
    assert_eq!(codes(&message), ["write-outside-model"]);
    // The file's own destination lies 8 bytes into a vertex: told, but it moves no access.
    let (_folder, path) = file(&fox_with(&[(sk1(3) + 0x34, &[5, 0, 6, 0x40])]));
    let message = first(&["Unknown Pointer 0x05a00700 PC 0x80597b44 LR 0x805238ac", &path]);
    assert_eq!(codes(&message), ["write-outside-model"]);
}

#[test]
fn a_write_is_no_read() {
    let (_folder, path) = file(&broken_fox());
    let write = first(&["Invalid write to 0xe0040000, PC = 0x80523ec4", &path]);
    assert!(write["meaning"].to_string().contains("the message tells of a write"), "{write}");
    assert_eq!(write["causes"], Value::Array(Vec::new()));
    assert_eq!(write["candidates"][0]["fits"], false);
    // The stores of the same loop come two vertices later.
    let store = first(&["Invalid write to 0xe0040000, PC = 0x80523ea0", &path]);
    assert_eq!(codes(&store), ["count-wraps"], "{store}");
    let read = first(&["Invalid read from 0xe0040000, PC = 0x80523ea0", &path]);
    assert!(read["meaning"].to_string().contains("the message tells of a read"), "{read}");
    assert_eq!(read["causes"], Value::Array(Vec::new()));
}

#[test]
fn a_map_s_names_and_addresses_hold_throughout() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("game.map");
    let (_model, path) = file(&broken_fox());
    let ask = |lines: &str, message: &str| {
        std::fs::write(&map, lines).unwrap();
        first(&[message, &path, "--map", map.to_str().unwrap()])
    };
    // The kernel at another address: the run's fault is told there.
    let elsewhere = "80600000 0000010c 80600000 0 SKN1Vecs16Norms16\n";
    let message = ask(elsewhere, "Invalid read from 0xe0040000, PC = 0x806000b8");
    assert_eq!((&message["function"], &message["offset"]), (&"SKN1Vecs16Norms16".into(), &"+0xb8".into()));
    let run = message["run"].as_str().unwrap();
    assert!(run.contains("PC = 0x806000b8") && !run.contains("80523ec4"), "{run}");
    assert_eq!(message["candidates"][0]["reproduced"], true);
    // Where the built-in table has it there is something else in this game.
    let message = ask(elsewhere, "Invalid read from 0xe0040000, PC = 0x80523ec4");
    assert!(message["function"].is_null(), "{message}");
    assert!(!message["run"].as_str().unwrap().contains("80523ec4"), "{message}");
    // The kernel under another name.
    let renamed = "80523e0c 0000010c 80523e0c 0 skin_one\n";
    let message = ask(renamed, "Invalid read from 0xe0040000, PC = 0x80523ec4");
    assert_eq!(
        (&message["function"], &message["alias"]),
        (&"skin_one".into(), &"SKN1Vecs16Norms16 of RMBE01".into())
    );
    assert_eq!(message["candidates"][0]["reproduced"], true);
    // Another function at its place.
    let other = "80523e00 00000200 80523e00 0 GameLoop\n";
    let message = ask(other, "Invalid read from 0xe0040000, PC = 0x80523ec4");
    assert_eq!((&message["function"], &message["routine"]), (&"GameLoop".into(), &Value::Null));
    assert!(!message["run"].as_str().unwrap().contains("80523ec4"), "{message}");
}

#[test]
fn the_console_that_is_asked_for_counts() {
    let (_folder, path) = file(&fox_with(&[(sk1(3) + 0x30, &[0x10, 0x60, 0, 0])]));
    // In the second memory of a Wii there is something; a GameCube has none.
    let line = "Unknown Pointer 0x10a05dc0 PC 0x80597b20 LR 0x80597ba0";
    assert_eq!(first(&[line, &path])["causes"], Value::Array(Vec::new()));
    let moved = first(&["Unknown Pointer 0x05b05dc0 PC 0x80597b20 LR 0x80597ba0", &path]);
    assert_eq!(moved["causes"], Value::Array(Vec::new()));
}

#[test]
fn a_model_that_lay_elsewhere_is_told_where() {
    let (_folder, path) = file(&fox_with(&[(sk1(3) + 0x30, &[5, 0, 0, 0])]));
    // At the default address the pointer leads to 0x05a05dc0.
    let line = "Unknown Pointer 0x06205dc0 PC 0x80597b20 LR 0x80597ba0";
    let message = first(&[line, &path]);
    assert_eq!(codes(&message), ["out-of-bounds"], "{message}");
    assert_eq!(message["causes"][0]["certain"], false);
    assert_eq!(
        (&message["candidates"][0]["entry"], &message["candidates"][0]["reproduced"]),
        (&"SK1[3]".into(), &false.into())
    );
    assert!(
        message["run"].as_str().unwrap().contains("with the model at 0x81200000 (--address)"),
        "{message}"
    );
    // There it is exact.
    let message = first(&[line, &path, "--address", "0x81200000"]);
    assert_eq!(message["candidates"][0]["reproduced"], true, "{message}");
    // A line is whole, and memory has an end.
    for other in ["Unknown Pointer 0x06205dc4 PC 0x80597b20", "Unknown Pointer 0x3fa05dc0 PC 0x80597b20"] {
        assert_eq!(first(&[other, &path])["causes"], Value::Array(Vec::new()), "{other}");
    }
}
