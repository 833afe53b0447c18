//! Logs as people have them: every era's words, cases, line ends, encodings, sizes.

use serde_json::Value;

use super::explain::{explain, json};

const FIRST: &str = "Invalid read from 0xe0040000, PC = 0x80523ec4";

/// What is explained of a log from standard input.
fn messages(log: impl Into<Vec<u8>>) -> Vec<Value> {
    let output = explain(&["-", "--json"], log).code(0).get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).unwrap();
    report["messages"].as_array().unwrap().clone()
}

fn facts(message: &Value) -> (&str, &str, &str) {
    let field = |name: &str| message[name].as_str().unwrap();
    (field("access"), field("address"), field("pc"))
}

#[test]
fn every_era_and_spelling_means_the_same() {
    for (access, words) in [
        ("read", "Invalid Read from to 0xe0040000, PC = 0x80523ec4 "),
        ("read", "Invalid read from 0xe0040000, PC = 0x80523ec4 "),
        ("read", FIRST),
        (
            "read",
            "Invalid read from 0xe0040000, PC = 0x80523ec4; the game probably would have crashed on real hardware.",
        ),
        ("read", "Unable to resolve read address e0040000 PC 80523ec4"),
        ("write", "Invalid Write to to 0xe0040000, PC = 0x80523ec4 "),
        ("write", "Invalid write to 0xe0040000, PC = 0x80523ec4"),
        ("write", "Unable to resolve write address e0040000 PC 80523ec4"),
    ] {
        let bare = words.replace("0x", "");
        for log in [words.to_owned(), bare, words.to_uppercase(), words.to_lowercase()] {
            let found = messages(log.as_str());
            assert_eq!(found.len(), 1, "{log}");
            assert_eq!(facts(&found[0]), (access, "0xe0040000", "0x80523ec4"), "{log}");
        }
    }
}

#[test]
fn line_ends_marks_and_broken_bytes_do_not_hide_a_message() {
    let line = format!("12:01:222 Core/PowerPC/MMU.cpp:246 E[MASTER]: Warning: {FIRST}");
    let utf16 = |to: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{feff}boot\r\n{line}\r\n").encode_utf16().flat_map(to).collect()
    };
    let bare = |to: fn(u16) -> [u8; 2]| -> Vec<u8> { line.encode_utf16().flat_map(to).collect() };
    let logs: [Vec<u8>; 9] = [
        bare(u16::to_le_bytes),
        bare(u16::to_be_bytes),
        format!("boot\rInvalid\r{line}\r").into(),
        format!("boot\r\n{line}\r\nend\r\n").into(),
        format!("\u{feff}{FIRST}\n").into(),
        [b"\xff\x80\xc3(\n".as_slice(), line.as_bytes(), b"\xfe\n"].concat(),
        [b"\xe9\xe8 ".as_slice(), FIRST.as_bytes()].concat(),
        utf16(u16::to_le_bytes),
        utf16(u16::to_be_bytes),
    ];
    for log in logs {
        let shown = String::from_utf8_lossy(&log).into_owned();
        let found = messages(log);
        assert_eq!(found.len(), 1, "{shown:?}");
        assert_eq!(facts(&found[0]), ("read", "0xe0040000", "0x80523ec4"), "{shown:?}");
        assert_eq!(found[0]["function"], "SKN1Vecs16Norms16", "{shown:?}");
    }
}

#[test]
fn of_many_messages_each_is_told_once_with_how_often() {
    let second = "Invalid read from 0x00000000, PC = 0x8052ec90";
    let third = "Invalid write to 0x00000010, PC = 0x80100048";
    let log = format!("{FIRST}\n{second}\nnothing\n{FIRST}\n{third}\n{FIRST}\n{second}\n");
    let found = messages(log.as_str());
    let told: Vec<(&str, u64)> =
        found.iter().map(|message| (facts(message).1, message["times"].as_u64().unwrap())).collect();
    assert_eq!(told, [("0xe0040000", 3), ("0x00000000", 2), ("0x00000010", 1)]);
}

#[test]
fn what_a_loop_goes_on_with_is_counted_and_what_comes_after_it_is_not_lost() {
    let flood = |start: u32| {
        let word = move |turn: u32| {
            let pc = [0x8052_3ec4_u32, 0x8052_3ed8, 0x8052_3ee4][turn as usize % 3];
            format!("Invalid read from {:#010x}, PC = {pc:#010x}\n", start + 4 * turn)
        };
        (0..1000).map(word).collect::<String>()
    };
    let log = flood(0xe004_0000) + "Invalid read from 0x00000000, PC = 0x8052ec90\n";
    let found = messages(log.as_str());
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["followed"], serde_json::json!({"count": 999, "last": "0xe0040f9c"}));
    assert_eq!(facts(&found[1]), ("read", "0x00000000", "0x8052ec90"));
    // Elsewhere every address is a message of its own; of too many the first are explained.
    let report = json(&["-"], &flood(0x7000_0000));
    assert_eq!(report["messages"].as_array().unwrap().len(), 32);
    assert_eq!(report["left_out"], 968);
    let text = explain(&["-"], flood(0x7000_0000)).code(0).get_output().stdout.clone();
    assert!(String::from_utf8(text).unwrap().contains("968 other messages are left out"));
}

#[test]
fn a_transfer_to_nowhere_is_explained_from_either_of_its_messages() {
    for line in [
        "Unknown Pointer 0x04000000 PC 0x80597b24 LR 0x805237ac",
        "Invalid range in CopyToEmu. 1000 bytes to 0x04000000",
        "Invalid range in CopyFromEmu. 1000 bytes from 0x04000000",
        "Oversized range in GetPointerForRange. 1000 bytes at 0x04000000",
    ] {
        for spelling in [line.to_owned(), line.to_lowercase(), line.replace("0x", "")] {
            let found = messages(spelling.as_str());
            assert_eq!((found.len(), &found[0]["access"]), (1, &"dma".into()), "{spelling}");
            assert_eq!(found[0]["address"], "0x04000000", "{spelling}");
            let meaning = found[0]["meaning"].to_string();
            assert!(meaning.contains("memory that does not exist"), "{meaning}");
        }
    }
}

#[test]
fn both_messages_of_one_transfer_are_one_crash() {
    let log = "Unknown Pointer 0x04000000 PC 0x80597b20 LR 0x805237ac\r\n\
        Invalid range in CopyFromEmu. 1000 bytes from 0x04000000\r\n";
    let found = messages(log.repeat(3));
    assert_eq!((found.len(), &found[0]["times"], facts(&found[0]).2), (1, &3.into(), "0x80597b20"));
    let other = log.replace("from 0x04000000", "from 0x04001000");
    assert_eq!(messages(other).len(), 2);
}

#[test]
fn a_log_of_five_megabytes_is_read_to_its_end() {
    let noise = "12:01:222 Core/HW/DVD/DVDThread.cpp:300 I[DVD]: Disc has been read, 4096 bytes\n";
    let repeated = format!("12:01:223 Core/PowerPC/MMU.cpp:246 E[MASTER]: Warning: {FIRST}\n");
    let mut log = noise.repeat(32_000) + &repeated.repeat(30_000);
    log += "Invalid write to 0x00000010, PC = 0x80100048\n";
    assert!(log.len() > 4_800_000);
    let found = messages(log);
    assert_eq!(found.len(), 2);
    assert_eq!((&found[0]["times"], facts(&found[1]).1), (&30_000.into(), "0x00000010"));
    let one_line = messages("x".repeat(5_000_000) + " " + FIRST);
    assert_eq!(facts(&one_line[0]).1, "0xe0040000");
}

#[test]
fn both_kinds_of_map_name_the_function() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("game.map");
    let line = "Invalid write to 0x00000010, PC = 0x80100048";
    for text in [
        ".text section layout\n80100000 00000200 80100000 0 GameLoop\n",
        ".text\r\n80100000 00000200 80100000 0 GameLoop\r\n",
        ".text section layout\n  Starting        Virtual\n  address  Size   address\n  -----------------------\n  \
         00000000 000200 80100000  4 GameLoop \tmain.o\n",
        "  00000000 000200 80100000 00000100  4 GameLoop \tmain.o\n",
    ] {
        std::fs::write(&map, text).unwrap();
        let report = json(&[line, "--map", map.to_str().unwrap()], "");
        let message = &report["messages"][0];
        assert_eq!(
            (&message["function"], &message["offset"]),
            (&"GameLoop".into(), &"+0x48".into()),
            "{text}"
        );
    }
}

#[test]
fn both_crashes_of_the_community_lead_from_a_log_line_to_their_entry() {
    for (line, model, entry) in [
        (FIRST, "one-vertex", "SK1[2]"),
        ("Unable to resolve read address e0040000 PC 80523ec4", "one-vertex", "SK1[2]"),
        ("Invalid read from 0x00000000, PC = 0x8052ec90", "write-back", "SK2[20]"),
    ] {
        let log = format!("12:00:000 boot\r\n12:01:222 E[MASTER]: Warning: {line}\r\n");
        let report = json(&["-", &format!("examples/broken/{model}.block")], &log);
        let candidates = report["messages"][0]["candidates"].as_array().unwrap();
        let shown: Vec<&Value> = candidates.iter().filter(|one| one["reproduced"] == true).collect();
        assert_eq!(shown.len(), 1, "{line}");
        assert_eq!(shown[0]["entry"], entry, "{line}");
    }
}
