// From weights of flexdescs to vertices: eyelids, ramps, sides, in the engine's order and precision.

const FLEXED_LIMIT = 10000;

function flexRamp(weight, [t0, t1, t2, t3], shortcut) {
  if (shortcut && t0 === 0 && t1 === 1) return weight;
  if (weight <= t0 || weight >= t3) return 0;
  if (weight < t1) return f32(f32(weight - t0) / f32(t1 - t0));
  if (weight > t2) return f32(f32(t3 - weight) / f32(t3 - t2));
  return 1;
}

const lerp = (a, b, t) => f32(f32(a * f32(1 - t)) + f32(b * t));

// Height of a lid over the eye's centre.
function lidHeight({ inputs, numbers }, weights) {
  const radius = numbers[12];
  let angle = 0;
  inputs.forEach((flexdesc, at) => { angle = f32(angle + f32((weights[flexdesc] ?? 0) * numbers[at])); });
  const [up, forward] = [f32(f32(Math.sin(angle)) * radius), f32(f32(Math.cos(angle)) * radius)];
  const edge = [0, 1, 2].map((axis) => f32(f32(numbers[3 + axis] * up) + f32(numbers[6 + axis] * forward)));
  const products = edge.map((value, axis) => f32(value * numbers[9 + axis]));
  return f32(f32(products[0] + products[1]) + products[2]);
}

class FlexDeformer {
  constructor(face) {
    this.face = face;
    this.rest = decodeF32(face.rest);
    this.parts = face.parts.map(({ eyes, meshes }) => ({
      eyes: eyes.map((lids) => lids.map((lid) => ({ ...lid, numbers: decodeF32(lid.numbers) }))),
      meshes: meshes.map((mesh) => mesh.flexes.map((flex) => ({
        flexdesc: flex.flexdesc, pair: flex.pair, first: mesh.first, targets: [...decodeF32(flex.targets)],
        vertices: decodeU16(flex.vertices), mixes: decodeBytes(flex.mixes), deltas: decodeF32(flex.deltas),
      }))),
    }));
  }

  // Positions for the weights after the rules; the lids' flexdescs are set in `weights`.
  deform(weights) {
    const positions = this.rest.slice();
    for (const part of this.parts) {
      for (const lids of part.eyes) {
        const heights = lids.map((lid) => lidHeight(lid, weights));
        lids.forEach((lid, at) => { weights[lid.flexdesc] = heights[at]; });
      }
      for (const flexes of part.meshes) this.moveMesh(flexes, weights, positions);
    }
    return positions;
  }

  moveMesh(flexes, weights, positions) {
    const flexed = this.face.engine_limit ? new Set() : null;
    for (const flex of flexes) {
      const one = flexRamp(weights[flex.flexdesc], flex.targets, this.face.ramp === "shortcut");
      const other = flex.pair === null ? one : flexRamp(weights[flex.pair], flex.targets, this.face.ramp === "shortcut");
      if (Math.abs(one) < 0.001 && Math.abs(other) < 0.001) continue;
      this.moveFlex(flex, one, other, positions, flexed);
    }
  }

  // In a first frame the delayed weight is the current one; the mix is computed all the same, for its rounding.
  moveFlex({ first, vertices, mixes, deltas }, one, other, positions, flexed) {
    for (let at = 0; at < vertices.length; at += 1) {
      const vertex = first + vertices[at];
      if (flexed && !flexed.has(vertex)) {
        if (flexed.size === FLEXED_LIMIT) continue;
        flexed.add(vertex);
      }
      const [speed, side] = [f32(mixes[2 * at] / 255), f32(mixes[2 * at + 1] / 255)];
      const weight = lerp(lerp(one, one, speed), lerp(other, other, speed), side);
      for (let axis = 0; axis < 3; axis += 1) {
        positions[3 * vertex + axis] += f32(deltas[3 * at + axis] * weight);
      }
    }
  }
}
