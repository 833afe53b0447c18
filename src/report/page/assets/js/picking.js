// Which vertex lies under a point of the canvas: the nearest corner of the front triangle there, or, on a
// mesh without triangles, the nearest vertex.

function pickVertex(points, triangles, x, y, reach) {
  let front = Infinity, corners = null;
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [3 * triangles[at], 3 * triangles[at + 1], 3 * triangles[at + 2]];
    const parts = barycentric(points, a, b, c, x, y);
    if (!parts) continue;
    // 1/w is what runs evenly over a projected triangle.
    const depth = 1 / (parts[0] / points[a + 2] + parts[1] / points[b + 2] + parts[2] / points[c + 2]);
    if (depth > 0 && depth < front) {
      front = depth;
      corners = [a, b, c];
    }
  }
  const candidates = corners ?? points.map((_, at) => at).filter((at) => at % 3 === 0);
  let best = -1, nearest = corners ? Infinity : reach * reach;
  for (const at of candidates) {
    const distance = (points[at] - x) ** 2 + (points[at + 1] - y) ** 2;
    if (Number.isFinite(points[at + 2]) && distance < nearest) {
      nearest = distance;
      best = at / 3;
    }
  }
  return best;
}

function barycentric(points, a, b, c, x, y) {
  const [ax, ay, bx, by, cx, cy] = [points[a], points[a + 1], points[b], points[b + 1], points[c], points[c + 1]];
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (!(Math.abs(area) > 1e-9) || !Number.isFinite(points[a + 2] + points[b + 2] + points[c + 2])) return null;
  const v = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area;
  const w = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area;
  return v >= 0 && w >= 0 && v + w <= 1 ? [1 - v - w, v, w] : null;
}
