// Tables under tabs: what the data bring, and the weights of every vertex.

const PAGE_ROWS = 100;

class Tables {
  constructor(model) {
    this.model = model;
    const tables = model.data.tables.map((table) => ({ ...table, row: (index) => table.rows[index], count: table.rows.length }));
    if (model.geometry && model.geometry.influences.bones.length > 0) tables.push(weightTable(model));
    this.tables = tables;
    this.box = element("div", { class: "table-box", tabindex: 0, role: "tabpanel", id: unique("table") });
    this.note = element("div", { class: "row quiet", style: { "margin-top": "6px" } });
    this.tabs = tables.map((table, index) => element("button", {
      type: "button", role: "tab", "aria-controls": this.box.id, on: { click: () => this.show(index), keydown: (event) => this.key(event, index) },
    }, table.title));
    this.root = panel("Tables", "tables wide", element("div", { class: "tabs", role: "tablist", "aria-label": "Tables" }, ...this.tabs), this.box, this.note);
    if (tables.length > 0) this.show(0);
  }

  key(event, index) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const next = (index + step + this.tabs.length) % this.tabs.length;
    this.show(next);
    this.tabs[next].focus();
    event.preventDefault();
  }

  show(index, first = 0) {
    this.tabs.forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === index));
      tab.setAttribute("tabindex", at === index ? "0" : "-1");
    });
    const table = this.tables[index];
    this.box.setAttribute("aria-label", table.title);
    const head = element("tr", {}, ...table.columns.map(({ name, number }) => element("th", { scope: "col", class: number ? "number" : null }, name)));
    const rows = [];
    for (let row = first; row < Math.min(first + PAGE_ROWS, table.count); row += 1) rows.push(this.row(table, row));
    this.box.replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
    this.pager(table, index, first);
  }

  row(table, row) {
    const cells = table.row(row).map((cell, at) => {
      const { name, number } = table.columns[at];
      const action = at === 0 ? this.action(table, name, cell) : null;
      return element("td", { class: number ? "number" : "words" }, action ?? cell);
    });
    return element("tr", {}, ...cells);
  }

  // First cells that name something of the map or the mesh lead there.
  action(table, name, cell) {
    const go = {
      entry: () => this.model.selectEntry(this.model.lines.data.entries.findIndex((entry) => entry.name === cell)),
      bone: () => this.model.selectBone(parseInt(cell, 10)),
      slot: () => this.model.selectVertex(this.model.geometry.vertexOfSlot(Number(cell))),
      vertex: () => this.model.selectVertex(Number(cell)),
    }[name];
    const possible = go && this.model.geometry && (name !== "entry" || this.model.lines);
    return possible ? element("button", { type: "button", class: "link", on: { click: go } }, cell) : null;
  }

  pager(table, index, first) {
    const turn = (to, words) => element("button", { type: "button", disabled: to < 0 || to >= table.count, on: { click: () => this.show(index, to) } }, words);
    const pages = table.count > PAGE_ROWS
      ? [turn(first - PAGE_ROWS, "Back"), `${first}–${Math.min(first + PAGE_ROWS, table.count) - 1} of ${table.count}`, turn(first + PAGE_ROWS, "Next")] : [];
    this.note.replaceChildren(...pages, ...(table.left_out > 0 ? [`${plural(table.left_out, "more row")} left out.`] : []));
  }
}

function weightTable(model) {
  const { geometry } = model;
  const moved = [];
  for (let vertex = 0; vertex < geometry.count; vertex += 1) if (geometry.parts(vertex).length > 0) moved.push(vertex);
  const slots = geometry.slots[1] > 0;
  const entries = model.lines?.data.entries;
  const row = (index) => {
    const vertex = moved[index];
    const parts = geometry.parts(vertex);
    const sum = parts.reduce((total, part) => total + part.weight, 0);
    const words = parts.map((part) => `${geometry.boneName(part.bone)} × ${part.weight.toFixed(3)}${entries ? ` (${entries[part.entry].name})` : ""}`);
    return [String(slots ? geometry.slotOfVertex(vertex) : vertex), words.join(", "), sum.toFixed(3)];
  };
  const columns = [{ name: slots ? "slot" : "vertex", number: true }, { name: "bones and weights" }, { name: "sum", number: true }];
  return { title: "Weights", columns, row, count: moved.length, left_out: 0 };
}
