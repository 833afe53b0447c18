// The line map: a cell for every 32 bytes, moved through like a sheet.

const LINE = 32, STRIDE = 12, COLUMNS = 16;
// Bits of a line's marks, with the class and the words of each.
const LINE_MARKS = [
  [1, "conflict", "conflict: two entries store this line, the later one over the earlier"],
  [2, "write-back", "write-back: the whole line is stored, only a part of it is the entry's own"],
  [4, "overwrites", "what is written here reaches a structure"],
  [8, "cleared", "cleared before accumulation"],
  [16, "faulted", "the frame faults at the entry that owns vertices here"],
  [32, "wrong", "a drawn vertex here comes out wrong on Dolphin"],
  [64, "wrong", "a drawn vertex here comes out wrong on a console"],
  [128, "stale", "a drawn vertex here comes out late on a console"],
  [256, "flushed", "flushed by index"],
  [512, "accumulated", "SKAcc adds to vertices here"],
];
const ENTRY_STATES = { "ran": "", "faulted": " (faulted)", "not-reached": " (not reached)" };

class LineMap {
  constructor(model) {
    this.model = model;
    this.data = model.data.lines;
    this.owners = decodeBytes(this.data.owners);
    this.marks = decodeU16(this.data.marks);
    this.bytes = decodeBytes(this.data.bytes);
    this.count = this.owners.length;
    this.current = 0;
    this.detail = element("div", { class: "line-detail", role: "status" });
    this.grid = this.buildGrid();
    this.root = panel("Line map", "lines", this.intro(), this.grid, this.buildLegend(), this.detail);
    this.describe(0);
  }

  intro() {
    const shown = `${plural(this.count, "line")} of 32 bytes from ${hex(this.data.address)}: the position array and what follows.`;
    const more = this.data.left_out > 0 ? ` ${plural(this.data.left_out, "more line")} of the GPL follow.` : "";
    return element("p", { class: "quiet", style: { margin: "0 0 8px" } }, shown + more);
  }

  buildGrid() {
    const grid = element("div", {
      class: this.count > 8192 ? "map long" : "map", role: "grid", "aria-label": "Cache lines", "aria-rowcount": Math.ceil(this.count / COLUMNS), "aria-colcount": COLUMNS,
      on: {
        click: (event) => this.chosen(event), keydown: (event) => this.key(event),
        focusin: (event) => this.visited(event), mouseover: (event) => this.visited(event),
        mouseleave: () => this.describe(this.current),
      },
    });
    this.cells = [];
    for (let first = 0; first < this.count; first += COLUMNS) {
      const row = element("div", { class: "map-row", role: "row" },
        element("span", { class: "mono", role: "rowheader" }, hex(this.data.address + first * LINE)));
      for (let line = first; line < Math.min(first + COLUMNS, this.count); line += 1) row.append(this.buildCell(line));
      grid.append(row);
    }
    this.cells[0]?.setAttribute("tabindex", "0");
    return grid;
  }

  buildCell(line) {
    const classes = new Set(["line"]);
    for (const [bit, name] of LINE_MARKS) if (this.marks[line] & bit) classes.add(name);
    const owner = LINE_OWNERS[this.owners[line]]?.[0] ?? "gap";
    const cell = element("div", {
      class: [...classes].join(" "), role: "gridcell", tabindex: -1, data: { line, owner },
      style: { "background-color": `var(--own-${owner})` },
    });
    if (classes.has("wrong") || classes.has("stale")) cell.append(element("i"));
    this.cells.push(cell);
    return cell;
  }

  buildLegend() {
    const used = new Set(this.owners);
    const owners = LINE_OWNERS.map(([name, words], number) => [name, words, number]).filter(([, , number]) => used.has(number));
    const items = owners.map(([name, words]) => element("li", {},
      element("span", { class: "swatch", style: { background: `var(--own-${name})` } }), words));
    const all = this.marks.reduce((sum, marks) => sum | marks, 0);
    const shown = new Set();
    for (const [bit, name, words] of LINE_MARKS) {
      if (!(all & bit) || shown.has(name) || name === "cleared" || name === "flushed") continue;
      shown.add(name);
      const sample = element("span", { class: `line ${name}`, "aria-hidden": "true", style: { width: "22px", "background-color": "var(--own-scratch)" } });
      if (name === "wrong" || name === "stale") sample.append(element("i"));
      items.push(element("li", {}, sample, words.replace(/: .*/, "").replace(" on Dolphin", "")));
    }
    return element("ul", { class: "legend", "aria-label": "Owners and marks of lines" }, ...items);
  }

  lineOf(target) {
    const cell = target.closest?.(".line[data-line]");
    return cell ? Number(cell.dataset.line) : -1;
  }

  visited(event) {
    const line = this.lineOf(event.target);
    if (line < 0) return;
    if (event.type === "focusin") this.setCurrent(line);
    this.describe(line);
  }

  chosen(event) {
    const line = this.lineOf(event.target);
    if (line < 0) return;
    this.moveTo(line);
    this.model.selectLine(line);
  }

  setCurrent(line) {
    this.cells[this.current]?.setAttribute("tabindex", "-1");
    this.current = line;
    this.cells[line].setAttribute("tabindex", "0");
  }

  moveTo(line) {
    this.setCurrent(line);
    this.cells[line].setAttribute("aria-label", this.words(line));
    this.cells[line].focus({ preventScroll: false });
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS, PageUp: -8 * COLUMNS, PageDown: 8 * COLUMNS }[event.key];
    if (event.key === "Enter" || event.key === " ") this.model.selectLine(this.current);
    else if (event.key === "Home") this.moveTo(0);
    else if (event.key === "End") this.moveTo(this.count - 1);
    else if (step && this.cells[this.current + step]) this.moveTo(this.current + step);
    else if (!step) return;
    event.preventDefault();
  }

  // Marks lines as chosen; the first comes into view.
  select(lines) {
    for (const cell of this.selected ?? []) cell.removeAttribute("aria-selected");
    this.selected = lines.map((line) => this.cells[line]).filter((cell) => cell);
    for (const cell of this.selected) cell.setAttribute("aria-selected", "true");
    if (this.selected.length === 0) return;
    const line = Number(this.selected[0].dataset.line);
    this.setCurrent(line);
    this.describe(line);
    const cell = this.selected[0], box = this.grid;
    if (cell.offsetTop < box.scrollTop || cell.offsetTop > box.scrollTop + box.clientHeight - 20) {
      box.scrollTop = cell.offsetTop - box.clientHeight / 2;
    }
  }

  // Slots of the position array that lie in a line, in part at least.
  slotsOf(line) {
    const [start, end] = this.data.positions;
    const from = Math.max(line * LINE, start), to = Math.min((line + 1) * LINE, end);
    const slots = [];
    for (let slot = Math.floor((from - start) / STRIDE); slot * STRIDE + start < to; slot += 1) slots.push(slot);
    return from < to ? slots : [];
  }

  linesOfSlot(slot) {
    const first = this.data.positions[0] + slot * STRIDE;
    if (first >= this.data.positions[1]) return [];
    const lines = [Math.floor(first / LINE), Math.floor((first + STRIDE - 1) / LINE)];
    return lines[0] === lines[1] ? [lines[0]] : lines;
  }

  linesOfEntry(number) {
    const lines = [];
    this.data.writers.forEach((writers, line) => { if (writers.includes(number)) lines.push(line); });
    return lines;
  }

  lineOfAddress(address) {
    const line = Math.floor((Number(address) - this.data.address) / LINE);
    return line >= 0 && line < this.count ? line : -1;
  }

  // Where in its vertices an entry meets a line.
  entryWords(number, line) {
    const entry = this.data.entries[number];
    const bones = `${entry.bones.length > 1 ? "bones" : "bone"} ${entry.bones.map((bone) => this.model.boneName(bone)).join(", ")}`;
    const slots = this.slotsOf(line).filter((slot) => this.ownsSlot(number, slot));
    const vertices = slots.length > 0 ? `slot${slots.length > 1 ? "s" : ""} ${ranges(slots)}` : "no vertex of its own here";
    return `${bones}, ${vertices}${ENTRY_STATES[entry.state]}`;
  }

  ownsSlot(number, slot) {
    const vertex = this.model.geometry?.vertexOfSlot(slot) ?? -1;
    return vertex >= 0 && this.model.geometry.parts(vertex).some((part) => part.entry === number);
  }

  structuresIn(line) {
    return this.data.structures.filter(({ range }) => range[0] < (line + 1) * LINE && range[1] > line * LINE);
  }

  words(line) {
    const writers = this.data.writers[line].map((number) => `${this.data.entries[number].name}, ${this.entryWords(number, line)}`);
    const structures = this.structuresIn(line).map((structure) => structure.name);
    return [hex(this.data.address + line * LINE), LINE_OWNERS[this.owners[line]][1], ...writers, ...structures, ...this.markWords(line)].join("; ");
  }

  markWords(line) {
    return LINE_MARKS.filter(([bit]) => this.marks[line] & bit).map(([, , words]) => words);
  }

  describe(line) {
    if (line >= this.count) return;
    const address = this.data.address + line * LINE;
    const head = element("div", {}, element("b", { class: "mono" }, `${hex(address)}–${hex(address + LINE - 1)}`),
      ` line ${line} · ${LINE_OWNERS[this.owners[line]][1]}`);
    const writers = this.data.writers[line].map((number) => element("li", {},
      element("button", { type: "button", class: "link", on: { click: () => this.model.selectEntry(number) } }, this.data.entries[number].name),
      ` ${this.entryWords(number, line)}`));
    const structures = this.structuresIn(line).slice(0, 8).map(({ name, every_frame: every }) =>
      element("li", {}, `${name}, read ${every ? "in every frame" : "while loading"}`));
    const marks = this.markWords(line).map((words) => element("li", {}, words));
    const bytes = [...this.bytes.subarray(line * LINE, (line + 1) * LINE)].map((byte) => byte.toString(16).padStart(2, "0"));
    const dump = [0, 16].map((at) => bytes.slice(at, at + 16).join(" ").replace(/((?:\w\w ){8})/, "$1 ")).join("\n");
    this.detail.replaceChildren(head, element("ul", {}, ...writers, ...structures, ...marks), element("pre", {}, dump));
  }
}
