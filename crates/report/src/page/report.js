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
  while (unit < 0 || (value >= 999.5 && unit < units.length - 1)) { value /= step; unit += 1; }
  return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${units[unit]}`;
}
const bytesText = (n) => n < 1024 ? `${n} B` : inUnits(n, 1024, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);
const countText = (n) => n < 1000 ? `${n}` : inUnits(n, 1000, ["k", "M", "G", "T", "P", "E"]);
const plural = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const lastParts = (path, count) => path.split(/[\\/]/).slice(-count).join("/");

// Facts about instructions, by index.
const count = data.lines.length;
const kernelOf = new Map(data.kernels.map((kernel) => [kernel.node, kernel]));
const computationOf = new Int32Array(count);
data.computations.forEach((one, index) => computationOf.fill(index, one.start, one.end));
const users = Array.from({ length: count }, () => []);
data.operands.forEach((operands, node) => { for (const one of new Set(operands)) users[one].push(node); });
const lineKey = (file, line) => `l${file}-${line}`;
const lineOf = (node) => data.file[node] < 0 ? null : lineKey(data.file[node], data.line[node]);
const nodesOfLine = new Map();
for (let node = 0; node < count; node += 1) {
  const key = lineOf(node);
  if (!key) continue;
  if (!nodesOfLine.has(key)) nodesOfLine.set(key, []);
  nodesOfLine.get(key).push(node);
}
const sourceText = new Map();
data.files.forEach((file, index) => { for (const [line, text] of file.lines) sourceText.set(lineKey(index, line), text); });
const locationText = (node) => data.file[node] < 0 ? "" : `${lastParts(data.files[data.file[node]].name, 1)}:${data.line[node]}`;
const instructionLink = (node, text = data.names[node]) => h("a", { href: `#i${node}`, class: "code", title: data.lines[node] }, text);

// Cost: three trees with the same kernels.
let metric = data.kernels.some((kernel) => kernel.flops === null) ? "bytes" : "flops";
const valueText = (value) => value === null ? "?" : metric === "bytes" ? bytesText(value) : countText(value);
const sum = (kernels) => kernels.reduce((total, kernel) => total + (kernel[metric] ?? 0), 0);

/** A tree of kernels: `pathOf` returns the labels from the root to the place of one. */
function makeTree(pathOf) {
  const root = { label: "", children: new Map(), own: [], all: [] };
  for (const kernel of data.kernels) {
    let at = root;
    root.all.push(kernel);
    for (const label of pathOf(kernel)) {
      if (!at.children.has(label)) at.children.set(label, { label, children: new Map(), own: [], all: [] });
      at = at.children.get(label);
      at.all.push(kernel);
    }
    at.own.push(kernel);
  }
  return root;
}

const opened = new Set();
/** Opens the largest branches while few rows are visible. */
function openSome(place, root) {
  const rows = (tree) => tree.children.size + tree.own.length;
  let visible = rows(root);
  const closed = [[`${place.id}/`, root]];
  const next = () => {
    const [path, tree] = closed.pop();
    for (const child of sorted(tree).reverse()) {
      const [label, inner] = joined(child);
      if (inner.children.size) closed.push([`${path}${label}/`, inner]);
    }
    return closed.at(-1);
  };
  for (let largest = next(); largest && visible + rows(largest[1]) <= 18; largest = next()) {
    opened.add(largest[0]);
    visible += rows(largest[1]);
  }
}
function drawTree(place, root) {
  const children = sorted(root);
  const scale = { most: Math.max(1, ...children.map((child) => sum(child.all))), total: Math.max(1, sum(root.all)) };
  place.classList.add("tree");
  place.replaceChildren(...children.map((child) => branch(child, scale, `${place.id}/`)));
}
const sorted = (tree) => [...tree.children.values()].sort((a, b) => sum(b.all) - sum(a.all));

function meter(value, scale) {
  const fill = h("div", { class: "fill" });
  fill.style.width = `${100 * Math.min(1, (value ?? 0) / scale.most)}%`;
  const share = value === null ? "" : `${(100 * value / scale.total).toFixed(1)}%`;
  return [h("div", { class: "track" }, ...(value ? [fill] : [])), h("span", { class: "number" }, valueText(value)), h("span", { class: "number share note" }, share)];
}

/** Modules with one part each are one row. */
function joined(tree) {
  let label = tree.label;
  while (tree.children.size === 1 && tree.own.length === 0 && tree.joins !== false) {
    [tree] = tree.children.values();
    label = `${label}/${tree.label}`;
  }
  return [label, tree];
}

function branch(outer, scale, path) {
  const [label, tree] = joined(outer);
  const key = `${path}${label}/`;
  const inside = h("div");
  const fill = () => {
    if (inside.childElementCount) return;
    inside.append(...sorted(tree).map((child) => branch(child, scale, key)), ...leaves(tree.own, scale));
  };
  const toggled = (event) => { if (event.target.open) { opened.add(key); fill(); } else opened.delete(key); };
  const title = `${label}: ${plural(tree.all.length, "kernel")}`;
  const details = h("details", { toggle: toggled }, h("summary", { title }, h("span", { class: "label" }, tree.shown ?? label), ...meter(sum(tree.all), scale)), inside);
  if (opened.has(key)) { details.open = true; fill(); }
  return details;
}

function leaves(kernels, scale, from = 0) {
  if (from === 0) kernels = [...kernels].sort((a, b) => (b[metric] ?? 0) - (a[metric] ?? 0));
  const rows = kernels.slice(from, from + 100).map((kernel) =>
    h("div", { class: "leaf" }, h("span", { class: "label" }, instructionLink(kernel.node)), ...meter(kernel[metric], scale)));
  if (kernels.length > from + 100) {
    const more = h("button", { type: "button", click: () => more.replaceWith(...leaves(kernels, scale, from + 100)) }, `${kernels.length - from - 100} more`);
    rows.push(more);
  }
  return rows;
}

const trees = {
  "by-op": makeTree((kernel) => [data.kinds[kernel.kind]]),
  "by-module": makeTree((kernel) => data.modules[kernel.module].length ? data.modules[kernel.module] : ["(no module)"]),
  "by-line": makeTree((kernel) => {
    const { node } = kernel;
    if (data.file[node] < 0) return ["(no source line)"];
    const text = (sourceText.get(lineOf(node)) ?? "").trim();
    return [data.files[data.file[node]].name, `${data.line[node]}${text && `: ${text}`}`];
  }),
};
function drawCosts() {
  for (const [id, tree] of Object.entries(trees)) drawTree(byId(id), tree);
  for (const input of document.querySelectorAll("#metric input")) input.checked = input.value === metric;
}
for (const file of trees["by-line"].children.values()) {
  file.joins = false;
  file.shown = lastParts(file.label, 2);
}
for (const [id, tree] of Object.entries(trees)) openSome(byId(id), tree);
byId("metric").addEventListener("change", (event) => { metric = event.target.value; drawCosts(); });
byId("module-note").textContent = data.modules.every((path) => path.length === 0)
  ? "The program has no scopes, and its parameters have no paths."
  : data.are_scopes ? "The scopes of the ops." : "The modules of the weights that the instructions read, or lie between.";

// Memory.
const { memory } = data;
const steps = memory.steps.length;
let cursor = memory.peak;
function drawChart() {
  const place = byId("chart");
  const [width, height, left, bottom, top] = [Math.max(280, place.clientWidth), 340, 70, 26, 18];
  const base = byId("with-arguments").checked ? memory.arguments + memory.constants : 0;
  const most = base + Math.max(1, memory.live[memory.peak] ?? 0);
  const unit = niceStep(most / 4);
  const ceiling = Math.max(unit, Math.ceil(most / unit) * unit);
  const x = (step) => left + (width - left - 8) * step / Math.max(1, steps);
  const y = (bytes) => height - bottom - (height - bottom - top) * bytes / ceiling;
  const svg = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "slider", "aria-label": "Memory over time: arrow keys move, Enter selects the instruction", "aria-valuemin": 0, "aria-valuemax": Math.max(0, steps - 1) });
  for (let bytes = 0; bytes <= ceiling; bytes += unit) {
    root.append(svg("line", { class: "grid", x1: left, x2: width - 8, y1: y(bytes), y2: y(bytes) }));
    root.append(svg("text", { x: left - 8, y: y(bytes) + 4, "text-anchor": "end" }, bytesText(bytes).replace(/\.0+ /, " ")));
  }
  // At most one value for each pixel: the largest of its steps.
  const each = Math.max(1, Math.ceil(steps / (width - left)));
  let path = `M${x(0)} ${y(base)}`;
  for (let step = 0; step < steps; step += each) {
    let live = 0;
    for (let one = step; one < Math.min(steps, step + each); one += 1) live = Math.max(live, memory.live[one]);
    path += `V${y(base + live).toFixed(1)}H${x(Math.min(steps, step + each)).toFixed(1)}`;
  }
  if (base) root.append(svg("rect", { class: "base", x: left, width: width - left - 8, y: y(base), height: y(0) - y(base) }));
  root.append(svg("path", { class: "area", d: `${path}V${y(base)}Z` }));
  const middle = (step) => x(step + 0.5);
  root.append(svg("line", { class: "peak", x1: middle(memory.peak), x2: middle(memory.peak), y1: top, y2: height - bottom }));
  const isRight = middle(memory.peak) > width * 0.6;
  root.append(svg("text", { class: "strong", x: middle(memory.peak) + (isRight ? -6 : 6), y: 13, "text-anchor": isRight ? "end" : "start" }, `peak ${bytesText(most === base + 1 ? base : most)}`));
  root.append(svg("text", { x: left, y: height - 7 }, "first step"));
  root.append(svg("text", { x: width - 8, y: height - 7, "text-anchor": "end" }, `step ${steps.toLocaleString("en")}`));
  const line = svg("line", { class: "cursor", y1: top, y2: height - bottom });
  root.append(line);
  const moveTo = (step) => {
    cursor = Math.max(0, Math.min(steps - 1, step));
    line.setAttribute("x1", middle(cursor));
    line.setAttribute("x2", middle(cursor));
    const node = memory.steps[cursor];
    const text = `Step ${cursor + 1}: ${bytesText(base + memory.live[cursor])} live, `;
    root.setAttribute("aria-valuenow", cursor);
    root.setAttribute("aria-valuetext", text + data.names[node]);
    byId("chart-text").replaceChildren(text, instructionLink(node));
  };
  const stepAt = (event) => {
    const box = root.getBoundingClientRect();
    return Math.floor((event.clientX - box.left - left) / (width - left - 8) * steps);
  };
  const select = () => { location.hash = `i${memory.steps[cursor]}`; };
  root.addEventListener("pointermove", (event) => moveTo(stepAt(event)));
  root.addEventListener("click", (event) => { moveTo(stepAt(event)); select(); });
  root.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -each * 20, PageDown: each * 20, Home: -steps, End: steps };
    if (event.key === "Enter") select();
    else if (event.key in moves) { moveTo(cursor + moves[event.key]); event.preventDefault(); }
  });
  place.replaceChildren(root);
  moveTo(cursor);
}
/** A round number of bytes, at least `least`. */
function niceStep(least) {
  const power = 1024 ** Math.max(0, Math.floor(Math.log(Math.max(1, least)) / Math.log(1024)));
  const units = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 200, 250, 256, 400, 500, 512, 800, 1024];
  return power * units.find((unit) => unit * power >= least);
}

let shownBuffers = 25;
function drawBuffers() {
  const filter = byId("buffer-filter").value;
  const isShown = {
    all: () => true,
    program: (one) => one.kind === "temporary" || one.kind === "result",
    peak: (one) => one.start <= memory.peak && memory.peak <= one.end,
  }[filter];
  const chosen = memory.buffers.filter(isShown);
  const rows = chosen.slice(0, shownBuffers).map((one) => {
    const life = h("span");
    life.style.left = `${100 * one.start / steps}%`;
    life.style.width = `${100 * (one.end - one.start + 1) / steps}%`;
    const title = `steps ${one.start + 1} to ${one.end + 1}`;
    return h("tr", {},
      h("td", { class: "code" }, instructionLink(one.node)),
      h("td", { class: "code", title: one.shape }, one.shape),
      h("td", { class: "number" }, bytesText(one.bytes)),
      h("td", {}, one.kind),
      h("td", {}, h("div", { class: "life", title, role: "img", "aria-label": title }, life)));
  });
  if (!rows.length) rows.push(h("tr", {}, h("td", { colspan: 5, class: "note" }, "None.")));
  document.querySelector("#buffers tbody").replaceChildren(...rows);
  byId("more-buffers").hidden = chosen.length <= shownBuffers;
}
byId("buffer-filter").addEventListener("change", () => { shownBuffers = 25; drawBuffers(); });
byId("more-buffers").addEventListener("click", () => { shownBuffers += 100; drawBuffers(); });
byId("with-arguments").addEventListener("change", drawChart);

// Source and program. Rows are of one height, and drawn in blocks when they come into view.
const ROW = 20, BLOCK = 100;
const selection = { node: null, line: null };
const mostBytes = Math.max(1, ...data.kernels.map((kernel) => kernel.bytes));
const blocks = new Map();
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) drawBlock(entry.target);
}, { root: byId("program"), rootMargin: "600px" });

function heat(share, title) {
  const bar = h("div", {});
  bar.style.width = `${Math.max(6, 100 * share)}%`;
  return h("span", { class: "heat", title }, ...(share > 0 ? [bar] : []));
}

function drawBlock(block) {
  if (block.childElementCount) return;
  observer.unobserve(block);
  const [start, end] = blocks.get(block);
  for (let node = start; node < end; node += 1) block.append(row(node));
}
function row(node) {
  const name = data.names[node];
  const root = data.computations[computationOf[node]].root === node ? "ROOT " : "";
  const kernel = kernelOf.get(node);
  const location = locationText(node);
  const place = location ? h("a", { class: "loc", href: `#${lineOf(node)}`, title: `${data.files[data.file[node]].name}:${data.line[node]}` }, location) : h("span", { class: "loc" });
  const title = kernel && `${bytesText(kernel.bytes)}, ${kernel.flops === null ? "operations unknown" : `${countText(kernel.flops)} operations`}`;
  const text = h("a", { class: "text", href: `#i${node}` }, root, h("b", {}, name), data.lines[node].slice(name.length));
  const element = h("div", { class: "row", "data-node": node }, place, heat(kernel ? kernel.bytes / mostBytes : 0, title ?? ""), text);
  paint(element, node === selection.node, selection.line !== null && lineOf(node) === selection.line);
  return element;
}
function paint(element, isChosen, isLinked) {
  element.classList.toggle("chosen", isChosen);
  element.classList.toggle("linked", isLinked && !isChosen);
}

const computationDetails = [];
function drawProgram() {
  const order = data.computations.map((_, index) => index).sort((a, b) => data.computations[b].is_entry - data.computations[a].is_entry || b - a);
  for (const index of order) {
    const one = data.computations[index];
    const about = one.is_entry ? "entry" : one.caller === null ? "not called" : `called by ${data.names[one.caller]}`;
    const rows = h("div", { class: "rows" });
    const fill = () => {
      if (rows.childElementCount) return;
      for (let start = one.start; start < one.end; start += BLOCK) {
        const end = Math.min(one.end, start + BLOCK);
        const block = h("div");
        block.style.height = `${(end - start) * ROW}px`;
        blocks.set(block, [start, end]);
        rows.append(block);
        observer.observe(block);
      }
    };
    const details = h("details", { toggle: () => details.open && fill() }, h("summary", {}, one.name, h("span", { class: "note" }, `  ${plural(one.end - one.start, "instruction")}, ${about}`)), rows);
    computationDetails[index] = { details, rows, fill };
    byId("program").append(details);
    if (one.is_entry) { details.open = true; fill(); }
  }
}
/** The row of an instruction, drawn and in an open computation. */
function rowOf(node) {
  const index = computationOf[node];
  const { details, rows, fill } = computationDetails[index];
  details.open = true;
  fill();
  const offset = node - data.computations[index].start;
  const block = rows.children[Math.floor(offset / BLOCK)];
  drawBlock(block);
  return block.children[offset % BLOCK];
}

const sourceRows = new Map();
function drawSource() {
  const costOf = new Map();
  for (const kernel of data.kernels) {
    const key = lineOf(kernel.node);
    if (key) costOf.set(key, (costOf.get(key) ?? 0) + kernel.bytes);
  }
  const most = Math.max(1, ...costOf.values());
  const used = data.files.map(() => []);
  for (const key of nodesOfLine.keys()) {
    const [file, line] = key.slice(1).split("-").map(Number);
    used[file].push(line);
  }
  data.files.forEach((file, index) => {
    const shown = file.lines.length ? file.lines : used[index].sort((a, b) => a - b).map((line) => [line, ""]);
    const known = new Set(shown.map(([line]) => line));
    for (const line of used[index]) if (!known.has(line)) shown.push([line, ""]);
    shown.sort((a, b) => a[0] - b[0]);
    const lines = h("div", { class: "lines" });
    let previous = 0;
    for (const [line, text] of shown) {
      if (line > previous + 1 && previous) lines.append(h("div", { class: "gap" }, "⋯"));
      previous = line;
      const key = lineKey(index, line);
      const nodes = nodesOfLine.get(key);
      const number = nodes ? h("a", { class: "no", href: `#${key}`, title: plural(nodes.length, "instruction") }, `${line}`) : h("span", { class: "no" }, `${line}`);
      const bytes = costOf.get(key) ?? 0;
      const element = h("div", { class: nodes ? "line used" : "line" }, number, heat(bytes / most, bytes ? bytesText(bytes) : ""), h("span", { class: "text" }, text));
      sourceRows.set(key, element);
      lines.append(element);
    }
    const about = file.lines.length ? "" : "  not embedded: only the numbers of its lines are known";
    byId("source").append(h("details", { open: "" }, h("summary", {}, file.name, h("span", { class: "note" }, about)), lines));
  });
  if (!data.files.length) byId("source").append(h("p", { class: "note empty" }, "The program has no source lines."));
}

/** Scrolls within a pane, and leaves the page where it is. */
function reveal(pane, element) {
  for (let at = element.parentElement; at !== pane; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  const offset = element.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  if (offset < 40 || offset > pane.clientHeight - 40) pane.scrollTop += offset - pane.clientHeight / 3;
}

function listOf(nodes) {
  const items = nodes.slice(0, 200).map((node) => h("li", {}, instructionLink(node)));
  if (nodes.length > 200) items.push(h("li", { class: "note" }, `and ${nodes.length - 200} more`));
  return h("ul", { class: "links" }, ...items);
}

function about(rows) {
  return h("dl", {}, ...rows.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
function describe(node) {
  const kernel = kernelOf.get(node);
  const module = kernel && data.modules[kernel.module].join("/");
  const calls = data.called[node].map((index) => h("li", {}, h("a", { href: `#c${index}`, class: "code" }, data.computations[index].name)));
  const line = lineOf(node);
  byId("selected").replaceChildren(h("div", { class: "code" }, data.lines[node]), about([
    ["Source", line && h("a", { href: `#${line}` }, `${data.files[data.file[node]].name}:${data.line[node]}`)],
    ["Module", module],
    ["Cost", kernel && `${bytesText(kernel.bytes)} of memory traffic, ${kernel.flops === null ? "unknown operations" : plural(kernel.flops, "operation")}`],
    ["Computation", h("a", { href: `#c${computationOf[node]}`, class: "code" }, data.computations[computationOf[node]].name)],
    ["Calls", calls.length && h("ul", { class: "links" }, ...calls)],
    ["Operands", data.operands[node].length && listOf(data.operands[node])],
    ["Used by", users[node].length && listOf(users[node])],
  ]));
}
function describeLine(key) {
  const [file, line] = key.slice(1).split("-").map(Number);
  const nodes = nodesOfLine.get(key);
  byId("selected").replaceChildren(h("div", { class: "code" }, `${data.files[file].name}:${line}`), about([
    ["Source", sourceText.has(key) && h("code", { class: "code" }, sourceText.get(key).trim())],
    ["Instructions", listOf(nodes)],
  ]));
}

/** Follows the address: `#i3` is an instruction, `#l0-12` a line, `#c2` a computation. */
function follow() {
  const [, kind, number] = /^#([ilc])(.+)$/.exec(location.hash) ?? [];
  const index = Number(number);
  if (kind === "c" && computationDetails[index]) {
    const { details, fill } = computationDetails[index];
    details.open = true;
    fill();
    reveal(byId("program"), details.firstElementChild);
  } else if (kind === "i" && index < count) {
    selection.node = index;
    selection.line = lineOf(index);
    describe(index);
    reveal(byId("program"), rowOf(index));
    if (selection.line) reveal(byId("source"), sourceRows.get(selection.line));
  } else if (kind === "l" && nodesOfLine.has(`l${number}`)) {
    selection.node = null;
    selection.line = `l${number}`;
    describeLine(selection.line);
    reveal(byId("source"), sourceRows.get(selection.line));
    const nodes = nodesOfLine.get(selection.line);
    reveal(byId("program"), rowOf(nodes.find((node) => kernelOf.has(node)) ?? nodes[0]));
  } else return;
  for (const element of document.querySelectorAll(".row")) {
    const node = Number(element.dataset.node);
    paint(element, node === selection.node, selection.line !== null && lineOf(node) === selection.line);
  }
  for (const [key, element] of sourceRows) paint(element, key === selection.line, false);
}
// A link elsewhere on the page leads to the program; one within it does not move the page.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  if (link.getAttribute("href") === location.hash) follow();
  if (!link.closest(".panes, #selected")) byId("selected").scrollIntoView({ block: "start" });
});
window.addEventListener("hashchange", follow);

byId("find").addEventListener("input", (event) => {
  const wanted = event.target.value.trim().toLowerCase();
  const found = [];
  for (let node = 0; wanted && node < count && found.length <= 50; node += 1) {
    if (data.lines[node].toLowerCase().includes(wanted)) found.push(node);
  }
  const items = found.slice(0, 50).map((node) => h("li", {}, instructionLink(node)));
  if (found.length > 50) items.push(h("li", { class: "note" }, "and more"));
  if (wanted && !found.length) items.push(h("li", { class: "note" }, "No instruction has this text."));
  byId("found").hidden = !wanted;
  byId("found").replaceChildren(...items);
});

drawCosts();
if (steps) {
  drawChart();
  new ResizeObserver(drawChart).observe(byId("chart"));
} else byId("chart-text").textContent = "The program has no steps.";
drawBuffers();
drawSource();
drawProgram();
follow();
document.documentElement.dataset.ready = "true";
