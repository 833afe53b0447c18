// What a canvas shows, as numbers.

// How many pixels are drawn, how many have the colour of marks, and a digest of all.
export function look(page, which = 0) {
  return page.evaluate(async (index) => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const canvas = document.querySelectorAll("canvas")[index];
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const pixels = context.getImageData(0, 0, copy.width, copy.height).data;
    const mark = getComputedStyle(document.documentElement).getPropertyValue("--select").trim();
    const wanted = [1, 3, 5].map((at) => parseInt(mark.slice(at, at + 2), 16));
    let [drawn, marked, digest] = [0, 0, 0];
    for (let at = 0; at < pixels.length; at += 4) {
      if (pixels[at + 3] > 128) drawn += 1;
      if (pixels[at + 3] > 128 && wanted.every((value, axis) => Math.abs(value - pixels[at + axis]) < 12)) marked += 1;
      digest = (Math.imul(digest, 31) + pixels[at] + 7 * pixels[at + 1] + 13 * pixels[at + 2] + pixels[at + 3]) | 0;
    }
    return { drawn, marked, digest, width: canvas.width, height: canvas.height };
  }, which);
}

// A drawn pixel of a canvas near its middle, in the page's coordinates.
export function spot(page, which = 0) {
  return page.evaluate((index) => {
    const canvas = document.querySelectorAll("canvas")[index];
    canvas.scrollIntoView({ block: "center" });
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const pixels = context.getImageData(0, 0, copy.width, copy.height).data;
    const box = canvas.getBoundingClientRect();
    let best = null, nearest = Infinity;
    for (let y = 0; y < copy.height; y += 3) {
      for (let x = 0; x < copy.width; x += 3) {
        const distance = Math.hypot(x - copy.width / 2, y - copy.height / 2);
        if (pixels[4 * (y * copy.width + x) + 3] > 128 && distance < nearest) {
          nearest = distance;
          best = { x: box.left + (x / copy.width) * box.width, y: box.top + (y / copy.height) * box.height };
        }
      }
    }
    return best;
  }, which);
}
