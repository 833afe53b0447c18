// One model of the page: its panels, and what is selected in all of them.

class Model {
  constructor(data, camera) {
    this.data = data;
    this.findings = data.findings;
    this.geometry = data.geometry ? new Geometry(data.geometry) : null;
    this.lines = data.lines ? new LineMap(this) : null;
    this.viewer = this.geometry && this.geometry.count > 0 ? new Viewer(this, camera) : null;
    this.face = data.face ? new Face(this) : null;
    // What would stand beside the mesh is not there.
    if (!this.lines && !this.face) this.viewer?.root.classList.add("wide");
    const heading = unique("model");
    this.root = element("article", { class: "model", "aria-labelledby": heading },
      element("h2", { id: heading }, data.name, " ", element("span", { class: "quiet" }, data.kind)),
      verdicts(this), facts(this),
      element("div", { class: "panels" }, this.viewer?.root, this.lines?.root, this.face?.root,
        new FindingList(this).root, new Tables(this).root));
    this.face?.update();
  }

  boneName(bone) {
    return this.geometry ? this.geometry.boneName(bone) : String(bone);
  }

  mark(vertices, lines) {
    this.viewer?.mark(vertices);
    this.lines?.select(lines);
  }

  selectVertex(vertex) {
    if (vertex < 0) return;
    const slot = this.geometry.slotOfVertex(vertex);
    this.mark([vertex], slot >= 0 && this.lines ? this.lines.linesOfSlot(slot) : []);
    this.viewer?.describe(vertex);
  }

  selectLine(line) {
    const vertices = this.verticesOfSlots(this.lines.slotsOf(line));
    this.mark(vertices, [line]);
    this.viewer?.describe(vertices.length === 1 ? vertices[0] : -1);
  }

  selectEntry(number) {
    if (number < 0) return;
    this.mark(this.verticesOfEntry(number), this.lines.linesOfEntry(number));
  }

  selectBone(bone) {
    const vertices = [];
    for (let vertex = 0; vertex < this.geometry.count; vertex += 1) {
      if (this.geometry.parts(vertex).some((part) => part.bone === bone)) vertices.push(vertex);
    }
    this.mark(vertices, []);
    const weight = this.viewer?.modes.find((mode) => mode.needsBone);
    if (weight) {
      weight.bone = bone;
      this.viewer.boneSelect.value = bone;
      this.viewer.setMode("weight");
    }
  }

  selectFinding(finding) {
    const vertices = this.verticesOf(finding);
    const lines = new Set();
    if (this.lines) {
      const slots = vertices.map((vertex) => this.geometry.slotOfVertex(vertex)).filter((slot) => slot >= 0);
      for (const slot of slots) for (const line of this.lines.linesOfSlot(slot)) lines.add(line);
      for (const entry of finding.entries) for (const line of this.lines.linesOfEntry(entry)) lines.add(line);
      const line = finding.address ? this.lines.lineOfAddress(finding.address) : -1;
      if (line >= 0) lines.add(line);
    }
    this.mark(vertices, [...lines].sort((a, b) => a - b));
    (this.viewer ?? this.lines)?.root.scrollIntoView({ block: "nearest" });
  }

  canShow(finding) {
    const line = this.lines && finding.address ? this.lines.lineOfAddress(finding.address) : -1;
    return finding.vertices.length > 0 || (this.lines && finding.entries.length > 0) || line >= 0;
  }

  verticesOf(finding) {
    const vertices = new Set(finding.vertices);
    for (const entry of finding.entries) for (const vertex of this.verticesOfEntry(entry)) vertices.add(vertex);
    return [...vertices];
  }

  verticesOfSlots(slots) {
    return slots.map((slot) => this.geometry?.vertexOfSlot(slot) ?? -1).filter((vertex) => vertex >= 0);
  }

  verticesOfEntry(number) {
    const vertices = [];
    for (let vertex = 0; vertex < (this.geometry?.count ?? 0); vertex += 1) {
      if (this.geometry.parts(vertex).some((part) => part.entry === number)) vertices.push(vertex);
    }
    return vertices;
  }
}
