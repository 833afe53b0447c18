use crate::case::{Case, address, folders};
use skinsim::c3::runtime::simulation::RunOptions;
use skinsim::gekko::fault::FaultKind;
use skinsim::gekko::machine::OnFault;
use skinsim::gekko::map::LockedCacheBat;

#[test]
fn the_first_two_faults_are_the_recorded_ones() {
    let folders = folders("faults");
    assert!(folders.len() >= 3, "the cases of this repository are there");
    for folder in folders {
        let case = Case::read(&folder);
        assert_eq!(case.json["locked_cache_bat"], "16m");
        let (mut simulation, matrices) = case.load(RunOptions {
            on_fault: OnFault::Continue,
            locked_cache_bat: Some(LockedCacheBat::Size16M),
            ..RunOptions::default()
        });
        let journal = simulation.frame(&matrices);
        for (index, expected) in case.json["faults"].as_array().unwrap().iter().enumerate() {
            let fault = journal.faults[index].fault;
            let kind = if expected["access"] == "read" { FaultKind::Read } else { FaultKind::Write };
            let have = (fault.kind, fault.address, fault.site.to_string(), fault.translated);
            let want = (
                kind,
                address(&expected["address"]),
                expected["at"].as_str().unwrap().to_owned(),
                expected["translated"].as_bool().unwrap(),
            );
            assert_eq!(have, want, "{} fault {index}", case.name);
        }
        assert!(journal.hangs(), "{}: the wrapped loop is cut off", case.name);
    }
}
