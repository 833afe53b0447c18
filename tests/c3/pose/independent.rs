//! Rest matrices against an evaluation of our own in double precision.

use skinsim::c3::format::act::control::{QUATERNION, SCALE, TRANSLATION};
use skinsim::c3::format::act::{Act, Control};
use skinsim::c3::model::Model;
use skinsim::c3::poses::Rig;
use skinsim::c3::runtime::pose::Matrix;

type Rows = [[f64; 4]; 3];

/// Translation, rotation by a quaternion of any length, scale.
fn local(control: &Control) -> Rows {
    let [x, y, z, w] =
        if control.has(QUATERNION) { control.quaternion().map(f64::from) } else { [0.0, 0.0, 0.0, 1.0] };
    let scale = if control.has(SCALE) { control.scale().map(f64::from) } else { [1.0; 3] };
    let moved = if control.has(TRANSLATION) { control.translation().map(f64::from) } else { [0.0; 3] };
    let n = x * x + y * y + z * z + w * w;
    let turned = [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ];
    std::array::from_fn(|row| {
        std::array::from_fn(|column| match column {
            3 => moved[row],
            _ => turned[row][column] / n * scale[column],
        })
    })
}

fn after(a: &Rows, b: &Rows) -> Rows {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let sum: f64 = (0..3).map(|at| a[row][at] * b[at][column]).sum();
            if column == 3 { sum + a[row][3] } else { sum }
        })
    })
}

/// The largest difference of a cell by the largest cell.
fn apart(want: &Rows, have: &Matrix) -> f64 {
    let cells = || want.iter().flatten().zip(have.0.iter().flatten());
    let largest = cells().fold(1.0_f64, |largest, (want, _)| largest.max(want.abs()));
    cells().map(|(want, &have)| (want - f64::from(have)).abs() / largest).fold(0.0, f64::max)
}

#[test]
fn rest_matrices_of_the_fox_are_those_of_double_precision_to_a_hundred_thousandth() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fox.block")).unwrap();
    let model = Model::from_block(&bytes).unwrap();
    let act = Act::parse_view(model.act.unwrap()).unwrap();
    let actor = Rig::default().actor(&model).unwrap().unwrap();
    let pose = actor.build();
    let mut forward: Vec<Rows> = Vec::new();
    for (place, bone) in act.bones.iter().enumerate() {
        let own = local(&act.control(bone).unwrap());
        // The fox's bones lie in the order of its tree: a parent comes before its children.
        let parent = act.record_at(bone.parent);
        forward.push(parent.map_or(own, |parent| after(&forward[parent], &own)));
        let error = apart(&forward[place], &pose.forward[place]);
        assert!(error <= 1e-5, "forward of bone {place}: {error}");
        // At rest, what undoes the bind pose undoes the forward matrix.
        let inverse = actor.skeleton.orientation_inverse[place].0.map(|row| row.map(f64::from));
        let identity = Matrix([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
        let reach = forward[place].iter().map(|row| row[3].abs()).fold(1.0, f64::max);
        let error = apart(&after(&forward[place], &inverse), &identity) / reach;
        assert!(error <= 1e-5, "inverse of bone {place}: {error}");
        assert!(apart(&after(&forward[place], &inverse), &pose.skin[place]) / reach <= 1e-5, "skin {place}");
    }
}
