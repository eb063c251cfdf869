"use strict";
// All text from the program becomes text nodes: nothing here parses markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** Creates an element with attributes, listeners (functions) and children. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function inUnits(value, step, units) {
  let unit = -1;
  while (unit < 0 || (value >= 999.5 && unit < units.length - 1)) {
    value /= step;
    unit += 1;
  }
  return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${units[unit]}`;
}
const bytesText = (n) =>
  n < 1024 ? `${n} B` : inUnits(n, 1024, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);
const countText = (n) => (n < 1000 ? `${n}` : inUnits(n, 1000, ["k", "M", "G", "T", "P", "E"]));
const plural = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const lastParts = (path, count) => path.split(/[\\/]/).slice(-count).join("/");

// Facts about instructions, by index.
const count = data.lines.length;
const kernelOf = new Map(data.kernels.map((kernel) => [kernel.node, kernel]));
const computationOf = new Int32Array(count);
data.computations.forEach((one, index) => computationOf.fill(index, one.start, one.end));
const users = Array.from({ length: count }, () => []);
data.operands.forEach((operands, node) => {
  for (const one of new Set(operands)) users[one].push(node);
});
const lineKey = (file, line) => `l${file}-${line}`;
const lineOf = (node) => (data.file[node] < 0 ? null : lineKey(data.file[node], data.line[node]));
const nodesOfLine = new Map();
for (let node = 0; node < count; node += 1) {
  const key = lineOf(node);
  if (!key) continue;
  if (!nodesOfLine.has(key)) nodesOfLine.set(key, []);
  nodesOfLine.get(key).push(node);
}
const sourceText = new Map();
data.files.forEach((file, index) => {
  for (const [line, text] of file.lines) sourceText.set(lineKey(index, line), text);
});
const locationText = (node) =>
  data.file[node] < 0 ? "" : `${lastParts(data.files[data.file[node]].name, 1)}:${data.line[node]}`;
const instructionLink = (node, text = data.names[node]) =>
  h("a", { href: `#i${node}`, class: "code", title: data.lines[node] }, text);
