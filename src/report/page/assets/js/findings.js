// Findings with their remedies, and a filter.

class FindingList {
  constructor(model) {
    this.model = model;
    this.shown = new Set(SEVERITIES);
    this.count = element("output", { class: "quiet" });
    this.list = element("ul", { class: "findings-list", tabindex: 0, "aria-label": "Findings" });
    this.root = panel("Findings", "findings wide", this.filter(), this.list);
    this.update();
  }

  filter() {
    const counts = Object.fromEntries(SEVERITIES.map((severity) => [severity, 0]));
    for (const finding of this.model.findings) counts[finding.severity] += finding.count;
    const checks = SEVERITIES.map((severity) => {
      const box = element("input", { type: "checkbox", checked: true, name: severity, on: { change: () => {
        if (box.checked) this.shown.add(severity);
        else this.shown.delete(severity);
        this.update();
      } } });
      return element("label", { class: "check" }, box, element("span", { class: "badge", data: { severity } }, plural(counts[severity], severity)));
    });
    const codes = [...new Set(this.model.findings.map((finding) => finding.code))].sort();
    this.code = element("select", { "aria-label": "Code", on: { change: () => this.update() } },
      element("option", { value: "" }, "every code"), ...codes.map((code) => element("option", { value: code }, code)));
    this.search = element("input", { type: "search", placeholder: "Search", "aria-label": "Search findings", on: { input: () => this.update() } });
    return element("div", { class: "row" }, ...checks, this.code, this.search, this.count);
  }

  update() {
    const words = this.search.value.toLowerCase();
    const matches = this.model.findings.filter((finding) => this.shown.has(finding.severity)
      && (this.code.value === "" || finding.code === this.code.value)
      && `${finding.code} ${finding.place} ${finding.text} ${finding.help}`.toLowerCase().includes(words));
    const most = 500;
    this.list.replaceChildren(...matches.slice(0, most).map((finding) => this.item(finding)));
    const all = this.model.findings.length;
    this.count.textContent = all === 0 ? "Nothing was found." : matches.length > most ? `the first ${most} of ${matches.length}` : `${matches.length} of ${all}`;
  }

  item(finding) {
    const effects = finding.effects.flatMap(({ target, harm, text }) => [
      element("dt", {}, target), element("dd", { class: harm ? "harm" : null }, text)]);
    const show = this.model.canShow(finding)
      ? element("button", { type: "button", on: { click: () => this.model.selectFinding(finding) } }, "Show") : null;
    return element("li", { class: "finding", data: { severity: finding.severity, code: finding.code } },
      element("div", { class: "row" },
        element("span", { class: "badge", data: { severity: finding.severity } }, finding.severity),
        element("code", { title: finding.summary }, finding.code),
        element("span", { class: "quiet" }, finding.place), show),
      element("p", {}, finding.text),
      element("dl", {}, ...effects, element("dt", {}, "remedy"), element("dd", {}, finding.help)));
  }
}
