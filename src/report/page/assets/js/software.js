// Drawing without WebGL: triangles from back to front on a plain canvas.

// Every vertex on the canvas: x, y, depth; depth is NaN behind the eye.
function project(positions, matrix, width, height) {
  const out = new Float32Array(positions.length);
  for (let at = 0; at < positions.length; at += 3) {
    const [x, y, z] = [positions[at], positions[at + 1], positions[at + 2]];
    const w = matrix[3] * x + matrix[7] * y + matrix[11] * z + matrix[15];
    out[at] = ((matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12]) / w * 0.5 + 0.5) * width;
    out[at + 1] = (0.5 - (matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13]) / w * 0.5) * height;
    out[at + 2] = w > 0 ? w : NaN;
  }
  return out;
}

class SoftwareRenderer {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.name = "canvas";
  }

  draw(scene) {
    const { canvas, context } = this;
    context.clearRect(0, 0, canvas.width, canvas.height);
    const points = project(scene.positions, scene.matrix, canvas.width, canvas.height);
    if (scene.style === "surface") this.surface(scene, points);
    else if (scene.style === "wires") this.wires(scene, points);
    if (scene.style === "points" || scene.loose) {
      const all = Uint32Array.from({ length: points.length / 3 }, (_, vertex) => vertex);
      this.dots(points, all, (vertex) => css([0, 1, 2].map((axis) => scene.colours[3 * vertex + axis])), scene.pointRadius * scene.pixelRatio);
    }
    this.dots(points, scene.marked, () => css(scene.markColour), 4 * scene.pixelRatio);
  }

  surface(scene, points) {
    const { context } = this;
    const { triangles, normals, colours, light } = scene;
    const depth = (at) => points[3 * triangles[at] + 2] + points[3 * triangles[at + 1] + 2] + points[3 * triangles[at + 2] + 2];
    const order = [];
    for (let at = 0; at < triangles.length; at += 3) {
      const far = depth(at);
      if (Number.isFinite(far)) order.push([far, at]);
    }
    order.sort((a, b) => b[0] - a[0]);
    context.lineWidth = 0.7;
    for (const [, at] of order) {
      const colour = [0, 0, 0];
      for (let corner = 0; corner < 3; corner += 1) {
        const vertex = 3 * triangles[at + corner];
        const facing = Math.abs(normals[vertex] * light[0] + normals[vertex + 1] * light[1] + normals[vertex + 2] * light[2]);
        for (let axis = 0; axis < 3; axis += 1) colour[axis] += colours[vertex + axis] * (0.5 + 0.5 * facing) / 3;
      }
      context.fillStyle = context.strokeStyle = css(colour);
      this.path(points, triangles, at);
      context.fill();
      context.stroke();
    }
  }

  wires(scene, points) {
    const { context } = this;
    context.lineWidth = scene.pixelRatio;
    for (let at = 0; at < scene.edges.length; at += 2) {
      const [a, b] = [3 * scene.edges[at], 3 * scene.edges[at + 1]];
      if (!Number.isFinite(points[a + 2] + points[b + 2])) continue;
      context.strokeStyle = css([0, 1, 2].map((axis) => scene.colours[a + axis] * 0.8));
      context.beginPath();
      context.moveTo(points[a], points[a + 1]);
      context.lineTo(points[b], points[b + 1]);
      context.stroke();
    }
  }

  path(points, triangles, at) {
    const { context } = this;
    context.beginPath();
    for (let corner = 0; corner < 3; corner += 1) {
      const vertex = 3 * triangles[at + corner];
      context.lineTo(points[vertex], points[vertex + 1]);
    }
    context.closePath();
  }

  dots(points, vertices, colour, radius) {
    const { context } = this;
    for (const vertex of vertices) {
      if (!Number.isFinite(points[3 * vertex + 2])) continue;
      context.fillStyle = colour(vertex);
      context.beginPath();
      context.arc(points[3 * vertex], points[3 * vertex + 1], radius, 0, 7);
      context.fill();
    }
  }
}
