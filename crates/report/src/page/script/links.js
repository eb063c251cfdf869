/** Scrolls within a pane, and leaves the page where it is. */
function reveal(pane, element) {
  for (let at = element.parentElement; at !== pane; at = at.parentElement)
    if (at.tagName === "DETAILS") at.open = true;
  const offset = element.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  if (offset < 40 || offset > pane.clientHeight - 40)
    pane.scrollTop += offset - pane.clientHeight / 3;
}

function listOf(nodes) {
  const items = nodes.slice(0, 200).map((node) => h("li", {}, instructionLink(node)));
  if (nodes.length > 200) items.push(h("li", { class: "note" }, `and ${nodes.length - 200} more`));
  return h("ul", { class: "links" }, ...items);
}

function about(rows) {
  return h(
    "dl",
    {},
    ...rows
      .filter(([, value]) => value)
      .flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}
function describe(node) {
  const kernel = kernelOf.get(node);
  const module = kernel && data.modules[kernel.module].join("/");
  const calls = data.called[node].map((index) =>
    h("li", {}, h("a", { href: `#c${index}`, class: "code" }, data.computations[index].name)),
  );
  const line = lineOf(node);
  byId("selected").replaceChildren(
    h("div", { class: "code" }, data.lines[node]),
    about([
      [
        "Source",
        line &&
          h("a", { href: `#${line}` }, `${data.files[data.file[node]].name}:${data.line[node]}`),
      ],
      ["Module", module],
      [
        "Cost",
        kernel &&
          `${bytesText(kernel.bytes)} of memory traffic, ${kernel.flops === null ? "unknown operations" : plural(kernel.flops, "operation")}${kernel.times > 1 ? `, in ${plural(kernel.times, "iteration")}` : ""}`,
      ],
      [
        "Computation",
        h(
          "a",
          { href: `#c${computationOf[node]}`, class: "code" },
          data.computations[computationOf[node]].name,
        ),
      ],
      ["Calls", calls.length && h("ul", { class: "links" }, ...calls)],
      ["Operands", data.operands[node].length && listOf(data.operands[node])],
      ["Used by", users[node].length && listOf(users[node])],
    ]),
  );
}
function describeLine(key) {
  const [file, line] = key.slice(1).split("-").map(Number);
  const nodes = nodesOfLine.get(key);
  byId("selected").replaceChildren(
    h("div", { class: "code" }, `${data.files[file].name}:${line}`),
    about([
      ["Source", sourceText.has(key) && h("code", { class: "code" }, sourceText.get(key).trim())],
      ["Instructions", listOf(nodes)],
    ]),
  );
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
    paint(
      element,
      node === selection.node,
      selection.line !== null && lineOf(node) === selection.line,
    );
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
  if (wanted && !found.length)
    items.push(h("li", { class: "note" }, "No instruction has this text."));
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
