//! What several test programs share.

use serde_json::Value;

/// Arrays of the same shape and nearly the same numbers: within `tolerance`, relative to numbers above 1.
pub fn assert_close(got: &Value, want: &Value, tolerance: f64, what: &str) {
    if let (Value::Array(got), Value::Array(want)) = (got, want) {
        assert_eq!(got.len(), want.len(), "{what}");
        for (index, (got, want)) in got.iter().zip(want).enumerate() {
            assert_close(got, want, tolerance, &format!("{what}[{index}]"));
        }
        return;
    }
    let (got, want) = (got.as_f64().unwrap(), want.as_f64().unwrap());
    assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{what}: got {got}, want {want}");
}
