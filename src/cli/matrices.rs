//! Matrices files: JSON with a key `skin_matrices`.

use std::path::Path;

use serde_json::Value;

use super::CliError;
use crate::c3::runtime::load::SkinMatrix;

/// Reads a matrices file: one entry a bone, three rows of four, each cell a number or the eight hex
/// digits of an f32's bits. Other keys are ignored.
///
/// # Errors
/// When the file cannot be read or is not such a file; the message names the cell.
pub fn read(path: &Path) -> Result<Vec<SkinMatrix>, CliError> {
    let bytes = std::fs::read(path).map_err(|error| CliError::file(path, error))?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| CliError::file(path, error))?;
    parse(&json).map_err(|error| CliError::file(path, error))
}

fn parse(json: &Value) -> Result<Vec<SkinMatrix>, String> {
    let bones = json
        .get("skin_matrices")
        .and_then(Value::as_array)
        .ok_or("want a key skin_matrices with one entry a bone, have none")?;
    bones.iter().enumerate().map(|(bone, rows)| matrix(bone, rows)).collect()
}

fn matrix(bone: usize, rows: &Value) -> Result<SkinMatrix, String> {
    let mut matrix = [[0.0; 4]; 3];
    let place = |row, column| format!("skin_matrices[{bone}][{row}][{column}]");
    for (row, cells) in matrix.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            let value = rows.get(row).and_then(|cells| cells.get(column));
            *cell = value.and_then(number).ok_or_else(|| {
                format!(
                    "{}: want a number or eight hex digits, have {}",
                    place(row, column),
                    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
                )
            })?;
        }
    }
    Ok(matrix)
}

fn number(value: &Value) -> Option<f32> {
    match value {
        // The shortest decimal of an f32 reads back exactly through f64.
        Value::Number(number) => number.as_f64().map(|number| number as f32),
        Value::String(hex) if hex.len() == 8 => u32::from_str_radix(hex, 16).ok().map(f32::from_bits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_are_numbers_or_bits() {
        let json = json!({"skin_matrices": [[[1, 0.5, "3f800000", "ffc00000"], [0, 0, 0, 0], [0, 0, 0, 0]]]});
        let matrices = parse(&json).unwrap();
        assert_eq!(matrices[0][0][..3], [1.0, 0.5, 1.0]);
        assert!(matrices[0][0][3].is_nan());
    }

    #[test]
    fn an_error_names_the_cell() {
        let json = json!({"skin_matrices": [[[1, 0, 0, "x"]]]});
        assert_eq!(
            parse(&json).unwrap_err(),
            "skin_matrices[0][0][3]: want a number or eight hex digits, have \"x\""
        );
    }
}
