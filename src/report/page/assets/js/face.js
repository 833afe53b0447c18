// A face: sliders for its controllers, the rules behind them, and the vertices that move.

class Face {
  constructor(model) {
    this.model = model;
    this.data = model.data.face;
    this.machine = new RuleMachine(this.data);
    this.deformer = new FlexDeformer(this.data);
    this.values = Float32Array.from(this.machine.controllers, ({ first }) => first);
    this.sliders = [];
    this.weightList = element("ul", { class: "weights", "aria-label": "Weights of flexdescs" });
    const groups = element("div", { class: "groups" }, ...this.data.groups.map((group) => this.group(group)));
    this.root = panel("Controllers", "face",
      element("div", { class: "row" },
        element("button", { type: "button", on: { click: () => this.setAll(({ min }) => min) } }, "All at their minimum"),
        element("button", { type: "button", on: { click: () => this.setAll(({ first }) => first) } }, "As given")),
      groups, element("h4", {}, "Flexdescs with a weight"), this.weightList);
  }

  group({ name, kind, sliders }) {
    return element("fieldset", { data: { kind } },
      element("legend", {}, name, " ", element("span", { class: "quiet" }, kind)),
      ...sliders.map(([label, controller]) => this.slider(label, controller)));
  }

  slider(label, controller) {
    const { name, min, max } = this.machine.controllers[controller];
    const id = unique("controller");
    const [low, high] = [Math.min(min, max), Math.max(min, max)];
    const shown = element("output", { for: id, class: "mono" });
    const input = element("input", { type: "range", id, min: low, max: high, step: "any", data: { controller: name }, "aria-label": name, on: {
      input: () => this.set(controller, Number(input.value)),
      keydown: (event) => this.key(event, controller, high - low),
    } });
    this.sliders.push({ controller, input, shown });
    return element("div", { class: "slider" }, element("label", { for: id }, label), input, shown);
  }

  // A range without a step has none for its keys either.
  key(event, controller, span) {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 4, PageDown: -4 }[event.key];
    if (!step) return;
    event.preventDefault();
    const { min, max } = this.machine.controllers[controller];
    const wanted = this.values[controller] + (step * span) / 20;
    this.set(controller, Math.max(Math.min(min, max), Math.min(Math.max(min, max), wanted)));
  }

  // Controllers of one name share their value, as in the engine.
  set(controller, value) {
    const name = this.data.controllers[controller].toLowerCase();
    this.data.controllers.forEach((other, at) => { if (other.toLowerCase() === name) this.values[at] = value; });
    this.update();
  }

  setAll(value) {
    this.machine.controllers.forEach((controller, at) => { this.values[at] = value(controller); });
    this.update();
  }

  update() {
    for (const { controller, input, shown } of this.sliders) {
      input.value = this.values[controller];
      shown.textContent = this.values[controller].toFixed(3);
    }
    const weights = this.machine.run(this.values);
    const positions = this.deformer.deform(weights);
    this.showWeights(weights);
    if (this.model.viewer) this.model.viewer.showPositions(positions);
    this.root.dispatchEvent(new CustomEvent("face", { bubbles: true, detail: { weights, positions } }));
  }

  showWeights(weights) {
    const set = [...weights].map((weight, flexdesc) => [weight, flexdesc]).filter(([weight]) => weight !== 0);
    this.weightList.replaceChildren(...set.map(([weight, flexdesc]) => element("li", {},
      element("span", {}, this.data.flexdescs[flexdesc]),
      element("meter", { min: 0, max: 1, value: Math.min(1, Math.abs(weight)), "aria-label": this.data.flexdescs[flexdesc] }),
      element("span", { class: "mono" }, weight.toFixed(4)))));
    if (set.length === 0) this.weightList.replaceChildren(element("li", { class: "quiet" }, "none"));
  }
}
