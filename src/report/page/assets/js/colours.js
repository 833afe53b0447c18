// What colours the mesh. Each mode gives a colour a vertex and the words for it.

// Owners of lines, in the order of their numbers in the data.
const LINE_OWNERS = [
  ["gap", "gap: nothing writes it"], ["sk1", "SK1"], ["sk2", "SK2"], ["skacc", "SKAcc"],
  ["clear", "cleared only"], ["scratch", "scratch behind the array"], ["header", "headers and names"],
  ["positions", "other positions"], ["normals", "normals"], ["colours", "colours"],
  ["textures", "texture coordinates"], ["states", "display states"], ["primitives", "primitive lists"],
  ["section", "other section"],
];

// Stops of a ramp that can be told apart in grey: dark blue to yellow.
const RAMP = [[0.27, 0.2, 0.5], [0.2, 0.45, 0.62], [0.2, 0.68, 0.5], [0.7, 0.82, 0.25], [0.99, 0.83, 0.2]];

// Stops of the ramp of errors: from near the colour of what is right, over yellow, to a dark red.
const ERROR_RAMP = [[0.8, 0.79, 0.62], [0.96, 0.82, 0.3], [0.95, 0.55, 0.15], [0.85, 0.22, 0.15], [0.5, 0.05, 0.3]];

function ramp(part, stops = RAMP) {
  const at = Math.max(0, Math.min(1, part)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  return stops[low].map((value, axis) => value + (stops[low + 1][axis] - value) * (at - low));
}

const css = (colour) => `rgb(${colour.map((value) => Math.round(value * 255)).join(" ")})`;

// Neighbouring bones get hues far apart.
function boneColour(bone) {
  const hue = (bone * 137.508) % 360, light = 0.52 + 0.12 * ((bone * 7) % 3 - 1), chroma = 0.36;
  return [0, 8, 4].map((shift) => {
    const k = (shift + hue / 30) % 12;
    return light - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  });
}

// Steps of the scale of errors, which is logarithmic: what is right has the mesh's own colour.
const ERROR_STEPS = [1, 10, 100, 1000, 10000];

function errorColour(error) {
  if (error === NO_IDEAL) return rgb("--own-gap");
  return error > 0 ? ramp(Math.log10(error) / Math.log10(ERROR_STEPS.at(-1)), ERROR_RAMP) : rgb("--mesh");
}

const rampLegend = (stops, from, to) => ({ ramp: stops.map(css), from, to });
const swatch = (colour, words) => ({ colour, words });

// The modes that a model has data for.
function colourModes(model) {
  const { geometry, lines, findings } = model;
  const modes = [];
  const entries = lines ? lines.data.entries : [];
  if (entries.length > 0) modes.push(entryMode(geometry, entries));
  const bones = geometry.bones();
  if (bones.length > 0) modes.push(boneMode(geometry), weightMode(geometry));
  if (geometry.data.frames.some((frame) => frame.errors)) modes.push(errorMode(geometry));
  if (model.data.face) modes.push(movementMode(model));
  if (findings.some((finding) => model.verticesOf(finding).length > 0)) modes.push(findingMode(model));
  if (geometry.data.parts.length > 1) modes.push(partMode(geometry));
  modes.push({ id: "plain", name: "nothing", colour: () => rgb("--mesh"), legend: () => [], words: () => "" });
  return modes;
}

function entryMode(geometry, entries) {
  const kind = (vertex) => {
    const lists = new Set(geometry.parts(vertex).map((part) => entries[part.entry]?.list));
    if (lists.has("SK2")) return "sk2";
    if (lists.has("SK1")) return "sk1";
    return lists.has("SKAcc") ? "skacc" : "gap";
  };
  return {
    id: "entry", name: "kind of entry",
    prepare() {
      this.palette = Object.fromEntries(["sk1", "sk2", "skacc", "gap"].map((name) => [name, rgb(`--own-${name}`)]));
    },
    colour(vertex) { return this.palette[kind(vertex)]; },
    legend() {
      return [["sk1", "SK1"], ["sk2", "SK2"], ["skacc", "SKAcc only"], ["gap", "no entry"]]
        .map(([name, words]) => swatch(css(this.palette[name]), words));
    },
    words: (vertex) => geometry.parts(vertex).map((part) => entries[part.entry]?.name).filter((name, at, all) => all.indexOf(name) === at).join(", "),
  };
}

function strongest(geometry, vertex) {
  let best = null;
  for (const part of geometry.parts(vertex)) if (!best || part.weight > best.weight) best = part;
  return best;
}

function boneMode(geometry) {
  return {
    id: "bone", name: "bone",
    colour: (vertex) => {
      const part = strongest(geometry, vertex);
      return part ? boneColour(part.bone) : rgb("--own-gap");
    },
    legend: () => geometry.bones().slice(0, 40).map((bone) => swatch(css(boneColour(bone)), geometry.boneName(bone))),
    words: () => "",
  };
}

function weightMode(geometry) {
  return {
    id: "weight", name: "weight of a bone", needsBone: true, bone: geometry.bones()[0],
    weight(vertex) {
      return geometry.parts(vertex).filter((part) => part.bone === this.bone).reduce((sum, part) => sum + part.weight, 0);
    },
    colour(vertex) {
      const weight = this.weight(vertex);
      return weight > 0 ? ramp(weight) : rgb("--own-gap");
    },
    legend: () => [rampLegend(RAMP, "0", "1"), swatch(cssColour("--own-gap"), "no weight")],
    words(vertex) { return `weight ${this.weight(vertex).toFixed(3)} of bone ${geometry.boneName(this.bone)}`; },
  };
}

function errorMode(geometry) {
  return {
    id: "error", name: "error against ideal skinning", perFrame: true,
    colour: (vertex, frame) => errorColour(frame.errors ? frame.errors[vertex] : NO_IDEAL),
    legend: () => [
      swatch(cssColour("--mesh"), "0 units: as ideal"),
      ...ERROR_STEPS.map((units, at) => swatch(css(errorColour(units)), `${units.toLocaleString("en")}${at === ERROR_STEPS.length - 1 ? " and more" : ""}`)),
      swatch(cssColour("--own-gap"), "no ideal known"),
    ],
    words: (vertex, frame) => errorWords(frame, vertex),
  };
}

function errorWords(frame, vertex) {
  const error = frame.errors ? frame.errors[vertex] : NO_IDEAL;
  return error === NO_IDEAL ? "" : `${plural(error, "unit")} from ideal`;
}

// How far flexes move a vertex, against a tenth of the face's radius.
function movementMode(model) {
  const { radius } = boundsOf(model.geometry.frame(0).positions);
  const moved = (vertex, frame) => {
    const rest = model.face?.deformer.rest ?? frame.positions;
    return Math.hypot(...[0, 1, 2].map((axis) => frame.positions[3 * vertex + axis] - rest[3 * vertex + axis]));
  };
  return {
    id: "movement", name: "movement by flexes", perFrame: true,
    colour(vertex, frame) {
      const distance = moved(vertex, frame);
      return distance > 0 ? ramp((10 * distance) / radius) : rgb("--mesh");
    },
    legend: () => [swatch(cssColour("--mesh"), "not moved"), rampLegend(RAMP, "0", `${(radius / 10).toPrecision(2)} units and more`)],
    words: (vertex, frame) => `moved by ${moved(vertex, frame).toPrecision(3)}`,
  };
}

const SEVERITIES = ["error", "warning", "note"];

function findingMode(model) {
  const worst = new Map();
  for (const finding of [...model.findings].reverse()) {
    for (const vertex of model.verticesOf(finding)) worst.set(vertex, finding.severity);
  }
  return {
    id: "finding", name: "finding",
    colour: (vertex) => rgb(worst.has(vertex) ? `--${worst.get(vertex)}` : "--mesh"),
    legend: () => [...SEVERITIES.map((severity) => swatch(cssColour(`--${severity}`), severity)), swatch(cssColour("--mesh"), "none")],
    words: (vertex) => worst.get(vertex) ?? "",
  };
}

function partMode(geometry) {
  const part = new Int32Array(geometry.count).fill(-1);
  let triangle = 0;
  geometry.data.parts.forEach(([, count], number) => {
    for (let at = 3 * triangle; at < 3 * (triangle + count); at += 1) part[geometry.triangles[at]] = number;
    triangle += count;
  });
  return {
    id: "part", name: "part",
    colour: (vertex) => (part[vertex] < 0 ? rgb("--own-gap") : boneColour(part[vertex])),
    legend: () => geometry.data.parts.slice(0, 40).map(([name], number) => swatch(css(boneColour(number)), name)),
    words: (vertex) => geometry.data.parts[part[vertex]]?.[0] ?? "",
  };
}
