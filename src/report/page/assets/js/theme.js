// Light and dark: as the system says, until the reader chooses.

const themeListeners = [];
const onThemeChange = (listener) => themeListeners.push(listener);

function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// A colour of the style sheet as three numbers from 0 to 1, remembered until the theme changes.
const knownColours = new Map();
function rgb(name) {
  if (!knownColours.has(name)) {
    const number = parseInt(cssColour(name).slice(1), 16);
    knownColours.set(name, [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255]);
  }
  return knownColours.get(name);
}

function setUpTheme() {
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const apply = () => {
    const dark = chosen === null ? system.matches : chosen === "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
    knownColours.clear();
    for (const listener of themeListeners) listener();
  };
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
