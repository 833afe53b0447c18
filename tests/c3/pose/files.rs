//! The recorded skeletons and banks through the parsers and back.

use skinsim::c3::format::act::Act;
use skinsim::c3::format::anm::Anm;

use super::cases;

#[test]
fn recorded_skeletons_are_read_whole_and_written_back_byte_for_byte() {
    for case in cases::all() {
        let bytes = case.read("model.act");
        let act = Act::parse(&bytes).unwrap();
        assert!(act.problems.is_empty(), "{}: {:?}", case.name, act.problems);
        assert_eq!(act.to_bytes(), bytes, "{}", case.name);
        assert_eq!(act.walk().unwrap().len(), case.bone_ids.len());
    }
}

#[test]
fn recorded_banks_are_read_whole_and_written_back_byte_for_byte() {
    for case in cases::all() {
        let Some(file) = &case.anm else { continue };
        let bytes = case.read(file);
        let anm = Anm::parse(&bytes).unwrap();
        assert!(anm.problems.is_empty(), "{}: {:?}", case.name, anm.problems);
        assert_eq!(anm.to_bytes(), bytes, "{}", case.name);
        for sequence in &anm.sequences {
            for track in anm.tracks_of(sequence).unwrap() {
                assert!(!anm.keys_of(&anm.tracks[track]).unwrap().is_empty(), "{}", case.name);
            }
        }
    }
}

#[test]
fn every_byte_of_a_recorded_bank_belongs_to_a_record_or_a_key() {
    for case in cases::all() {
        let Some(file) = &case.anm else { continue };
        let bytes = case.read(file);
        let anm = Anm::parse(&bytes).unwrap();
        let tables = anm.header.keys_at() as usize + 12 * anm.keys.len();
        let mut owned: Vec<bool> = (0..bytes.len()).map(|at| at < tables).collect();
        let mut own = |at: u32, size: u64| owned[at as usize..at as usize + size as usize].fill(true);
        for track in &anm.tracks {
            for key in &anm.keys[anm.keys_of(track).unwrap()] {
                own(key.setting, track.setting_size());
                if track.interpolation_size() > 0 {
                    own(key.interpolation, track.interpolation_size());
                }
            }
        }
        for sequence in &anm.sequences {
            if let Some(name) = anm.name(sequence) {
                own(sequence.name, name.len() as u64 + 1);
            }
        }
        let strays = owned.iter().zip(&bytes).filter(|&(owned, byte)| !owned && *byte != 0).count();
        assert_eq!(strays, 0, "{}", case.name);
    }
}
