// Every export of every sample model is valid glTF, by the validator of those who keep the standard.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { damaged, exported, models } from "./pages.mjs";

// The package is CommonJS and exports one object.
const { default: validator } = await import("gltf-validator");

// What is known and meant: each with why.
const MEANT = {
  // Texture coordinates are kept, the textures are not.
  UNUSED_OBJECT: "information",
  // Triangles whose corners a model puts on one place.
  ACCESSOR_INDEX_TRIANGLE_DEGENERATE: "information",
};

async function complaints(file) {
  const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(file)), { uri: file, maxIssues: 0 });
  return issues.messages.filter(({ code, severity }) => severity < 2 || !(code in MEANT))
    .map(({ code, message, pointer, severity }) => `${["error", "warning", "information", "hint"][severity]} ${code} at ${pointer}: ${message}`);
}

const FORMS = {
  "the frame": [models(), []],
  "several frames": [models("block", "gpl"), ["--frames", "3"]],
  "an animation": [models("fox.block"), ["--anim", "examples/fox.anm:1", "--frames", "20"]],
  "a face that moves": [models("mdl"), ["--view-target", "1,2,3"]],
  "the model with its skeleton": [models(), ["--rigged"]],
  "bones that shear": [models("flver"), ["--rigged", "--no-inherit-scale"]],
  "the model with its skeleton and an animation": [models("fox.block"), ["--rigged", "--anim", "examples/fox.anm:2"]],
};

const SAMPLES = ["examples/fox.block", "tests/cases/skn/011-well-formed/model.gpl", "tests/cases/flver-synthetic/synth_2001a.flver", "tests/cases/flver-random-20014/model.flver", "tests/cases/mdl_synth_flex/synth_flex.mdl", "tests/cases/mdl_no_flexes/animated_monkey.mdl"];
const DAMAGED = SAMPLES.flatMap((model) => damaged(model, 25));
FORMS["frames of damaged models"] = [DAMAGED, []];
FORMS["damaged models with their skeletons"] = [DAMAGED, ["--rigged"]];

for (const [name, [files, options]] of Object.entries(FORMS)) {
  test(`${name}: no error and no warning`, async () => {
    const outputs = exported(files, ...options);
    assert.ok(outputs.length > 0);
    const wrong = [];
    for (const output of outputs) {
      const found = await complaints(output);
      if (found.length > 0) wrong.push(`${output}: ${found.length}: ${found.slice(0, 3).join("; ")}`);
    }
    assert.deepEqual(wrong, []);
  });
}
