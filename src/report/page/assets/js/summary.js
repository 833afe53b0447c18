// Verdicts and facts.

function verdicts(model) {
  return element("div", { class: "verdicts" }, ...model.data.verdicts.map(({ target, outcome, text }) =>
    element("div", { class: "verdict", data: { outcome } }, element("b", {}, target), text)));
}

function facts(model) {
  return element("dl", { class: "facts" }, ...model.data.facts.map(([label, value]) =>
    element("div", {}, element("dt", {}, label), element("dd", {}, value))));
}
