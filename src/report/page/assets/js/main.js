// Puts the page together. Two models share one camera, so that both are seen from the same side.

function main() {
  const page = loadPage();
  setUpTheme();
  document.getElementById("generator").textContent = page.generator;
  const geometries = page.models.map((model) => model.geometry).filter((geometry) => geometry);
  const bounds = geometries.map((geometry) => boundsOf(new Geometry(geometry).frame(0).positions));
  const radius = Math.max(...bounds.map((bound) => bound.radius), 0) || 1;
  const camera = new Camera({ middle: bounds[0]?.middle ?? [0, 0, 0], radius });
  const main = document.getElementById("models");
  main.dataset.models = page.models.length;
  main.replaceChildren(...page.models.map((model) => new Model(model, camera).root));
}

main();
