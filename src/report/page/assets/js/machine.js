// The stack machine of flex rules, in single precision as the engine computes.

const f32 = Math.fround;
const STACK_SIZE = 32;
const clamp01 = (value) => (value < 0 ? 0 : value > 1 ? 1 : value);
// (int)value of an x86: what no int holds becomes the smallest.
const truncate = (value) => (value >= -2147483648 && value < 2147483648 ? Math.trunc(value) : -2147483648);
const bits = new DataView(new ArrayBuffer(4));
function floatOfBits(value) {
  bits.setUint32(0, value);
  return bits.getFloat32(0);
}

function remapClamped(value, from, to, atFrom, atTo) {
  if (from === to) return value >= to ? atTo : atFrom;
  const part = clamp01(f32(f32(value - from) / f32(to - from)));
  return f32(atFrom + f32(f32(atTo - atFrom) * part));
}

// Thrown by an instruction whose check fails: it does nothing, and the rule goes on.
const REFUSED = new Error("refused");
function need(condition) {
  if (!condition) throw REFUSED;
}

class RuleMachine {
  constructor(face) {
    this.face = face;
    const ranges = decodeF32(face.ranges);
    this.controllers = face.controllers.map((name, at) => ({ name, min: ranges[3 * at], max: ranges[3 * at + 1], first: ranges[3 * at + 2] }));
  }

  // Weights of all flexdescs for these controller values.
  run(values) {
    const weights = new Float32Array(this.face.flexdescs.length);
    for (const rule of this.face.rules) {
      if (rule.flexdesc < 0 || rule.flexdesc >= weights.length) continue;
      const stack = { slots: new Float32Array(STACK_SIZE), depth: 0 };
      for (const [name, operand] of rule.ops) {
        try {
          this.step(stack, name, operand, values, weights);
        } catch (error) {
          if (error !== REFUSED) throw error;
        }
      }
      weights[rule.flexdesc] = stack.slots[0];
    }
    return weights;
  }

  push(stack, value) {
    need(stack.depth < STACK_SIZE);
    stack.slots[stack.depth] = value;
    stack.depth += 1;
  }

  under(stack, below) {
    return stack.slots[stack.depth - 1 - below];
  }

  replace(stack, count, value) {
    stack.depth -= count - 1;
    stack.slots[stack.depth - 1] = value;
  }

  binary(stack, apply) {
    need(stack.depth >= 2);
    this.replace(stack, 2, apply(this.under(stack, 1), this.under(stack, 0)));
  }

  value(values, index) {
    need(index >= 0 && index < values.length);
    return values[index];
  }

  remapped(values, index, low, high) {
    const value = this.value(values, index);
    return remapClamped(value, this.controllers[index].min, this.controllers[index].max, low, high);
  }

  count(count) {
    const limited = this.face.count_check === "controllers";
    if (this.face.sdk === "2025") need(count >= 0 && !(limited && count >= this.controllers.length));
    return count;
  }

  step(stack, name, operand, values, weights) {
    switch (name) {
      case "CONST": return this.push(stack, floatOfBits(operand));
      case "FETCH1": return this.push(stack, this.value(values, operand));
      case "FETCH2":
        need(operand >= 0 && operand < weights.length);
        return this.push(stack, weights[operand]);
      case "ADD": return this.binary(stack, (a, b) => a + b);
      case "SUB": return this.binary(stack, (a, b) => a - b);
      case "MUL": return this.binary(stack, (a, b) => a * b);
      case "DIV": return this.binary(stack, (a, b) => (b > f32(0.0001) ? a / b : 0));
      case "NEG":
        need(stack.depth >= 1);
        return this.replace(stack, 1, -this.under(stack, 0));
      case "MAX": return this.binary(stack, (a, b) => (a > b ? a : b));
      case "MIN": return this.binary(stack, (a, b) => (a < b ? a : b));
      case "2WAY_0": return this.push(stack, 1 - clamp01(f32(this.value(values, operand) + 1)));
      case "2WAY_1": return this.push(stack, clamp01(this.value(values, operand)));
      case "NWAY": return this.nWay(stack, operand, values);
      case "COMBO": return this.combo(stack, this.count(operand));
      case "DOMINATE": return this.dominate(stack, this.count(operand));
      case "DME_LOWER_EYELID":
        return this.eyelid(stack, operand, values, (close, closed, upDown) => {
          const lower = f32(f32(1 - closed) * close);
          return upDown > 0 ? f32(f32(1 - upDown) * lower) : lower;
        });
      case "DME_UPPER_EYELID":
        return this.eyelid(stack, operand, values, (close, closed, upDown) => {
          const upper = f32(closed * close);
          return upDown < 0 ? f32(f32(1 + upDown) * upper) : upper;
        });
      default: return undefined;
    }
  }

  // x y z w c: a ramp of controller c over x..y..z..w, times the operand's controller.
  nWay(stack, index, values) {
    need(stack.depth >= 5);
    const [w, z, y, x] = [1, 2, 3, 4].map((below) => this.under(stack, below));
    const at = this.value(values, truncate(this.under(stack, 0)));
    let part = 1;
    if (at <= x || at >= w) part = 0;
    else if (at < y) part = remapClamped(at, x, y, 0, 1);
    else if (at > z) part = remapClamped(at, z, w, 1, 0);
    this.replace(stack, 5, part * this.value(values, index));
  }

  product(stack, count) {
    const first = stack.depth - count;
    need(first >= 0 && first < STACK_SIZE);
    let product = stack.slots[first];
    for (let slot = first + 1; slot < stack.depth; slot += 1) product = f32(product * stack.slots[slot]);
    return [first, product];
  }

  combo(stack, count) {
    const [first, product] = this.product(stack, count);
    stack.slots[first] = product;
    stack.depth = first + 1;
  }

  dominate(stack, count) {
    const [first, product] = this.product(stack, count);
    need(first >= 1);
    stack.slots[first - 1] = stack.slots[first - 1] * f32(1 - product);
    stack.depth = first;
  }

  eyelid(stack, closeLidV, values, lid) {
    need(stack.depth >= 3);
    const [closeLid, blink, upDownAt] = [0, 1, 2].map((below) => truncate(this.under(stack, below)));
    const closed = this.remapped(values, closeLidV, 0, 1);
    const close = this.remapped(values, closeLid, 0, 1);
    if (this.face.sdk === "2025") {
      this.value(values, blink);
      need(upDownAt >= 0);
    }
    const upDown = upDownAt < 0 ? 0 : this.remapped(values, upDownAt, -1, 1);
    this.replace(stack, 3, lid(close, closed, upDown));
  }
}
