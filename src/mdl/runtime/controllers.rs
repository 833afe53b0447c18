//! Values of flex controllers: each in its own range, set by name or all at once.

use crate::mdl::format::Mdl;
use crate::mdl::format::flex::FlexController;

/// The state in which nothing was set: every controller at its minimum (networked 0), which need not
/// be 0. `[spec: SDK]`
pub fn minimums(mdl: &Mdl) -> Vec<f32> {
    mdl.controllers.iter().map(|controller| controller.min).collect()
}

/// A networked 0..1 in the controller's own range.
pub fn from_normalized(controller: &FlexController, value: f32) -> f32 {
    value * (controller.max - controller.min) + controller.min
}

/// Sets every controller of that name (they share one value in the engine); how many there were.
pub fn set(mdl: &Mdl, values: &mut [f32], name: &str, value: f32, normalized: bool) -> usize {
    let mut found = 0;
    for (controller, slot) in mdl.controllers.iter().zip(values) {
        if controller.name.eq_ignore_ascii_case(name) {
            *slot = if normalized { from_normalized(controller, value) } else { value };
            found += 1;
        }
    }
    found
}

/// Whether a value lies in the controller's range, whichever end is the larger.
pub fn in_range(controller: &FlexController, value: f32) -> bool {
    let (low, high) = (controller.min.min(controller.max), controller.min.max(controller.max));
    (low..=high).contains(&value)
}
