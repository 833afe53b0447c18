// A tube of many vertices along many bones, as glTF that `skinsim build` takes.

import { writeFileSync } from "node:fs";

const AROUND = 30;
const BONES = 40;
const FLOAT = 5126, SHORT = 5123, INT = 5125;

// Writes it to a file.
export function tube(path, vertices) {
  const rings = vertices / AROUND;
  const positions = [], normals = [], joints = [], weights = [], indices = [];
  for (let vertex = 0; vertex < vertices; vertex += 1) {
    const angle = ((vertex % AROUND) / AROUND) * 2 * Math.PI, ring = Math.floor(vertex / AROUND);
    const bone = Math.min(BONES - 2, Math.floor((ring * BONES) / rings));
    positions.push(5 * Math.cos(angle), ring, 5 * Math.sin(angle));
    normals.push(Math.cos(angle), 0, Math.sin(angle));
    joints.push(bone, bone + 1, 0, 0);
    weights.push(...(vertex % 3 === 0 ? [1, 0, 0, 0] : [0.6, 0.4, 0, 0]));
    if (ring + 1 < rings) {
      const next = ring * AROUND + ((vertex + 1) % AROUND);
      indices.push(vertex, vertex + AROUND, next, next, vertex + AROUND, next + AROUND);
    }
  }
  const chunks = [], bufferViews = [], accessors = [];
  const accessor = (data, componentType, type, width, more = {}) => {
    const bytes = Buffer.from(data.buffer);
    bufferViews.push({ buffer: 0, byteOffset: chunks.reduce((sum, chunk) => sum + chunk.length, 0), byteLength: bytes.length });
    chunks.push(bytes);
    accessors.push({ bufferView: accessors.length, componentType, type, count: data.length / width, ...more });
    return accessors.length - 1;
  };
  const attributes = {
    POSITION: accessor(new Float32Array(positions), FLOAT, "VEC3", 3, { min: [-5, 0, -5], max: [5, rings - 1, 5] }),
    NORMAL: accessor(new Float32Array(normals), FLOAT, "VEC3", 3),
    JOINTS_0: accessor(new Uint16Array(joints), SHORT, "VEC4", 4),
    WEIGHTS_0: accessor(new Float32Array(weights), FLOAT, "VEC4", 4),
  };
  const triangles = accessor(new Uint32Array(indices), INT, "SCALAR", 1);
  const bone = (number) => ({ name: `b${number}`, translation: [0, number === 0 ? 0 : rings / BONES, 0], ...(number + 1 < BONES && { children: [number + 1] }) });
  const inverse = Float32Array.from({ length: 16 * BONES }, (_, at) => {
    const [bone, cell] = [Math.floor(at / 16), at % 16];
    if (cell === 13) return (-bone * rings) / BONES;
    return cell % 5 === 0 ? 1 : 0;
  });
  const inverseBindMatrices = accessor(inverse, FLOAT, "MAT4", 16);
  const bin = Buffer.concat(chunks);
  const json = {
    asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0, BONES] }],
    nodes: [...Array.from({ length: BONES }, (_, number) => bone(number)), { name: "tube", mesh: 0, skin: 0 }],
    meshes: [{ primitives: [{ attributes, indices: triangles }] }],
    skins: [{ joints: Array.from({ length: BONES }, (_, number) => number), inverseBindMatrices }],
    buffers: [{ byteLength: bin.length }], bufferViews, accessors,
  };
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
  const words = (...values) => Buffer.from(Uint32Array.from(values).buffer);
  const head = words(0x46546c67, 2, 28 + padded.length + bin.length, padded.length, 0x4e4f534a);
  writeFileSync(path, Buffer.concat([head, padded, words(bin.length, 0x004e4942), bin]));
}
