// Source and program. Rows are of one height, and drawn in blocks when they come into view.
const ROW = 20,
  BLOCK = 100;
const selection = { node: null, line: null };
const mostBytes = Math.max(1, ...data.kernels.map((kernel) => kernel.bytes));
const blocks = new Map();
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) drawBlock(entry.target);
  },
  { root: byId("program"), rootMargin: "600px" },
);

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
  const place = location
    ? h(
        "a",
        {
          class: "loc",
          href: `#${lineOf(node)}`,
          title: `${data.files[data.file[node]].name}:${data.line[node]}`,
        },
        location,
      )
    : h("span", { class: "loc" });
  const title =
    kernel &&
    `${bytesText(kernel.bytes)}, ${kernel.flops === null ? "operations unknown" : `${countText(kernel.flops)} operations`}`;
  const text = h(
    "a",
    { class: "text", href: `#i${node}` },
    root,
    h("b", {}, name),
    data.lines[node].slice(name.length),
  );
  const element = h(
    "div",
    { class: "row", "data-node": node },
    place,
    heat(kernel ? kernel.bytes / mostBytes : 0, title ?? ""),
    text,
  );
  paint(
    element,
    node === selection.node,
    selection.line !== null && lineOf(node) === selection.line,
  );
  return element;
}
function paint(element, isChosen, isLinked) {
  element.classList.toggle("chosen", isChosen);
  element.classList.toggle("linked", isLinked && !isChosen);
}

const computationDetails = [];
function drawProgram() {
  const order = data.computations
    .map((_, index) => index)
    .sort((a, b) => data.computations[b].is_entry - data.computations[a].is_entry || b - a);
  for (const index of order) {
    const one = data.computations[index];
    const about = one.is_entry
      ? "entry"
      : one.caller === null
        ? "not called"
        : `called by ${data.names[one.caller]}`;
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
    const details = h(
      "details",
      { toggle: () => details.open && fill() },
      h(
        "summary",
        {},
        one.name,
        h("span", { class: "note" }, `  ${plural(one.end - one.start, "instruction")}, ${about}`),
      ),
      rows,
    );
    computationDetails[index] = { details, rows, fill };
    byId("program").append(details);
    if (one.is_entry) {
      details.open = true;
      fill();
    }
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
    const shown = file.lines.length
      ? file.lines
      : used[index].sort((a, b) => a - b).map((line) => [line, ""]);
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
      const number = nodes
        ? h(
            "a",
            { class: "no", href: `#${key}`, title: plural(nodes.length, "instruction") },
            `${line}`,
          )
        : h("span", { class: "no" }, `${line}`);
      const bytes = costOf.get(key) ?? 0;
      const element = h(
        "div",
        { class: nodes ? "line used" : "line" },
        number,
        heat(bytes / most, bytes ? bytesText(bytes) : ""),
        h("span", { class: "text" }, text),
      );
      sourceRows.set(key, element);
      lines.append(element);
    }
    const about = file.lines.length
      ? ""
      : "  not embedded: only the numbers of its lines are known";
    byId("source").append(
      h(
        "details",
        { open: "" },
        h("summary", {}, file.name, h("span", { class: "note" }, about)),
        lines,
      ),
    );
  });
  if (!data.files.length)
    byId("source").append(h("p", { class: "note empty" }, "The program has no source lines."));
}
