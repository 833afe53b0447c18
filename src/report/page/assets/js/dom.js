// Elements by description. Strings become text nodes and attribute values, never markup.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    } else if (name === "style") {
      for (const [property, setting] of Object.entries(value)) made.style.setProperty(property, setting);
    } else if (name === "data") {
      Object.assign(made.dataset, value);
    } else {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

function panel(title, name, ...children) {
  const id = unique(name);
  return element("section", { class: `panel ${name}`, "aria-labelledby": id },
    element("h3", { id }, title), ...children);
}

let uniqueCount = 0;
function unique(name) {
  uniqueCount += 1;
  return `${name}-${uniqueCount}`;
}

function plural(count, noun, nouns = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
}

const hex = (value, digits = 8) => "0x" + (value >>> 0).toString(16).padStart(digits, "0");

// Ranges instead of long rows of numbers: 3–7, 9.
function ranges(numbers, most = 12) {
  const runs = [];
  for (const number of numbers) {
    const last = runs[runs.length - 1];
    if (last && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  const words = runs.slice(0, most).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  return words.join(", ") + (runs.length > most ? ", …" : "");
}
