// The mesh in three dimensions: canvas, frames, colours.

class Viewer {
  constructor(model, camera) {
    this.model = model;
    this.geometry = model.geometry;
    this.camera = camera;
    this.frameIndex = 0;
    this.style = this.geometry.triangles.length > 0 ? "surface" : "points";
    this.modes = colourModes(model);
    this.mode = this.modes[0];
    this.marked = new Uint32Array(0);
    this.queued = false;
    this.buildCanvas();
    this.root = panel("Mesh", "viewer", this.frameControls(), this.colourControls(), this.box, this.legend, this.status);
    camera.onChange(() => this.redraw());
    onThemeChange(() => this.recolour());
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.showFrame(this.frameIndex);
  }

  buildCanvas() {
    const keys = unique("keys");
    this.canvas = element("canvas", {
      tabindex: 0, role: "img", "aria-label": `Mesh of ${this.model.data.name}`, "aria-describedby": keys,
    });
    this.box = element("div", { class: "canvas-box" }, this.canvas,
      element("span", { class: "canvas-note" }, "drag: turn · shift-drag: move · wheel: zoom"),
      element("span", { class: "hidden-text", id: keys },
        "Arrow keys turn, with shift they move; plus and minus zoom; Home shows everything."));
    this.renderer = webglRenderer(this.canvas) ?? this.fallback();
    this.canvas.dataset.renderer = this.renderer.name;
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.renderer = this.fallback();
      this.canvas.dataset.renderer = this.renderer.name;
      this.resize();
    });
    controlCamera(this.canvas, this.camera, (event) => this.pick(event));
    this.legend = element("ul", { class: "legend", "aria-label": "Colours of the mesh" });
    this.status = element("p", { class: "status", role: "status" }, this.hint());
  }

  // A canvas that was asked for WebGL gives no other context: it is replaced.
  fallback() {
    const plain = this.canvas.cloneNode();
    this.canvas.replaceWith(plain);
    if (this.camera && this.legend) controlCamera(plain, this.camera, (event) => this.pick(event));
    this.canvas = plain;
    return new SoftwareRenderer(plain);
  }

  hint() {
    return this.model.lines ? "Click a vertex to see its line, or a line to see its vertices." : "Click a vertex to see its bones.";
  }

  frameControls() {
    const last = this.geometry.frameCount - 1;
    if (last === 0) return null;
    const id = unique("frame");
    this.slider = element("input", { type: "range", id, min: 0, max: last, value: 0, class: "grow", on: { input: () => this.showFrame(Number(this.slider.value)) } });
    this.frameName = element("output", { for: id, class: "frame-name quiet" });
    this.restButton = element("button", { type: "button", on: { click: () => this.showFrame(0) } }, "Rest");
    this.posedButton = element("button", { type: "button", on: { click: () => this.showFrame(this.frameIndex || 1) } }, "Posed");
    this.playButton = last > 1 ? element("button", { type: "button", "aria-pressed": "false", on: { click: () => this.play() } }, "Play") : null;
    return element("div", { class: "row" }, this.restButton, this.posedButton, this.playButton,
      element("label", { for: id, class: "hidden-text" }, "Frame"), this.slider, this.frameName);
  }

  colourControls() {
    const colour = element("select", { class: "colour-mode", on: { change: () => this.setMode(colour.value) } },
      ...this.modes.map((mode) => element("option", { value: mode.id }, mode.name)));
    this.colourSelect = colour;
    this.boneSelect = element("select", { hidden: true, "aria-label": "Bone", on: { change: () => { this.mode.bone = Number(this.boneSelect.value); this.recolour(); } } },
      ...this.geometry.bones().map((bone) => element("option", { value: bone }, this.geometry.boneName(bone))));
    const styles = this.geometry.triangles.length > 0 ? ["surface", "wires", "points"] : ["points"];
    const style = element("select", { on: { change: () => { this.style = style.value; this.redraw(); } } },
      ...styles.map((name) => element("option", { value: name }, name)));
    return element("div", { class: "row" },
      element("label", { class: "check" }, "Colour by", colour), this.boneSelect,
      element("label", { class: "check" }, "Show", style),
      element("button", { type: "button", on: { click: () => this.camera.reset() } }, "Whole view"));
  }

  play() {
    this.playing = !this.playing;
    this.playButton.setAttribute("aria-pressed", String(this.playing));
    this.playButton.textContent = this.playing ? "Pause" : "Play";
    const step = () => {
      if (!this.playing || !this.box.isConnected) return;
      this.showFrame(this.frameIndex >= this.geometry.frameCount - 1 ? 1 : this.frameIndex + 1);
      setTimeout(step, 66);
    };
    if (this.playing) step();
  }

  showFrame(index) {
    this.frameIndex = index;
    this.frame = this.geometry.frame(index);
    if (this.slider) {
      this.slider.value = index;
      this.slider.setAttribute("aria-valuetext", this.frame.name);
      this.frameName.textContent = this.frame.name;
      this.restButton.setAttribute("aria-pressed", String(index === 0));
      this.posedButton.setAttribute("aria-pressed", String(index > 0));
    }
    if (!this.colours || this.mode.perFrame) this.recolour();
    this.redraw();
    if (this.picked >= 0) this.describe(this.picked);
  }

  // A mesh that moved for another reason than a frame.
  showPositions(positions) {
    this.frame = { ...this.frame, positions, normals: normalsOf(positions, this.geometry.triangles) };
    if (this.mode.perFrame) this.recolour();
    this.redraw();
  }

  setMode(id) {
    this.mode = this.modes.find((mode) => mode.id === id) ?? this.mode;
    this.colourSelect.value = this.mode.id;
    this.boneSelect.hidden = !this.mode.needsBone;
    this.recolour();
    if (this.picked >= 0) this.describe(this.picked);
  }

  recolour() {
    if (!this.frame) return;
    this.mode.prepare?.();
    const colours = new Float32Array(3 * this.geometry.count);
    for (let vertex = 0; vertex < this.geometry.count; vertex += 1) colours.set(this.mode.colour(vertex, this.frame), 3 * vertex);
    this.colours = colours;
    this.legend.replaceChildren(...this.mode.legend().map(legendItem));
    this.redraw();
  }

  mark(vertices) {
    this.marked = Uint32Array.from(vertices);
    this.box.dataset.marked = this.marked.length;
    this.redraw();
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [Math.round(this.box.clientWidth * ratio), Math.round(this.box.clientHeight * ratio)];
    if (width === 0 || height === 0) return;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.draw();
  }

  redraw() {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => this.draw());
  }

  scene() {
    const { geometry, frame, canvas } = this;
    this.edges ??= edgesOf(geometry.triangles);
    this.looseVertices ??= geometry.triangles.length === 0;
    return {
      positions: frame.positions, normals: frame.normals, colours: this.colours, triangles: geometry.triangles,
      edges: this.edges, style: this.style, loose: this.looseVertices, marked: this.marked,
      markColour: rgb("--select"), matrix: this.camera.matrix(canvas.width / Math.max(canvas.height, 1)),
      // A few points are to be found, many to be told apart.
      pointRadius: geometry.count < 500 ? 3 : 1.5,
      light: normalize(this.camera.axes().back), pixelRatio: canvas.width / Math.max(this.box.clientWidth, 1),
    };
  }

  draw() {
    this.queued = false;
    if (this.canvas.width > 0 && this.colours) this.renderer.draw(this.scene());
  }

  pick(event) {
    const box = this.canvas.getBoundingClientRect();
    const ratio = this.canvas.width / box.width;
    const points = project(this.frame.positions, this.scene().matrix, this.canvas.width, this.canvas.height);
    const [x, y] = [(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio];
    const vertex = pickVertex(points, this.geometry.triangles, x, y, 14 * ratio);
    if (vertex >= 0) this.model.selectVertex(vertex);
  }

  describe(vertex) {
    this.picked = vertex;
    if (vertex < 0) {
      this.status.textContent = this.hint();
      return;
    }
    const { geometry, frame } = this;
    const slot = geometry.slotOfVertex(vertex);
    const at = [0, 1, 2].map((axis) => Number(frame.positions[3 * vertex + axis].toPrecision(6))).join(", ");
    const parts = geometry.parts(vertex).map((part) => `bone ${geometry.boneName(part.bone)} × ${part.weight.toFixed(3)}`);
    const words = [
      slot < 0 ? `vertex ${vertex}` : `slot ${slot}`, `at ${at}`, parts.slice(0, 8).join(", "),
      this.mode.id === "error" ? "" : errorWords(frame, vertex), this.mode.words(vertex, frame),
    ];
    this.status.textContent = words.filter((word) => word).join(" · ");
  }
}

function legendItem({ colour, words, ramp: stops, from, to }) {
  if (stops) {
    return element("li", {}, from, element("span", { class: "ramp", style: { background: `linear-gradient(90deg, ${stops.join(", ")})` } }), to);
  }
  return element("li", {}, element("span", { class: "swatch", style: { background: colour } }), words);
}

// Every edge of the triangles once.
function edgesOf(triangles) {
  const seen = new Set(), edges = [];
  for (let at = 0; at < triangles.length; at += 3) {
    for (let corner = 0; corner < 3; corner += 1) {
      const [a, b] = [triangles[at + corner], triangles[at + (corner + 1) % 3]];
      const key = Math.min(a, b) * 4294967296 + Math.max(a, b);
      if (!seen.has(key)) {
        seen.add(key);
        edges.push(a, b);
      }
    }
  }
  return Uint32Array.from(edges);
}
