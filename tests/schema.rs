//! The JSON schemas under `docs/schema/` are the ones the program's types give.
//!
//! `UPDATE_SCHEMA=1 cargo test --test schema` rewrites them.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// The schema of what is written, not of what could be read: a field that may be left out is not required.
fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The schema of an output whose numbers come from files: JSON has no NaN and no infinity, so a floating-point
/// number that is not finite is written as null.
fn schema_of_file_numbers<T: JsonSchema>() -> Schema {
    let mut nullable = RecursiveTransform(|schema: &mut Schema| {
        let is_float = matches!(schema.get("format").and_then(Value::as_str), Some("float" | "double"));
        if is_float && schema.get("type").is_some_and(|kind| kind == "number") {
            schema.insert("type".to_owned(), serde_json::json!(["number", "null"]));
        }
    });
    let mut schema = schema_of::<T>();
    nullable.transform(&mut schema);
    schema
}

/// Every output and the file that holds its schema.
fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("build", schema_of::<skinsim::report::build::BuildReport>()),
        ("repair", schema_of::<skinsim::report::repair::RepairReport>()),
        ("check", schema_of::<skinsim::report::json::CheckReport>()),
        ("diff", schema_of_file_numbers::<skinsim::report::diff::DiffReport>()),
        ("snapshot", schema_of::<skinsim::report::snapshot::SnapshotReport>()),
        ("export", schema_of::<skinsim::report::export::ExportReport>()),
        ("explain", schema_of::<skinsim::report::explain::ExplainReport>()),
        ("info-c3", schema_of::<skinsim::report::info::c3::C3Info>()),
        ("info-mdl", schema_of_file_numbers::<skinsim::report::mdl::info::MdlInfo>()),
        ("flex", schema_of_file_numbers::<skinsim::report::mdl::flex::FlexRun>()),
        ("trace-mdl", schema_of_file_numbers::<skinsim::report::mdl::trace::MdlTrace>()),
        ("pose", schema_of::<skinsim::report::pose::PoseReport>()),
        ("info-flver", schema_of_file_numbers::<skinsim::report::flver::info::FlverInfo>()),
        ("flver", schema_of_file_numbers::<skinsim::flver::runtime::outcome::Outcome>()),
        ("run-c3", schema_of::<skinsim::report::run::RunReport>()),
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

/// A schema with what it refers to: both hold, so their fields and what they require are united.
fn resolved(root: &Value, schema: &Value) -> Value {
    let Some(name) = schema["$ref"].as_str() else { return schema.clone() };
    let target = root.pointer(name.trim_start_matches('#')).expect("a reference leads somewhere");
    let mut whole = resolved(root, target);
    for (keyword, own) in schema.as_object().into_iter().flatten() {
        match (whole.get_mut(keyword), own) {
            (Some(Value::Object(fields)), Value::Object(own)) => fields.extend(own.clone()),
            (Some(Value::Array(names)), Value::Array(own)) => names.extend(own.clone()),
            _ => drop(whole.as_object_mut().unwrap().insert(keyword.clone(), own.clone())),
        }
    }
    whole.as_object_mut().unwrap().remove("$ref");
    whole
}

/// What a schema does not allow of a value, with the way there; `None` if it allows it.
fn violation(root: &Value, schema: &Value, value: &Value, way: &str) -> Option<String> {
    let schema = &resolved(root, schema);
    if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        let fits = |choice: &Value| violation(root, choice, value, way).is_none();
        return (!choices.iter().any(fits)).then(|| format!("{way}: fits none of the choices"));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_kind(value, kind)) {
        return Some(format!("{way}: want {kinds:?}"));
    }
    let one_of = |allowed: &Value| allowed.as_array().is_none_or(|allowed| allowed.contains(value));
    if !one_of(&schema["enum"]) || schema.get("const").is_some_and(|only| only != value) {
        return Some(format!("{way}: not one of the values"));
    }
    match value {
        Value::Object(fields) => object_violation(root, schema, fields, way),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let prefix = schema["prefixItems"].get(index);
            violation(root, prefix.unwrap_or(&schema["items"]), item, &format!("{way}[{index}]"))
        }),
        _ => None,
    }
}

fn object_violation(root: &Value, schema: &Value, fields: &Map<String, Value>, way: &str) -> Option<String> {
    let mut required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.find(|name| !fields.contains_key(*name)) {
        return Some(format!("{way}: {missing} is required"));
    }
    fields.iter().find_map(|(name, value)| {
        let way = format!("{way}.{name}");
        match schema["properties"].get(name).or(schema.get("additionalProperties")) {
            Some(schema) => violation(root, schema, value, &way),
            None if schema.get("properties").is_some() => Some(format!("{way}: not in the schema")),
            None => None,
        }
    })
}

fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// The JSON that a command prints, whatever its exit code.
fn printed(arguments: &[&str]) -> Value {
    let mut command = assert_cmd::Command::cargo_bin("skinsim").unwrap();
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

#[test]
fn what_the_commands_print_obeys_its_schema() {
    const FOX: &str = "examples/fox.block";
    const ONE_VERTEX: &str = "examples/broken/one-vertex.block";
    const CRASH: &str = "Invalid read from 0xe0040000, PC = 0x80523ec4";
    const FLVER: &str = "tests/cases/flver-synthetic/synth_2001a.flver";
    const OTHER_FLVER: &str = "tests/cases/flver-synthetic/synth_20014.flver";
    const MDL: &str = "tests/cases/mdl_synth_flex/synth_flex.mdl";
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.block");
    let out = out.to_str().unwrap();
    let (mesh, golden) = (folder.path().join("mesh.glb"), folder.path().join("golden"));
    let (mesh, golden) = (mesh.to_str().unwrap(), golden.to_str().unwrap());
    let schemas: BTreeMap<&str, Value> =
        schemas().into_iter().map(|(name, schema)| (name, schema.to_value())).collect();
    for (name, arguments) in [
        ("run-c3", &["run", FOX, "--json"][..]),
        ("run-c3", &["run", FOX, "--engine", "cpu", "--frames", "2", "--json"]),
        ("run-c3", &["run", ONE_VERTEX, "--json"]),
        ("run-c3", &["run", FOX, "--target", "console", "--dma", "deferred", "--json"]),
        ("check", &["check", FOX, ONE_VERTEX, FLVER, MDL, "--format", "json"]),
        ("explain", &["explain", CRASH, "--json"]),
        ("explain", &["explain", CRASH, ONE_VERTEX, "--json"]),
        ("explain", &["explain", "Unknown Pointer 0 PC 800c05b4 LR 800bc3b8", FOX, "--json"]),
        ("info-c3", &["info", FOX, "--json"]),
        ("info-c3", &["info", "tests/cases/skn/000-well-formed/model.gpl", "--json"]),
        ("info-flver", &["info", FLVER, "--json"]),
        ("flver", &["run", FLVER, "--json"]),
        ("info-mdl", &["info", MDL, "--json"]),
        ("flex", &["run", MDL, "--json"]),
        ("trace-mdl", &["trace", MDL, "--json"]),
        ("pose", &["pose", FOX, "--json"]),
        ("repair", &["repair", ONE_VERTEX, "-o", out, "--json"]),
        ("diff", &["diff", FOX, ONE_VERTEX, "--max", "0", "--json"]),
        ("diff", &["diff", FLVER, OTHER_FLVER, "--json"]),
        ("diff", &["diff", MDL, MDL, "--json"]),
        ("diff", &["diff", "examples/broken", "examples", "--json"]),
        ("export", &["export", FOX, "-o", mesh, "--json"]),
        ("export", &["export", MDL, "--rigged", "-o", mesh, "--json"]),
        ("snapshot", &["snapshot", "take", FOX, "--dir", golden, "--json"]),
        ("snapshot", &["snapshot", "verify", FOX, ONE_VERTEX, "--dir", golden, "--json"]),
        ("snapshot", &["snapshot", "verify", FOX, "--no-skeleton", "--dir", golden, "--json"]),
    ] {
        let (schema, value) = (&schemas[name], printed(arguments));
        assert_eq!(violation(schema, schema, &value, "$"), None, "{arguments:?} against {name}");
    }
}

#[test]
fn a_field_that_is_missing_unknown_or_of_another_kind_is_a_violation() {
    let schema = schema_of::<skinsim::report::explain::ExplainReport>().to_value();
    let whole = printed(&["explain", "Invalid read from 0xe0040000, PC = 0x80523ec4", "--json"]);
    let broken = |change: fn(&mut Value)| {
        let mut value = whole.clone();
        change(&mut value);
        violation(&schema, &schema, &value, "$")
    };
    assert_eq!(broken(|_| ()), None);
    assert!(broken(|value| drop(value.as_object_mut().unwrap().remove("messages"))).is_some());
    assert!(broken(|value| value["other"] = 1.into()).is_some());
    assert!(broken(|value| value["messages"][0]["address"] = 1.into()).is_some());
}

/// A copy of a sample with NaN at every given place.
fn spoiled(folder: &Path, sample: &str, places: impl Fn(&[u8]) -> Vec<usize>) -> String {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut bytes = std::fs::read(cases.join(sample)).unwrap();
    for at in places(&bytes) {
        bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    }
    let path = folder.join(Path::new(sample).file_name().unwrap());
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(holds_null),
        Value::Object(fields) => fields.values().any(holds_null),
        _ => false,
    }
}

#[test]
fn numbers_of_a_file_that_are_not_finite_are_null_and_obey_the_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    // The header's box and the first node's translation, behind dummies and materials.
    let node = |bytes: &[u8]| 0x80 + 64 * word(bytes, 0x14) + 32 * word(bytes, 0x18);
    let flver = spoiled(folder.path(), "flver-synthetic/synth_2001a.flver", |bytes| vec![0x28, node(bytes)]);
    // The first controller's minimum and the scale; a vertex' position and normal.
    let mdl =
        spoiled(folder.path(), "mdl_synth_flex/synth_flex.mdl", |bytes| vec![word(bytes, 272) + 12, 392]);
    spoiled(folder.path(), "mdl_synth_flex/synth_flex.vvd", |bytes| {
        let vertices = word(bytes, 56);
        vec![vertices + 16, vertices + 28]
    });
    let schemas: BTreeMap<&str, Value> =
        schemas().into_iter().map(|(name, schema)| (name, schema.to_value())).collect();
    let sound =
        ["tests/cases/flver-synthetic/synth_2001a.flver", "tests/cases/mdl_synth_flex/synth_flex.mdl"];
    for (name, arguments) in [
        ("flver", &["run", &flver, "--json"][..]),
        ("info-flver", &["info", &flver, "--json"]),
        ("diff", &["diff", &flver, sound[0], "--json"]),
        ("flex", &["run", &mdl, "--json"]),
        ("info-mdl", &["info", &mdl, "--json"]),
        ("trace-mdl", &["trace", &mdl, "--json"]),
        ("diff", &["diff", &mdl, sound[1], "--json"]),
    ] {
        let (schema, value) = (&schemas[name], printed(arguments));
        assert!(name == "diff" || holds_null(&value), "{arguments:?}");
        assert_eq!(violation(schema, schema, &value, "$"), None, "{arguments:?} against {name}");
    }
}
