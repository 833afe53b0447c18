// A camera that turns about a point. Several viewers can share one.

class Camera {
  constructor({ middle, radius }) {
    this.home = { middle, radius };
    this.listeners = [];
    this.reset();
  }

  reset() {
    this.yaw = 0.6;
    this.pitch = 0.25;
    this.target = [...this.home.middle];
    this.distance = this.home.radius * 2.6;
    this.changed();
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  axes() {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const back = [sy * cp, sp, cy * cp];
    const right = [cy, 0, -sy];
    return { right, up: cross(back, right), back };
  }

  eye() {
    const { back } = this.axes();
    return this.target.map((value, axis) => value + back[axis] * this.distance);
  }

  // From the model to the clip space of a picture of this shape.
  matrix(aspect) {
    const { right, up, back } = this.axes();
    const far = this.distance + this.home.radius * 6;
    const projection = perspective(0.7, aspect, Math.max(far / 4000, 1e-6), far);
    return multiply(projection, lookFrom(right, up, back, this.eye()));
  }

  orbit(dx, dy) {
    this.yaw -= dx;
    this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + dy));
    this.changed();
  }

  // By parts of the picture's height.
  pan(dx, dy) {
    const { right, up } = this.axes();
    const scale = this.distance * 0.73;
    this.target = this.target.map((value, axis) => value + (up[axis] * dy - right[axis] * dx) * scale);
    this.changed();
  }

  zoom(factor) {
    this.distance = Math.max(this.home.radius * 0.02, Math.min(this.home.radius * 40, this.distance * factor));
    this.changed();
  }
}

// Mouse, touch and keys on a canvas. `clicked` gets a press that did not move.
function controlCamera(canvas, camera, clicked) {
  const pointers = new Map();
  let moved = 0;
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, distance: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (pointers.size === 0) moved = 0;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.classList.add("dragging");
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const before = pointers.size === 2 ? spread() : null;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved += Math.abs(dx) + Math.abs(dy);
    const height = canvas.clientHeight || 1;
    if (before) {
      const after = spread();
      if (after.distance > 0) camera.zoom(before.distance / after.distance);
      camera.pan((after.x - before.x) / height, (after.y - before.y) / height);
    } else if (event.shiftKey || event.buttons & 6) {
      camera.pan(dx / height, dy / height);
    } else {
      camera.orbit((dx / height) * 4, (dy / height) * 4);
    }
  });
  const release = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    canvas.classList.remove("dragging");
    if (event.type === "pointerup" && pointers.size === 0 && moved < 5 && event.button === 0) clicked(event);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.003));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step && event.shiftKey) camera.pan(step[0] * -0.06, step[1] * -0.06);
    else if (step) camera.orbit(step[0] * 0.12, step[1] * 0.12);
    else if (event.key === "+" || event.key === "=") camera.zoom(0.88);
    else if (event.key === "-") camera.zoom(1.14);
    else if (event.key === "0" || event.key === "Home") camera.reset();
    else return;
    event.preventDefault();
  });
}
