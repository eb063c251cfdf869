// Memory.
const { memory } = data;
const steps = memory.steps.length;
let cursor = memory.peak;
function drawChart() {
  const place = byId("chart");
  const [width, height, left, bottom, top] = [Math.max(280, place.clientWidth), 340, 70, 26, 18];
  const base = byId("with-arguments").checked ? memory.arguments + memory.constants : 0;
  const most = base + Math.max(1, memory.live[memory.peak] ?? 0);
  const [unit, scale, scaleName] = axis(most);
  const ceiling = Math.ceil(most / unit) * unit;
  const x = (step) => left + ((width - left - 8) * step) / Math.max(1, steps);
  const y = (bytes) => height - bottom - ((height - bottom - top) * bytes) / ceiling;
  const svg = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    tabindex: 0,
    role: "slider",
    "aria-label": "Memory over time: arrow keys move, Enter selects the instruction",
    "aria-valuemin": 0,
    "aria-valuemax": Math.max(0, steps - 1),
  });
  for (let bytes = 0; bytes <= ceiling; bytes += unit) {
    root.append(
      svg("line", { class: "grid", x1: left, x2: width - 8, y1: y(bytes), y2: y(bytes) }),
    );
    root.append(
      svg(
        "text",
        { x: left - 8, y: y(bytes) + 4, "text-anchor": "end" },
        `${bytes / scale} ${scaleName}`,
      ),
    );
  }
  // At most one value for each pixel: the largest of its steps.
  const each = Math.max(1, Math.ceil(steps / (width - left)));
  let path = `M${x(0)} ${y(base)}`;
  for (let step = 0; step < steps; step += each) {
    let live = 0;
    for (let one = step; one < Math.min(steps, step + each); one += 1)
      live = Math.max(live, memory.live[one]);
    path += `V${y(base + live).toFixed(1)}H${x(Math.min(steps, step + each)).toFixed(1)}`;
  }
  if (base)
    root.append(
      svg("rect", {
        class: "base",
        x: left,
        width: width - left - 8,
        y: y(base),
        height: y(0) - y(base),
      }),
    );
  root.append(svg("path", { class: "area", d: `${path}V${y(base)}Z` }));
  const middle = (step) => x(step + 0.5);
  root.append(
    svg("line", {
      class: "peak",
      x1: middle(memory.peak),
      x2: middle(memory.peak),
      y1: top,
      y2: height - bottom,
    }),
  );
  const isRight = middle(memory.peak) > width * 0.6;
  root.append(
    svg(
      "text",
      {
        class: "strong",
        x: middle(memory.peak) + (isRight ? -6 : 6),
        y: 13,
        "text-anchor": isRight ? "end" : "start",
      },
      `peak ${bytesText(most === base + 1 ? base : most)}`,
    ),
  );
  root.append(svg("text", { x: left, y: height - 7 }, "first step"));
  root.append(
    svg(
      "text",
      { x: width - 8, y: height - 7, "text-anchor": "end" },
      `step ${steps.toLocaleString("en")}`,
    ),
  );
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
    return Math.floor(((event.clientX - box.left - left) / (width - left - 8)) * steps);
  };
  const select = () => {
    location.hash = `i${memory.steps[cursor]}`;
  };
  root.addEventListener("pointermove", (event) => moveTo(stepAt(event)));
  root.addEventListener("click", (event) => {
    moveTo(stepAt(event));
    select();
  });
  root.addEventListener("keydown", (event) => {
    const moves = {
      ArrowLeft: -1,
      ArrowRight: 1,
      PageUp: -each * 20,
      PageDown: each * 20,
      Home: -steps,
      End: steps,
    };
    if (event.key === "Enter") select();
    else if (event.key in moves) {
      moveTo(cursor + moves[event.key]);
      event.preventDefault();
    }
  });
  place.replaceChildren(root);
  moveTo(cursor);
}
/** The step between the lines of an axis that ends at `most`, and the unit of its labels. */
function axis(most) {
  const power = Math.max(0, Math.floor(Math.log(most) / Math.log(1024)));
  const scale = 1024 ** power;
  const steps = [0.25, 0.5, 1, 2, 2.5, 5, 10, 20, 25, 50, 100, 200, 250, 500];
  const step = steps.find((one) => one * scale >= most / 5) ?? 500;
  return [step * scale, scale, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][power]];
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
    life.style.left = `${(100 * one.start) / steps}%`;
    life.style.width = `${(100 * (one.end - one.start + 1)) / steps}%`;
    const title = `steps ${one.start + 1} to ${one.end + 1}`;
    return h(
      "tr",
      {},
      h("td", { class: "code" }, instructionLink(one.node)),
      h("td", { class: "code", title: one.shape }, one.shape),
      h("td", { class: "number" }, bytesText(one.bytes)),
      h("td", {}, one.kind),
      h("td", {}, h("div", { class: "life", title, role: "img", "aria-label": title }, life)),
    );
  });
  if (!rows.length) rows.push(h("tr", {}, h("td", { colspan: 5, class: "note" }, "None.")));
  document.querySelector("#buffers tbody").replaceChildren(...rows);
  byId("more-buffers").hidden = chosen.length <= shownBuffers;
}
byId("buffer-filter").addEventListener("change", () => {
  shownBuffers = 25;
  drawBuffers();
});
byId("more-buffers").addEventListener("click", () => {
  shownBuffers += 100;
  drawBuffers();
});
byId("with-arguments").addEventListener("change", drawChart);
