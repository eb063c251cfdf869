// Cost: three trees with the same kernels.
let metric = data.kernels.some((kernel) => kernel.flops === null) ? "bytes" : "flops";
const valueText = (value) =>
  value === null ? "?" : metric === "bytes" ? bytesText(value) : countText(value);
const sum = (kernels) => kernels.reduce((total, kernel) => total + (kernel[metric] ?? 0), 0);

/** A tree of kernels: `pathOf` returns the labels from the root to the place of one. */
function makeTree(pathOf) {
  const root = { label: "", children: new Map(), own: [], all: [] };
  for (const kernel of data.kernels) {
    let at = root;
    root.all.push(kernel);
    for (const label of pathOf(kernel)) {
      if (!at.children.has(label))
        at.children.set(label, { label, children: new Map(), own: [], all: [] });
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
  const scale = {
    most: Math.max(1, ...children.map((child) => sum(child.all))),
    total: Math.max(1, sum(root.all)),
  };
  place.classList.add("tree");
  place.replaceChildren(...children.map((child) => branch(child, scale, `${place.id}/`)));
}
const sorted = (tree) => [...tree.children.values()].sort((a, b) => sum(b.all) - sum(a.all));

function meter(value, scale) {
  const fill = h("div", { class: "fill" });
  fill.style.width = `${100 * Math.min(1, (value ?? 0) / scale.most)}%`;
  const share = value === null ? "" : `${((100 * value) / scale.total).toFixed(1)}%`;
  return [
    h("div", { class: "track" }, ...(value ? [fill] : [])),
    h("span", { class: "number" }, valueText(value)),
    h("span", { class: "number share note" }, share),
  ];
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
    inside.append(
      ...sorted(tree).map((child) => branch(child, scale, key)),
      ...leaves(tree.own, scale),
    );
  };
  const toggled = (event) => {
    if (event.target.open) {
      opened.add(key);
      fill();
    } else opened.delete(key);
  };
  const title = `${label}: ${plural(tree.all.length, "kernel")}`;
  const details = h(
    "details",
    { toggle: toggled },
    h(
      "summary",
      { title },
      h("span", { class: "label" }, tree.shown ?? label),
      ...meter(sum(tree.all), scale),
    ),
    inside,
  );
  if (opened.has(key)) {
    details.open = true;
    fill();
  }
  return details;
}

function leaves(kernels, scale, from = 0) {
  if (from === 0) kernels = [...kernels].sort((a, b) => (b[metric] ?? 0) - (a[metric] ?? 0));
  const rows = kernels
    .slice(from, from + 100)
    .map((kernel) =>
      h(
        "div",
        { class: "leaf" },
        h("span", { class: "label" }, instructionLink(kernel.node)),
        ...meter(kernel[metric], scale),
      ),
    );
  if (kernels.length > from + 100) {
    const more = h(
      "button",
      { type: "button", click: () => more.replaceWith(...leaves(kernels, scale, from + 100)) },
      `${kernels.length - from - 100} more`,
    );
    rows.push(more);
  }
  return rows;
}

const trees = {
  // Fusions are named after their ops: `add_rsqrt_fusion.8`.
  "by-op": makeTree((kernel) => {
    const kind = data.kinds[kernel.kind];
    return kind.startsWith("fusion")
      ? [kind, data.names[kernel.node].replace(/(\.\d+)+$/, "")]
      : [kind];
  }),
  "by-module": makeTree((kernel) =>
    data.modules[kernel.module].length ? data.modules[kernel.module] : ["(no module)"],
  ),
  "by-line": makeTree((kernel) => {
    const { node } = kernel;
    if (data.file[node] < 0) return ["(no source line)"];
    const text = (sourceText.get(lineOf(node)) ?? "").trim();
    return [data.files[data.file[node]].name, `${data.line[node]}${text && `: ${text}`}`];
  }),
};
function drawCosts() {
  for (const [id, tree] of Object.entries(trees)) drawTree(byId(id), tree);
  for (const input of document.querySelectorAll("#metric input"))
    input.checked = input.value === metric;
}
for (const kind of trees["by-op"].children.values()) kind.joins = false;
for (const file of trees["by-line"].children.values()) {
  file.joins = false;
  file.shown = lastParts(file.label, 2);
}
for (const [id, tree] of Object.entries(trees)) openSome(byId(id), tree);
byId("metric").addEventListener("change", (event) => {
  metric = event.target.value;
  drawCosts();
});
byId("module-note").textContent = data.modules.every((path) => path.length === 0)
  ? "The program has no scopes, and its parameters have no paths."
  : data.are_scopes
    ? "The scopes of the ops."
    : "The modules of the weights that the instructions read, or lie between.";
