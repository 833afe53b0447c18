//! `run --engine cpu` as a user runs it.

use assert_cmd::Command;
use serde_json::Value;

use super::support::{CODE, code};

pub const FOX: &str = "examples/fox.block";
const KERNELS: &str = "ppc_traces/kernels/sluggers.elf";

pub fn run(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("skinsim").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("run").args(arguments).assert()
}

pub fn json(arguments: &[&str], code: i32) -> Value {
    let assert = run(&[arguments, &["--json"]].concat()).code(code);
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

/// What an error says, in one line or more.
pub fn refusal(arguments: &[&str]) -> String {
    String::from_utf8(run(arguments).code(2).get_output().stderr.clone()).unwrap()
}

#[test]
fn a_program_tells_the_same_of_the_fox_as_the_model() {
    let mut model = json(&[FOX, "--frames", "2"], 0);
    for program in [&["--engine", "cpu"][..], &["--dol", KERNELS]] {
        let mut cpu = json(&[&[FOX, "--frames", "2"], program].concat(), 0);
        assert_eq!((&model["engine"], &cpu["engine"]), (&"model".into(), &"cpu".into()));
        assert_eq!(cpu["program"]["called"], "SKNIt");
        assert_eq!(cpu["program"]["stop"], Value::Null);
        for report in [&mut model, &mut cpu] {
            report.as_object_mut().unwrap().retain(|key, _| key != "engine" && key != "program");
        }
        assert!(model == cpu);
        model = json(&[FOX, "--frames", "2"], 0);
    }
}

#[test]
fn a_fault_of_the_program_is_the_models_and_the_last_instructions_are_told() {
    let broken = "examples/broken/one-vertex.block";
    let (model, cpu) = (json(&[broken], 1), json(&[broken, "--engine", "cpu"], 1));
    assert_eq!(model["faults"], cpu["faults"]);
    let stop = &cpu["program"]["stop"];
    assert_eq!((&stop["pc"], &stop["at"]), (&"0x80523ec4".into(), &"SKN1Vecs16Norms16+0xb8".into()));
    let last = stop["last"].as_array().unwrap();
    assert_eq!(last.len(), 16);
    assert_eq!(last[15]["text"], "psq_lu f8, 0x4(r4), 0, qr7");
    assert_eq!(last[15]["pc"], "0x80523ec4");
    insta::assert_snapshot!(String::from_utf8_lossy(
        &run(&[broken, "--engine", "cpu"]).code(1).get_output().stdout
    ));
}

#[test]
fn what_only_the_model_can_do_is_refused_for_a_processor() {
    let told = refusal(&[FOX, "--engine", "cpu", "--clear", "bytes"]);
    assert!(told.contains("--clear bytes: want --engine model"), "{told}");
    run(&[FOX, "--clear", "bytes"]).code(0);
}

#[test]
fn a_trace_of_an_entry_that_does_not_exist_says_so() {
    for engine in ["model", "cpu"] {
        let mut command = Command::cargo_bin("skinsim").unwrap();
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["trace", FOX, "--entry", "sk1:99"]);
        let assert = command.args(["--engine", engine]).assert().code(2);
        let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(told.contains("--entry SK1[99]: want one that exists"), "{told}");
        assert!(assert.get_output().stdout.is_empty());
    }
}

#[test]
fn any_function_can_be_called_with_any_registers() {
    // clear(r3 = address, r4 = bytes) of the kernels, by name, by a symbol and by its address.
    for call in [
        &["--call", "clear"][..],
        &["--symbol", "mine=0x80523df0", "--call", "mine"],
        &["--call", "0x80523df0"],
    ] {
        let options = ["--dol", KERNELS, "--reg", "r3=0x80a00100", "--reg", "r4=64"];
        let report = json(&[&[FOX], &options[..], call].concat(), 0);
        assert_eq!(report["cleared"]["start"], "0x80a00100");
        assert_eq!(report["cleared"]["end"], "0x80a00140");
    }
}

#[test]
fn a_map_names_functions() {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("game.map");
    std::fs::write(&map, "80523df0 0000001c 80523df0 0 Wipe\n").unwrap();
    let map = map.to_str().unwrap();
    let report = json(&[FOX, "--dol", KERNELS, "--map", map, "--call", "Wipe", "--reg", "r4=32"], 0);
    assert_eq!(report["program"]["called"], "Wipe");
    std::fs::write(folder.path().join("game.map"), "nothing\n").unwrap();
    assert!(refusal(&[FOX, "--dol", KERNELS, "--map", map]).contains("have none"));
}

#[test]
fn what_cannot_be_run_is_refused_with_the_reason() {
    for (arguments, want) in [
        (
            &["--engine", "cpu", "--call", "absent"][..],
            "no address for absent: give it as --symbol absent=ADDRESS",
        ),
        (&["--engine", "cpu", "--call", "0x80523671"], "want an address in the program's code"),
        (&["--engine", "cpu", "--symbol", "SKNInit=0x80000000"], "SKNInit at 0x80000000: want an address"),
        (&["--engine", "model", "--dol", KERNELS], "--dol: want --engine cpu"),
        (&["--dol", FOX], "neither a DOL nor an ELF, have 00 00 00 00"),
        (&["--dol", "absent.dol"], "absent.dol"),
        (&["--dol", KERNELS, "--address", "0x80523000"], "covers the model or its bones"),
        (&["--engine", "cpu", "--reg", "r32=0"], "want rN=VALUE with N below 32"),
        (&["--engine", "cpu", "--symbol", "SKNIt"], "want NAME=ADDR"),
    ] {
        let have = refusal(&[&[FOX], arguments].concat());
        assert!(have.contains(want), "{arguments:?}: {have}");
    }
}

/// A DOL of one code section at 0x80003100.
fn dol(code: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 0x100];
    for (offset, value) in [(0x00, 0x100), (0x48, CODE), (0x90, code.len() as u32), (0xe0, CODE)] {
        bytes[offset..offset + 4].copy_from_slice(&value.to_be_bytes());
    }
    bytes.extend(code);
    bytes
}

/// Why a small program stopped when the fox was given to it.
fn stop(text: &str, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.dol");
    std::fs::write(&file, dol(&code(text))).unwrap();
    let dol = ["--dol", file.to_str().unwrap(), "--symbol", "main=0x80003100", "--call", "main"];
    json(&[&[FOX], &dol[..], options].concat(), 1)["program"]["stop"].take()
}

#[test]
fn a_program_that_leaves_its_text_is_told_with_where() {
    let stop = stop("addi r3, r3, 1\nb 0x100", &[]);
    assert_eq!(stop["reason"], "the program counter left the known text");
    // No function reaches there.
    assert_eq!((&stop["pc"], &stop["at"]), (&"0x80003204".into(), &Value::Null));
    let last = stop["last"].as_array().unwrap();
    let texts: Vec<&str> = last.iter().filter_map(|one| one["text"].as_str()).collect();
    assert_eq!(texts, ["addi r3, r3, 0x1", "b 0x100"]);
    assert_eq!(last[2]["word"], Value::Null);
}

#[test]
fn an_endless_loop_is_cut_off_and_an_unwritten_word_is_no_instruction() {
    let endless = stop("addi r3, r3, 1\nb -4", &["--budget", "1000"]);
    assert_eq!(endless["reason"], "the instruction budget is used up");
    // A branch to itself is told without waiting for any budget; one that counts is none.
    for branch in ["b 0", "bc 20, 0, 0"] {
        let halted = stop(branch, &["--budget", "18446744073709551615"]);
        assert_eq!(halted["reason"], "a branch to itself, which never ends", "{branch}");
    }
    let counting = stop("li r3, 100\nmtspr 9, r3\nbc 16, 0, 0\ntrap", &[]);
    assert_eq!(counting["reason"], "a trap");
    // Memory beyond the code is no text even where it reads as zero.
    let off_the_end = stop("addi r3, r3, 1", &["--on-fault", "continue"]);
    assert_eq!(off_the_end["reason"], "the program counter left the known text");
}

/// A DOL of several sections: slot, address, code.
fn sections(parts: &[(usize, u32, &str)]) -> Vec<u8> {
    let mut bytes = dol(&[]);
    for &(slot, address, text) in parts {
        let code = code(text);
        for (table, value) in [(0, bytes.len() as u32), (0x48, address), (0x90, code.len() as u32)] {
            let at = table + 4 * slot;
            bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
        }
        bytes.extend(code);
    }
    bytes
}

#[test]
fn sections_may_touch_and_lie_over_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.dol");
    let call = ["--dol", file.to_str().unwrap(), "--call", "0x80003100"];
    let programs: [&[(usize, u32, &str)]; 2] = [
        &[(0, CODE, "nop\nnop"), (1, CODE + 8, "li r3, 7\nblr")],
        // Slot 7 is the first of data.
        &[(0, CODE, "trap\nblr\nnop\nnop"), (7, CODE, "li r3, 7")],
    ];
    for program in programs {
        std::fs::write(&file, sections(program)).unwrap();
        let report = json(&[&[FOX], &call[..]].concat(), 0);
        assert_eq!(report["program"]["stop"], Value::Null);
    }
}

#[test]
fn a_trap_behind_a_function_of_unknown_size_is_not_told_as_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.dol");
    std::fs::write(&file, sections(&[(0, CODE, "b 16\nblr\nnop\nnop\ntrap")])).unwrap();
    let call = ["--dol", file.to_str().unwrap(), "--symbol", "SKNIt=0x80003100"];
    let report = json(&[&[FOX], &call[..]].concat(), 1);
    assert_eq!(report["program"]["stop"]["at"], Value::Null);
    assert_eq!(report["faults"][0]["at"], "0x80003110");
}

/// The frame has loaded the next entry already when it reads the bone of this one, and loads this one
/// while that before is at work.
#[test]
fn a_bone_or_a_source_that_does_not_exist_is_told_of_the_entry_that_names_it() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let third = 0x5de4 + 2 * 0x40;
    for (field, bytes) in [(0x38, [0, 200]), (0x30, [0xff, 0])] {
        let mut block = std::fs::read(root.join(FOX)).unwrap();
        block[third + field..third + field + 2].copy_from_slice(&bytes);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fox.block");
        std::fs::write(&file, block).unwrap();
        let file = file.to_str().unwrap();
        let (model, cpu) = (json(&[file], 1), json(&[file, "--engine", "cpu"], 1));
        assert_eq!(cpu["faults"][0]["entry"], "SK1[2]");
        for key in ["access", "address", "entry", "stage", "vertex"] {
            assert_eq!(model["faults"][0][key], cpu["faults"][0][key], "{key}");
        }
    }
}
