// Drawing with WebGL.

const VERTEX_SHADER = `
attribute vec3 position; attribute vec3 normal; attribute vec3 colour;
uniform mat4 matrix; uniform vec3 light; uniform float size; uniform float pull;
varying vec3 shade;
void main() {
  gl_Position = matrix * vec4(position, 1.0);
  gl_Position.z -= pull * gl_Position.w;
  gl_PointSize = size;
  float facing = abs(dot(normal, light));
  shade = size > 0.0 ? colour : colour * (0.5 + 0.5 * facing);
}`;
const FRAGMENT_SHADER = `
precision mediump float;
varying vec3 shade; uniform float alpha; uniform float round;
void main() {
  if (round > 0.5 && distance(gl_PointCoord, vec2(0.5)) > 0.5) discard;
  gl_FragColor = vec4(shade * alpha, alpha);
}`;

function compileProgram(gl) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX_SHADER], [gl.FRAGMENT_SHADER, FRAGMENT_SHADER]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

// A renderer, or null where there is no WebGL that can count to the last vertex.
function webglRenderer(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true })
    || canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  if (typeof WebGL2RenderingContext === "undefined" || !(gl instanceof WebGL2RenderingContext)) {
    if (!gl.getExtension("OES_element_index_uint")) return null;
  }
  const program = compileProgram(gl);
  return program ? new WebglRenderer(canvas, gl, program) : null;
}

class WebglRenderer {
  constructor(canvas, gl, program) {
    Object.assign(this, { canvas, gl, program, name: "webgl" });
    this.buffers = { position: gl.createBuffer(), normal: gl.createBuffer(), colour: gl.createBuffer() };
    this.triangles = gl.createBuffer();
    this.edges = gl.createBuffer();
    this.marked = gl.createBuffer();
    this.uniforms = Object.fromEntries(["matrix", "light", "size", "pull", "alpha", "round"]
      .map((name) => [name, gl.getUniformLocation(program, name)]));
    this.sent = {};
  }

  send(name, values) {
    if (this.sent[name] === values) return;
    this.sent[name] = values;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[name]);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.DYNAMIC_DRAW);
  }

  sendIndices(buffer, name, values) {
    this.gl.bindBuffer(this.gl.ELEMENT_ARRAY_BUFFER, buffer);
    if (this.sent[name] === values) return;
    this.sent[name] = values;
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, values, this.gl.DYNAMIC_DRAW);
  }

  draw(scene) {
    const { gl, canvas, uniforms } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.program);
    this.send("position", scene.positions);
    this.send("normal", scene.normals);
    this.send("colour", scene.colours);
    for (const name of ["position", "normal", "colour"]) {
      const at = gl.getAttribLocation(this.program, name);
      if (at < 0) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
    }
    gl.uniformMatrix4fv(uniforms.matrix, false, scene.matrix);
    gl.uniform3fv(uniforms.light, scene.light);
    const look = (size, pull, alpha, round) => {
      gl.uniform1f(uniforms.size, size);
      gl.uniform1f(uniforms.pull, pull);
      gl.uniform1f(uniforms.alpha, alpha);
      gl.uniform1f(uniforms.round, round);
    };
    const pixel = scene.pixelRatio;
    if (scene.style === "surface") {
      look(0, 0, 1, 0);
      this.sendIndices(this.triangles, "triangles", scene.triangles);
      gl.drawElements(gl.TRIANGLES, scene.triangles.length, gl.UNSIGNED_INT, 0);
    } else if (scene.style === "wires") {
      look(0, 0, 1, 0);
      this.sendIndices(this.edges, "edges", scene.edges);
      gl.drawElements(gl.LINES, scene.edges.length, gl.UNSIGNED_INT, 0);
    }
    if (scene.style === "points" || scene.loose) {
      look(2 * scene.pointRadius * pixel, 0, 1, 1);
      gl.drawArrays(gl.POINTS, 0, scene.positions.length / 3);
    }
    this.drawMarked(scene, look, pixel);
  }

  // Marked vertices: whole where they are seen, pale where the mesh hides them.
  drawMarked(scene, look, pixel) {
    const { gl } = this;
    if (scene.marked.length === 0) return;
    const colourAt = gl.getAttribLocation(this.program, "colour");
    gl.disableVertexAttribArray(colourAt);
    gl.vertexAttrib3fv(colourAt, scene.markColour);
    this.sendIndices(this.marked, "marked", scene.marked);
    gl.disable(gl.DEPTH_TEST);
    look(6 * pixel, 0, 0.3, 1);
    gl.drawElements(gl.POINTS, scene.marked.length, gl.UNSIGNED_INT, 0);
    gl.enable(gl.DEPTH_TEST);
    look(8 * pixel, 0.002, 1, 1);
    gl.drawElements(gl.POINTS, scene.marked.length, gl.UNSIGNED_INT, 0);
  }
}
