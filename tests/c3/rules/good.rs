//! Models that nothing is wrong with come out without an error, whatever their shape.

use std::collections::BTreeSet;

use proptest::prelude::*;
use skinsim::c3::build::skn::AccumulateSource;
use skinsim::c3::check::{Comparison, check};
use skinsim::c3::format::gpl::Gpl;
use skinsim::c3::model::{LooseFiles, Model};
use skinsim::c3::rules::effects::Target;
use skinsim::finding::{Effect, Finding, Severity};

use super::findings;
use super::written::{Clear, Plan, Run, Written};

/// Warnings that models of known-good tools and vanilla shapes may draw: each with what it is about.
const EXPECTED: [&str; 4] = [
    "flush-tail",            // flush lists of tools whose models run in game
    "clear-cut-short",       // the usual range, where whole lines are cleared
    "write-outside-scratch", // stores behind the stored array, into bytes that are free
    "source-over-vanilla-limit",
];

fn loose_findings(written: &Written) -> Vec<Finding> {
    let [gpl, skn, act] = written.loose();
    let files = LooseFiles { gpl: &gpl, skn: Some(&skn), act: Some(&act), anm: None };
    let model = Model::from_loose(files).unwrap();
    check(&model, &Comparison::default(), 0x8040_0000, &[Target::Dolphin, Target::Console])
}

/// Codes above a note of a good model, as a block and as loose files; none of them an error.
fn warnings(plan: &Plan) -> BTreeSet<&'static str> {
    let written = plan.write();
    let all = [findings(&written.block(None)), loose_findings(&written)].concat();
    let worse: Vec<_> = all.into_iter().filter(|finding| finding.severity > Severity::Note).collect();
    let unexpected =
        |finding: &&Finding| finding.severity == Severity::Error || !EXPECTED.contains(&finding.code.name);
    let told = |finding: &Finding| {
        format!(
            "{} {:?}: {} {:?} {:?}",
            finding.code.name, finding.place.entry, finding.text, finding.dolphin, finding.console
        )
    };
    assert_eq!(worse.iter().filter(unexpected).map(told).collect::<Vec<_>>(), [""; 0], "{plan:?}");
    worse.iter().map(|finding| finding.code.name).collect()
}

const ONE: Run = Run { pair: None, bone: 1, count: 20, gap: 0, supplemented: 0, same: false };
const TWO: Run = Run { pair: Some(2), ..ONE };

fn plan(runs: &[Run]) -> Plan {
    Plan { runs: runs.to_vec(), ..Plan::default() }
}

#[test]
fn canonical_models_and_models_of_one_list() {
    let none = BTreeSet::new();
    assert_eq!(warnings(&plan(&[ONE, ONE, TWO, TWO])), none);
    assert_eq!(warnings(&plan(&[ONE])), none);
    assert_eq!(warnings(&plan(&[TWO])), none);
    assert_eq!(warnings(&Plan { accumulated: 8, ..plan(&[]) }), none);
    // What the clear store takes along needs no flush; supplements have nothing else.
    assert_eq!(warnings(&Plan { accumulated: 400, whole_flush: false, ..plan(&[]) }), none);
    let supplemented = plan(&[Run { supplemented: 3, ..TWO }]);
    assert_eq!(warnings(&supplemented), none);
    assert_eq!(warnings(&Plan { whole_flush: false, ..supplemented }), BTreeSet::from(["flush-tail"]));
    assert_eq!(warnings(&Plan { face: true, ..plan(&[ONE, Run { gap: 2, ..TWO }]) }), none);
}

#[test]
fn entries_of_three_vertices_and_of_the_largest_sources() {
    let three = |run: Run| Run { count: 3, ..run };
    let few: Vec<Run> =
        (0..40).map(|bone| Run { bone: bone % 4, ..three(if bone < 20 { ONE } else { TWO }) }).collect();
    assert_eq!(warnings(&plan(&few)), BTreeSet::new());
    // Two lines on, the first vertex lies 8 bytes into its line: 8180 and 4088 bytes.
    let large = Run { count: 681, gap: 2, ..ONE };
    let written = plan(&[large]).write();
    assert_eq!(written.skn.direct[0].size(), 8180);
    assert_eq!(warnings(&plan(&[large, ONE, large, ONE])), BTreeSet::new());
    let large = Run { count: 340, gap: 2, ..TWO };
    assert_eq!(plan(&[large]).write().skn.direct[0].size(), 4088);
    assert_eq!(warnings(&plan(&[large, TWO, TWO])), BTreeSet::new());
}

#[test]
fn a_source_that_fills_its_buffer_to_the_last_byte_is_only_unusual() {
    let full = Run { count: 682, gap: 2, ..ONE };
    assert_eq!(plan(&[full]).write().skn.direct[0].size(), 0x2000);
    assert_eq!(warnings(&plan(&[full, ONE, ONE])), BTreeSet::from(["source-over-vanilla-limit"]));
    let full = Run { count: 341, gap: 1, ..TWO };
    assert_eq!(plan(&[full]).write().skn.direct[0].size(), 0x1000);
    assert_eq!(warnings(&plan(&[TWO, full, TWO])), BTreeSet::from(["source-over-vanilla-limit"]));
}

/// The kernel reads one vertex past its last: in the upper SK1 buffer it ends where the console's locked cache
/// ends, and Dolphin's goes on.
#[test]
fn a_full_source_in_the_upper_buffer_leaves_the_locked_cache_of_a_console() {
    let full = Run { count: 682, gap: 2, ..ONE };
    let findings = findings(&plan(&[ONE, full, ONE]).write().block(None));
    let over = findings.iter().find(|finding| finding.code.name == "source-over-vanilla-limit").unwrap();
    assert_eq!((over.severity, &over.dolphin), (Severity::Error, &Some(Effect::None)));
    let Some(Effect::Faults(words)) = &over.console else { panic!("{over:?}") };
    assert!(words.starts_with("leaves the locked cache at 0xe0004000"), "{words}");
}

#[test]
fn duplicates_and_an_extra_line_and_gaps() {
    let same = |run: Run| Run { same: true, ..run };
    assert_eq!(warnings(&plan(&[same(ONE), same(TWO)])), BTreeSet::new());
    let gaps = Plan {
        accumulated: 40,
        holes: true,
        clear: Clear::ExtraLine,
        ..plan(&[Run { gap: 3, ..ONE }, Run { gap: 1, supplemented: 2, ..TWO }])
    };
    assert_eq!(warnings(&gaps), BTreeSet::new());
}

/// The pattern of known models: one entry names a slot twice in a row, by 255 and by 1.
#[test]
fn a_slot_that_one_entry_names_twice() {
    let mut written = Plan { accumulated: 24, ..plan(&[]) }.write();
    let halves: Vec<_> = written.skn.skacc.extract_if(.., |entry| entry.bone == 0).collect();
    assert_eq!(halves.len(), 2);
    let mut both: Vec<_> = halves.into_iter().flat_map(|entry| entry.supplements).collect();
    // The whole of a slot and its one part stay in this order.
    both.sort_by_key(|part| part.slot);
    written.skn.skacc.insert(0, AccumulateSource { bone: 0, base: 0, supplements: both });
    let findings = [findings(&written.block(None)), loose_findings(&written)].concat();
    let worst = findings.iter().map(|finding| finding.severity).max();
    assert_eq!(worst, Some(Severity::Note));
    let twice: Vec<_> = findings.iter().filter(|f| f.code.name == "weight-duplicate").collect();
    assert_eq!(twice.len(), 2, "{findings:?}");
    assert!(twice.iter().all(|f| f.text.ends_with("all as 255 + 1, which known models have")), "{twice:?}");
}

/// Loose files of the older library: another version word, and another id of the vertex descriptor.
#[test]
fn files_of_the_older_library() {
    let written = Plan { accumulated: 9, ..plan(&[ONE, Run { supplemented: 2, ..TWO }]) }.write();
    let [mut gpl, skn, act] = written.loose();
    let display = Gpl::parse(&gpl).unwrap().submeshes[0].layout.as_ref().unwrap().display.clone().unwrap();
    gpl[..4].copy_from_slice(&6_012_001_u32.to_be_bytes());
    for state in display.states.iter().filter(|state| state.id == 3) {
        gpl[state.offset as usize] = 2;
    }
    let files = LooseFiles { gpl: &gpl, skn: Some(&skn), act: Some(&act), anm: None };
    let model = Model::from_loose(files).unwrap();
    let findings = check(&model, &Comparison::default(), 0x8040_0000, &[Target::Dolphin, Target::Console]);
    let worse: Vec<_> = findings.iter().filter(|finding| finding.severity > Severity::Note).collect();
    assert_eq!(worse, Vec::<&Finding>::new());
}

fn run(bones: u16) -> impl Strategy<Value = Run> {
    let pair = proptest::option::of(0..bones);
    (pair, 0..bones, 3u16..60, 0u16..4, 0u16..5, any::<bool>()).prop_map(
        |(pair, bone, count, gap, supplemented, same)| Run { pair, bone, count, gap, supplemented, same },
    )
}

fn any_plan() -> impl Strategy<Value = Plan> {
    (2u16..100)
        .prop_flat_map(|bones| {
            let flags = any::<[bool; 5]>();
            (Just(bones), proptest::collection::vec(run(bones), 1..14), 0u16..70, flags)
        })
        .prop_map(|(bones, mut runs, accumulated, [holes, extra, whole_flush, scratch, face])| {
            // SK1 entries come first, as in every known file.
            runs.sort_by_key(|run| run.pair.is_some());
            let clear = if extra { Clear::ExtraLine } else { Clear::Usual };
            Plan { runs, accumulated, holes, clear, whole_flush, bones, scratch, face, ..Plan::default() }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_well_formed_model_comes_out_without_an_error(plan in any_plan()) {
        warnings(&plan);
    }
}
