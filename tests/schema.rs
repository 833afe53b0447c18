//! The JSON schemas under `docs/schema/` are the ones the program's types give.
//!
//! `UPDATE_SCHEMA=1 cargo test --test schema` rewrites them.

use std::path::Path;

use schemars::{Schema, schema_for};

/// Every output and the file that holds its schema.
fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("build", schema_for!(skinsim::report::build::BuildReport)),
        ("repair", schema_for!(skinsim::report::repair::RepairReport)),
        ("check", schema_for!(skinsim::report::json::CheckReport)),
        ("diff", schema_for!(skinsim::report::diff::DiffReport)),
        ("snapshot", schema_for!(skinsim::report::snapshot::SnapshotReport)),
        ("export", schema_for!(skinsim::report::export::ExportReport)),
        ("explain", schema_for!(skinsim::report::explain::ExplainReport)),
        ("info-c3", schema_for!(skinsim::report::info::c3::C3Info)),
        ("info-mdl", schema_for!(skinsim::report::mdl::info::MdlInfo)),
        ("flex", schema_for!(skinsim::report::mdl::flex::FlexRun)),
        ("trace-mdl", schema_for!(skinsim::report::mdl::trace::MdlTrace)),
        ("pose", schema_for!(skinsim::report::pose::PoseReport)),
        ("info-flver", schema_for!(skinsim::report::flver::info::FlverInfo)),
        ("flver", schema_for!(skinsim::flver::runtime::outcome::Outcome)),
        ("run-c3", schema_for!(skinsim::report::run::RunReport)),
    ]
}

#[test]
fn every_schema_is_checked_in_as_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema");
    for (name, schema) in schemas() {
        let path = folder.join(format!("{name}.json"));
        let generated = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &generated).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(stored, generated, "{}: run UPDATE_SCHEMA=1 cargo test --test schema", path.display());
    }
}
