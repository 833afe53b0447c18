// The data of the page: JSON, with long arrays as base64 of little-endian values.

function decodeBytes(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

const decodeU16 = (text) => new Uint16Array(decodeBytes(text).buffer);
const decodeU32 = (text) => new Uint32Array(decodeBytes(text).buffer);
const decodeF32 = (text) => new Float32Array(decodeBytes(text).buffer);

const NOT_A_NUMBER = 0xffff;
const NO_IDEAL = 0xffff;

// Triangles, frames and influences of a mesh. Frames are decoded when they are shown.
class Geometry {
  constructor(data) {
    this.data = data;
    this.count = data.vertex_count;
    this.frameCount = data.frames.length;
    this.slots = data.slots;
    const corners = decodeU32(data.triangles);
    this.triangles = corners;
    this.influences = this.readInfluences(data.influences);
    this.cache = new Map();
  }

  readInfluences(data) {
    const counts = decodeU16(data.counts);
    const first = new Uint32Array(this.count + 1);
    for (let vertex = 0; vertex < this.count; vertex += 1) first[vertex + 1] = first[vertex] + (counts[vertex] || 0);
    return {
      first, whole: data.whole || 1,
      entries: decodeU16(data.entries), bones: decodeU16(data.bones), weights: decodeU16(data.weights),
    };
  }

  // One bone's part in a vertex, for every part.
  parts(vertex) {
    const { first, entries, bones, weights, whole } = this.influences;
    const parts = [];
    for (let at = first[vertex]; at < first[vertex + 1]; at += 1) {
      parts.push({ entry: entries[at], bone: bones[at], weight: weights[at] / whole });
    }
    return parts;
  }

  frame(index) {
    if (this.cache.has(index)) return this.cache.get(index);
    const { origin, step, frames } = this.data;
    const packed = decodeU16(frames[index].positions);
    const positions = new Float32Array(packed.length);
    for (let at = 0; at < packed.length; at += 1) {
      positions[at] = packed[at] === NOT_A_NUMBER ? NaN : origin[at % 3] + packed[at] * step;
    }
    const errors = frames[index].errors ? decodeU16(frames[index].errors) : null;
    const frame = { name: frames[index].name, positions, errors, normals: normalsOf(positions, this.triangles) };
    if (this.cache.size > 24) this.cache.delete(this.cache.keys().next().value);
    this.cache.set(index, frame);
    return frame;
  }

  boneName(bone) {
    const name = this.data.bone_names[bone];
    return name ? `${bone} ${name}` : `${bone}`;
  }

  // Bones that move anything, ascending.
  bones() {
    return [...new Set(this.influences.bones)].sort((a, b) => a - b);
  }

  vertexOfSlot(slot) {
    return slot < this.slots[1] ? this.slots[0] + slot : -1;
  }

  slotOfVertex(vertex) {
    const slot = vertex - this.slots[0];
    return slot >= 0 && slot < this.slots[1] ? slot : -1;
  }
}

const loadPage = () => JSON.parse(document.getElementById("data").textContent);
