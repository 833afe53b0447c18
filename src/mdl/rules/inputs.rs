//! Flexdescs, controllers and mouths: names, ranges, limits, and whether anything sets or reads them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CONTROLLER_DUPLICATE, CONTROLLER_LIMIT, CONTROLLER_RANGE, FLEXDESC_DUPLICATE, FLEXDESC_LIMIT,
    FLEXDESC_UNREACHABLE, FLEXDESC_UNUSED, Findings, MOUTH_FLEXDESC, exists, wrong,
};
use crate::finding::{Code, Effect, Place};
use crate::mdl::format::Mdl;
use crate::mdl::format::opcode::Op;

/// `MAXSTUDIOFLEXDESC`.
const FLEXDESC_MAXIMUM: usize = 1024;
/// `MAXSTUDIOFLEXCTRL`.
const CONTROLLER_MAXIMUM: usize = 96;

pub(super) fn check(mdl: &Mdl, findings: &mut Findings) {
    limit(&FLEXDESC_LIMIT, "flexdescs", mdl.flexdescs.len(), FLEXDESC_MAXIMUM, findings);
    limit(&CONTROLLER_LIMIT, "controllers", mdl.controllers.len(), CONTROLLER_MAXIMUM, findings);
    let names = mdl.flexdescs.iter().map(|desc| &*desc.name);
    duplicates(
        names,
        &FLEXDESC_DUPLICATE,
        "flexdesc",
        "code that looks it up by name finds the first",
        findings,
    );
    let names = mdl.controllers.iter().map(|controller| &*controller.name);
    duplicates(names, &CONTROLLER_DUPLICATE, "controller", "both have one value in the engine", findings);
    ranges(mdl, findings);
    for (index, mouth) in mdl.mouths.iter().enumerate() {
        if !exists(mouth.flexdesc, mdl.flexdescs.len()) {
            findings.add(
                &MOUTH_FLEXDESC,
                Place::section("mouths").entry(format!("mouth {index}")).field("flexdesc"),
                format!("flexdesc {} of {}", mouth.flexdesc, mdl.flexdescs.len()),
                wrong("speech does not move the mouth"),
                "Name an existing flexdesc in the model's mouth command",
            );
        }
    }
    reachable(mdl, findings);
}

fn limit(code: &'static Code, what: &str, have: usize, most: usize, findings: &mut Findings) {
    if have > most {
        findings.add(
            code,
            Place::section(what),
            format!("{have} {what}, the engine has room for {most}"),
            Effect::Overwrites("what follows the engine's array".to_owned()),
            "Remove some, or split the face",
        );
    }
}

fn duplicates<'a>(
    names: impl Iterator<Item = &'a str>,
    code: &'static Code,
    what: &str,
    effect: &str,
    findings: &mut Findings,
) {
    let mut first = BTreeMap::new();
    for (index, name) in names.enumerate() {
        let earlier = *first.entry(name.to_ascii_lowercase()).or_insert(index);
        if earlier != index {
            findings.add(
                code,
                Place::section(format!("{what}s")).entry(format!("{what} {index} '{name}'")),
                format!("{what} {earlier} has the same name"),
                wrong(effect),
                "Give each a name of its own",
            );
        }
    }
}

fn ranges(mdl: &Mdl, findings: &mut Findings) {
    for (index, controller) in mdl.controllers.iter().enumerate() {
        let (min, max) = (controller.min, controller.max);
        if !(min < max && min.is_finite() && max.is_finite()) {
            findings.add(
                &CONTROLLER_RANGE,
                Place::section("controllers").entry(format!("controller {index} '{}'", controller.name)),
                format!("range {min} to {max}"),
                wrong("the slider does nothing or runs backward"),
                "Give the controller a minimum below its maximum",
            );
        }
    }
}

/// Which flexdescs something sets: rules, eyelids, mouths. Which something reads: meshes, rules, eyelids.
fn reachable(mdl: &Mdl, findings: &mut Findings) {
    let lids = || mdl.eyeballs().filter(|eye| !eye.non_facs).flat_map(|eye| [&eye.upper, &eye.lower]);
    let set: BTreeSet<i32> = (mdl.rules.iter().map(|rule| rule.flexdesc))
        .chain(lids().map(|lid| lid.lid_flexdesc))
        .chain(mdl.mouths.iter().map(|mouth| mouth.flexdesc))
        .collect();
    let followed: BTreeSet<i32> = mdl
        .flexes()
        .flat_map(|flex| [Some(flex.flexdesc), (flex.pair != 0).then_some(flex.pair)])
        .flatten()
        .collect();
    let fetched = mdl.rules.iter().flat_map(|rule| &rule.ops).filter_map(|op| match op {
        Op::Fetch2(index) => Some(*index),
        _ => None,
    });
    let read: BTreeSet<i32> = fetched.chain(lids().flat_map(|lid| lid.flexdescs)).collect();
    for (index, desc) in mdl.flexdescs.iter().enumerate() {
        let (at, place) =
            (index as i32, Place::section("flexdescs").entry(format!("flexdesc {index} '{}'", desc.name)));
        if followed.contains(&at) && !set.contains(&at) {
            findings.add(
                &FLEXDESC_UNREACHABLE,
                place,
                "meshes follow it, and no rule, eyelid or mouth sets it".to_owned(),
                wrong("its shape never shows"),
                "Add a rule for it, or remove its shape",
            );
        } else if !followed.contains(&at) && !read.contains(&at) {
            findings.add(
                &FLEXDESC_UNUSED,
                place,
                "no mesh follows it and no rule or eyelid reads it".to_owned(),
                Effect::None,
                "Remove it, or check that its shape was exported",
            );
        }
    }
}
