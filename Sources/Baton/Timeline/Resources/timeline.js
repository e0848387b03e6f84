// Draws a run on one canvas. All numbers of the page's data are nanoseconds since the run's first record. Text from
// journals is only ever drawn, or set as `textContent`.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);

  // ---- The data: columns of numbers in base 36, separated by spaces; sorted ones as differences.

  function numbers(text, isSorted) {
    const count = text === "" ? 0 : text.split(" ").length;
    const list = new Float64Array(count);
    let value = 0, sign = 1, place = 0, sum = 0;
    if (count === 0) return list;
    for (let i = 0; i <= text.length; i++) {
      const code = i < text.length ? text.charCodeAt(i) : 32;
      if (code === 32) {
        sum = isSorted ? sum + sign * value : sign * value;
        list[place++] = sum;
        value = 0;
        sign = 1;
      } else if (code === 45) sign = -1;
      else value = value * 36 + (code < 58 ? code - 48 : code - 87);
    }
    return list;
  }

  const columns = (table, ...sorted) => {
    const read = { count: 0 };
    for (const name of Object.keys(table)) {
      read[name] = typeof table[name] === "string" ? numbers(table[name], sorted.includes(name)) : table[name];
    }
    read.count = read[sorted[0]].length;
    return read;
  };
  const spans = columns(data.spans, "from");
  const arrows = columns(data.arrows, "from");
  const marks = columns(data.marks, "at");
  const records = columns(data.records, "at");
  const lanes = data.lanes;
  const total = Math.max(1, data.length);
  for (const table of [spans, arrows]) {
    table.to = table.from.map((from, i) => from + table.took[i]);
    // The furthest end so far: with it the first visible item is found by halving.
    table.reach = new Float64Array(table.count);
    let reach = -Infinity;
    for (let i = 0; i < table.count; i++) table.reach[i] = reach = Math.max(reach, table.to[i]);
  }

  // Read when they are needed: they are most of the page.
  let texts = null;
  const words = () => {
    // Until the page is whole, a part of them may be there.
    if (texts === null && document.readyState !== "loading") texts = JSON.parse($("texts").textContent);
    return texts || { sentences: [], raws: [], spans: [], arrows: [], marks: [] };
  };

  function firstAtLeast(list, value, count) {
    let low = 0, high = count === undefined ? list.length : count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  }

  $("heading").textContent = data.title;
  $("facts").textContent = data.facts;

  // ---- Words.

  const fixed = (number, digits) => number.toFixed(digits);
  const span = (ns) => ns < 1e9 ? `${fixed(Math.floor(ns / 1e3) / 1e3, 3)} ms` : `${fixed(Math.floor(ns / 1e6) / 1e3, 3)} s`;
  const clock = (ns) => `${fixed(ns / 1e9, 6)} s`;
  function wall(ns) {
    if (data.startWallMs === undefined) return "";
    return new Date(data.startWallMs + ns / 1e6).toISOString().replace("T", " ").replace("Z", " UTC");
  }

  // ---- The view.

  const canvas = $("canvas"), pen = canvas.getContext("2d");
  const margin = Math.max(total * 0.01, 1e5);
  const view = { from: -margin, to: total + margin };
  let width = 0, height = 0, ratio = 1, gutter = 118, top = 46, colours = {}, layout = [], drawn = null, picked = null;
  let hits = [], hit = -1, hovered = null, isWaiting = false;
  const hidden = new Set();

  const x = (t) => gutter + (t - view.from) / (view.to - view.from) * (width - gutter);
  const time = (px) => view.from + (px - gutter) / (width - gutter) * (view.to - view.from);

  function show(from, to) {
    const least = 2000, most = total + 2 * margin;
    let length = Math.min(Math.max(to - from, least), most);
    const middle = (from + to) / 2;
    view.from = Math.min(Math.max(middle - length / 2, -margin), total + margin - length);
    view.to = view.from + length;
    request();
    noteInLink();
  }
  const zoom = (factor, at) => show(at - (at - view.from) * factor, at + (view.to - at) * factor);
  const pan = (part) => show(view.from + (view.to - view.from) * part, view.to + (view.to - view.from) * part);
  /** Moves the view so that these instants are seen, and keeps its scale if it can. */
  function reveal(from, to) {
    const length = view.to - view.from;
    if (to - from > length * 0.8) return show(from - (to - from) * 0.25, to + (to - from) * 0.25);
    if (length > (to - from) * 40 && to > from) {
      const side = Math.max((to - from) * 1.5, 1e6);
      return show(from - side, to + side);
    }
    if (from < view.from + length * 0.08 || to > view.to - length * 0.08) {
      show((from + to) / 2 - length / 2, (from + to) / 2 + length / 2);
    } else request();
  }

  function request() {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => { isWaiting = false; draw(); });
  }

  function measure() {
    const box = $("stage").getBoundingClientRect();
    [width, height, ratio] = [box.width, box.height, window.devicePixelRatio || 1];
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const isNarrow = width < 620;
    gutter = isNarrow ? 0 : 118;
    const style = getComputedStyle(document.documentElement);
    for (const name of ["paper", "panel", "ink", "soft", "line", "lane", "app", "extension", "peer", "phone",
      "payment", "offered", "danger", "good", "life", "hit", "pick", "on"]) {
      colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    const needs = lanes.map((lane) => isWallet(lane) || lane.kind === "other" ? 62 : 34 + 14 * lane.rows);
    const free = height - top - 6 - needs.reduce((sum, one) => sum + one, 0) - (isNarrow ? 13 * lanes.length : 0);
    const extra = Math.min(84, Math.max(-16, free / Math.max(1, lanes.length)));
    let y = top;
    layout = lanes.map((lane, i) => {
      const tall = needs[i] + extra + (isNarrow ? 13 : 0), head = isNarrow ? 15 : 0;
      const place = { y, tall, head, marks: y + head + 11, bar: y + head + 20, thick: tall - head - 31 };
      place.middle = place.bar + place.thick / 2;
      y += tall;
      return place;
    });
    patterns = {};
    request();
  }
  const isWallet = (lane) => lane.kind === "app" || lane.kind === "extension";

  // ---- Patterns, so that no kind of span is told apart by its colour alone.

  let patterns = {};
  function pattern(name, colour) {
    const key = name + colour;
    if (patterns[key]) return patterns[key];
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const ink = tile.getContext("2d");
    ink.strokeStyle = ink.fillStyle = colour;
    ink.lineWidth = 1.6;
    ink.beginPath();
    if (name === "dots") { ink.arc(2, 2, 1.1, 0, 7); ink.arc(6, 6, 1.1, 0, 7); ink.fill(); }
    else if (name === "rising") { ink.moveTo(-2, 10); ink.lineTo(10, -2); ink.moveTo(-6, 6); ink.lineTo(6, -6); ink.moveTo(2, 14); ink.lineTo(14, 2); ink.stroke(); }
    else if (name === "falling") { ink.moveTo(-2, -2); ink.lineTo(10, 10); ink.moveTo(-6, 2); ink.lineTo(6, 14); ink.moveTo(2, -6); ink.lineTo(14, 6); ink.stroke(); }
    else { ink.moveTo(0, 4); ink.lineTo(8, 4); ink.moveTo(4, 0); ink.lineTo(4, 8); ink.stroke(); }
    return patterns[key] = pen.createPattern(tile, "repeat");
  }

  function spanLook(i) {
    const kind = data.spanKinds[spans.kind[i]], lane = lanes[spans.lane[i]];
    const own = lane.kind === "extension" ? colours.extension : colours.app;
    switch (kind) {
      case "life": return { fill: colours.life, edge: colours.line, inset: 0 };
      case "epoch": return { fill: own, alpha: spans.epoch[i] % 2 ? 1 : 0.86, text: colours.on, inset: 3, name: true };
      case "superseded": return { fill: pattern("rising", colours.danger), edge: colours.danger, inset: 3, thin: colours.danger };
      case "suspended": return { fill: pattern("falling", colours.soft), inset: 0, thin: colours.soft };
      case "frozen": return { fill: pattern("grid", colours.danger), edge: colours.danger, inset: 0, thin: colours.danger };
      case "silent": return { fill: pattern("dots", colours.danger), edge: colours.danger, inset: 6, thin: colours.danger };
      case "connection": return { fill: colours.peer, alpha: 0.85, text: colours.on, row: true, name: true };
      case "push": return { fill: colours.phone, alpha: 0.7, text: colours.on, row: true, name: true };
      case "asked": return { fill: colours.payment, alpha: 0.45, row: true };
      case "held": return { fill: pattern("rising", colours.payment), edge: colours.payment, row: true, thin: colours.payment };
      case "offered": return { fill: colours.offered, alpha: 0.9, text: colours.on, row: true, name: true };
      default: return { fill: colours.payment, alpha: 0.9, text: colours.on, row: true, name: true };
    }
  }
  const looks = (kind) => ({
    presence: { colour: colours.ink, dash: [5, 3], width: 1.2 }, wire: { colour: colours.soft, width: 0.8, alpha: 0.75 },
    push: { colour: colours.phone, width: 1.4 }, launch: { colour: colours.phone, dash: [2, 2], width: 1.2 },
    kill: { colour: colours.danger, width: 1.6 }, content: { colour: colours.phone, dash: [8, 3], width: 1.2 },
    payment: { colour: colours.payment, width: 1.6 }, takeover: { colour: colours.danger, width: 2.2 },
  })[kind];

  /** One mark, centred: shapes differ by kind. */
  function mark(kind, px, y) {
    const line = (colour, ...points) => {
      pen.strokeStyle = colour;
      pen.lineWidth = 2;
      pen.beginPath();
      points.forEach(([dx, dy, isStart]) => isStart ? pen.moveTo(px + dx, y + dy) : pen.lineTo(px + dx, y + dy));
      pen.stroke();
    };
    const shape = (colour, ...points) => {
      pen.fillStyle = colour;
      pen.beginPath();
      points.forEach(([dx, dy], i) => i ? pen.lineTo(px + dx, y + dy) : pen.moveTo(px + dx, y + dy));
      pen.fill();
    };
    const dot = (colour, radius) => { pen.fillStyle = colour; pen.beginPath(); pen.arc(px, y, radius, 0, 7); pen.fill(); };
    switch (kind) {
      case "kill": case "crash":
        line(colours.danger, [-5, -5, 1], [5, 5], [-5, 5, 1], [5, -5]);
        if (kind === "crash") { pen.beginPath(); pen.arc(px, y, 7, 0, 7); pen.stroke(); }
        break;
      case "start": shape(colours.soft, [-3, -5], [5, 0], [-3, 5]); break;
      case "end": shape(colours.soft, [-4, -4], [4, -4], [4, 4], [-4, 4]); break;
      case "claim": shape(colours.ink, [0, -6], [5, 4], [-5, 4]); break;
      case "release": shape(colours.ink, [0, 6], [5, -4], [-5, -4]); break;
      case "fenced": case "refused": line(colours.danger, [-5, 0, 1], [5, 0]); pen.beginPath(); pen.arc(px, y, 6, 0, 7); pen.stroke(); break;
      case "push": shape(colours.phone, [0, -6], [6, 0], [0, 6], [-6, 0]); break;
      case "notification": shape(colours.ink, [-6, -4], [6, -4], [6, 3], [-1, 3], [-4, 6], [-4, 3], [-6, 3]); break;
      case "user": dot(colours.ink, 3.5); break;
      case "received": dot(colours.payment, 4.5); break;
      case "settled": line(colours.good, [-5, 0, 1], [-1, 4], [6, -5]); break;
      case "failed": line(colours.danger, [-4, -4, 1], [4, 4], [-4, 4, 1], [4, -4]); break;
      case "fault": shape(colours.danger, [1, -7], [-4, 1], [0, 1], [-2, 7], [5, -2], [1, -2]); break;
      case "violation":
        shape(colours.danger, [0, -8], [8, 6], [-8, 6]);
        pen.fillStyle = colours.on;
        pen.fillRect(px - 1, y - 3, 2, 5);
        pen.fillRect(px - 1, y + 3, 2, 2);
        break;
    }
  }

  // ---- Drawing. What would cover the same pixel is drawn once.

  function draw() {
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, width, height);
    drawn = { spans: [], arrows: [], marks: [] };
    layout.forEach((place, i) => {
      pen.fillStyle = i % 2 ? colours.paper : colours.lane;
      pen.fillRect(0, place.y, width, place.tall);
      pen.fillStyle = colours.line;
      pen.fillRect(0, Math.round(place.y + place.tall) - 1, width, 1);
    });
    axis();
    pen.save();
    pen.beginPath();
    pen.rect(gutter, 0, width - gutter, height);
    pen.clip();
    drawSpans();
    drawBeats();
    drawArrows();
    drawMarks();
    drawFindings();
    drawHits();
    drawPicked();
    pen.restore();
    drawNames();
    overview();
    if (!document.documentElement.dataset.paintedMs) {
      document.documentElement.dataset.paintedMs = performance.now().toFixed(1);
    }
  }

  function step() {
    const rough = (view.to - view.from) / Math.max(2, (width - gutter) / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  }

  function axis() {
    const size = step(), isLate = Math.abs(view.to) >= 1e10;
    const unit = size >= 1e9 || isLate ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : [1e3, "µs"];
    const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(size / unit[0]) + 1e-9)));
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    for (let t = Math.ceil(view.from / size) * size; t <= view.to; t += size) {
      const px = Math.round(x(t));
      if (px < gutter) continue;
      pen.fillStyle = colours.line;
      pen.fillRect(px, top - 8, 1, height);
      pen.fillStyle = colours.soft;
      pen.fillText(`${(t / unit[0]).toFixed(digits)} ${unit[1]}`, px + 3, top - 4);
    }
  }

  function spanBox(i) {
    const place = layout[spans.lane[i]], look = spanLook(i);
    if (look.row) {
      const rows = Math.max(1, lanes[spans.lane[i]].rows), tall = place.thick / rows;
      return [place.bar + spans.row[i] * tall + 0.5, Math.max(3, tall - 2), look];
    }
    return [place.bar + look.inset, Math.max(3, place.thick - 2 * look.inset), look];
  }

  function drawSpans() {
    // Spans of less than two pixels are drawn as runs of such: thousands of them would be too slow one by one.
    const runs = new Map(), thin = [], end = firstAtLeast(spans.from, view.to), names = [];
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    for (let i = firstAtLeast(spans.reach, view.from); i < end; i++) {
      if (spans.to[i] < view.from) continue;
      let left = Math.max(x(spans.from[i]), gutter - 4), right = Math.min(x(spans.to[i]), width + 4);
      if (right - left < 1.5) {
        const key = (spans.lane[i] * 16 + spans.row[i]) * 16 + spans.kind[i], run = runs.get(key);
        const [y, tall] = spanBox(i);
        if (!run || left > run.right + 1) {
          const begun = { i, left, right: left + 1.5 };
          runs.set(key, begun);
          thin.push(begun);
        } else if (left < run.right - 0.5) continue;
        else run.right = left + 1.5;
        drawn.spans.push([i, left, left + 1.5, y, tall]);
        continue;
      }
      const [y, tall, look] = spanBox(i);
      // A pattern is not seen in a few pixels, and costs more than a colour.
      const isThin = look.thin && right - left < 6;
      pen.globalAlpha = isThin ? 0.55 : look.alpha || 1;
      pen.fillStyle = isThin ? look.thin : look.fill;
      pen.fillRect(left, y, right - left, tall);
      pen.globalAlpha = 1;
      if (look.edge && right - left > 6) {
        pen.strokeStyle = look.edge;
        pen.lineWidth = 1;
        pen.strokeRect(left + 0.5, y + 0.5, right - left - 1, tall - 1);
      }
      if (look.name && right - left > 16 && tall > 10) {
        const kind = data.spanKinds[spans.kind[i]];
        const full = kind === "epoch" ? `epoch ${spans.epoch[i]}` : (words().spans[i] || "").split(":")[0];
        const room = right - Math.max(left, gutter) - 8, number = /\d+$/.exec(full);
        const text = pen.measureText(full).width > room && number ? fit(number[0], room) : fit(full, room);
        if (text) names.push([text, look.text, Math.max(left, gutter) + 4, y + tall / 2 + 0.5]);
      }
      drawn.spans.push([i, left, right, y, tall]);
    }
    thin.sort((a, b) => spans.kind[a.i] - spans.kind[b.i]);
    for (const { i, left, right } of thin) {
      const [y, tall, look] = spanBox(i);
      pen.globalAlpha = look.thin ? 0.55 : look.alpha || 1;
      pen.fillStyle = look.thin || look.fill;
      pen.fillRect(left, y, right - left, tall);
    }
    pen.globalAlpha = 1;
    for (const [text, colour, px, y] of names) {
      pen.fillStyle = colour;
      pen.fillText(text, px, y);
    }
  }
  function fit(text, room) {
    if (pen.measureText(text).width <= room) return text;
    for (let n = Math.min(text.length - 1, Math.floor(room / 4)); n > 2; n--) {
      const cut = text.slice(0, n) + "…";
      if (pen.measureText(cut).width <= room) return cut;
    }
    return "";
  }

  const beatKind = data.markKinds.indexOf("beat");
  function drawBeats() {
    if (hidden.has("beat")) return;
    const seen = new Float64Array(lanes.length).fill(NaN), end = firstAtLeast(marks.at, view.to);
    pen.fillStyle = colours.ink;
    for (let i = firstAtLeast(marks.at, view.from); i < end; i++) {
      if (marks.kind[i] !== beatKind) continue;
      const pixel = Math.round(x(marks.at[i])), lane = marks.lane[i];
      if (pixel < seen[lane] + 3) continue;
      seen[lane] = pixel;
      const place = layout[lane];
      pen.fillRect(pixel - 0.75, place.bar + place.thick + 2, 1.5, 6);
      drawn.marks.push([i, pixel, place.bar + place.thick + 5]);
    }
  }

  function drawMarks() {
    const seen = new Float64Array(lanes.length * 64).fill(NaN), end = firstAtLeast(marks.at, view.to);
    const first = firstAtLeast(marks.at, view.from), size = end - first > 3000 ? 9 : 3;
    for (let i = first; i < end; i++) {
      const kind = marks.kind[i];
      if (kind === beatKind) continue;
      const px = x(marks.at[i]), key = marks.lane[i] * 64 + kind, pixel = Math.round(px / size);
      if (seen[key] === pixel) continue;
      seen[key] = pixel;
      const y = layout[marks.lane[i]].marks;
      mark(data.markKinds[kind], px, y);
      drawn.marks.push([i, px, y]);
    }
  }

  function arrowEnds(i) {
    const from = layout[arrows.fromLane[i]], to = layout[arrows.toLane[i]], isDown = to.y > from.y;
    const edge = (place, isUpper) => isUpper ? place.bar + place.thick - 2 : place.bar + 2;
    if (from === to) return [from.bar + 3, to.bar + 3];
    return [edge(from, isDown), edge(to, !isDown)];
  }

  function drawArrows() {
    const end = firstAtLeast(arrows.from, view.to), first = firstAtLeast(arrows.reach, view.from);
    const size = end - first > 1500 ? 4 : 1, pairs = lanes.length * lanes.length, lists = data.arrowKinds.map(() => []);
    const isHidden = data.arrowKinds.map((kind) => hidden.has(kind));
    const seen = new Float64Array(data.arrowKinds.length * pairs).fill(NaN);
    for (let i = first; i < end; i++) {
      const kind = arrows.kind[i];
      if (arrows.to[i] < view.from || isHidden[kind]) continue;
      const left = x(arrows.from[i]), right = x(arrows.to[i]);
      const key = kind * pairs + arrows.fromLane[i] * lanes.length + arrows.toLane[i];
      // An arrow between the same two columns is drawn already. Long lines cost most, and dashes more.
      const column = Math.round(left / size);
      const pixel = right - left < 3 ? column : column + Math.round(right / size) * 1e5;
      if (seen[key] === pixel) continue;
      seen[key] = pixel;
      lists[kind].push([i, left, right]);
    }
    lists.forEach((list, kind) => {
      if (list.length === 0) return;
      const look = looks(data.arrowKinds[kind]), hasHeads = list.length < 300;
      pen.strokeStyle = pen.fillStyle = look.colour;
      pen.lineWidth = look.width;
      pen.globalAlpha = (look.alpha || 1) * (list.length > 150 ? 0.45 : 1);
      pen.setLineDash(list.length < 100 && look.dash || []);
      pen.beginPath();
      for (const [i, left, right] of list) {
        const [y1, y2] = arrowEnds(i);
        pen.moveTo(left, y1);
        pen.lineTo(right, y2);
        drawn.arrows.push([i, left, y1, right, y2]);
      }
      pen.stroke();
      pen.setLineDash([]);
      if (hasHeads) {
        pen.beginPath();
        for (const [i, left, right] of list) {
          const [y1, y2] = arrowEnds(i);
          head(left, y1, right, y2, 4 + look.width * 1.5);
        }
        pen.fill();
      }
      pen.globalAlpha = 1;
    });
  }
  function head(x1, y1, x2, y2, size) {
    const angle = Math.atan2(y2 - y1, x2 - x1);
    pen.moveTo(x2, y2);
    pen.lineTo(x2 - size * Math.cos(angle - 0.42), y2 - size * Math.sin(angle - 0.42));
    pen.lineTo(x2 - size * Math.cos(angle + 0.42), y2 - size * Math.sin(angle + 0.42));
  }

  function drawFindings() {
    for (const finding of data.findings) {
      if (finding.at === undefined || finding.at < view.from || finding.at > view.to) continue;
      const px = Math.round(x(finding.at));
      pen.fillStyle = colours.danger;
      pen.globalAlpha = 0.7;
      pen.fillRect(px - 1, top, 2, height - top);
      pen.globalAlpha = 1;
      mark("violation", px, top + 7);
    }
  }

  function drawHits() {
    if (hits.length === 0) return;
    pen.fillStyle = colours.hit;
    let last = -1;
    for (const one of hits) {
      const at = itemTimes(one)[0], px = Math.round(x(at));
      if (px === last || at < view.from || at > view.to) continue;
      last = px;
      pen.globalAlpha = hits.length > 40 ? 0 : 0.55;
      pen.fillRect(px, top, 1, height - top);
      pen.globalAlpha = 1;
      pen.beginPath();
      pen.moveTo(px - 5, top - 1);
      pen.lineTo(px + 6, top - 1);
      pen.lineTo(px + 0.5, top + 6);
      pen.fill();
    }
  }

  function drawPicked() {
    if (!picked) return;
    pen.strokeStyle = pen.fillStyle = colours.pick;
    pen.lineWidth = 2;
    const i = picked.i;
    if (picked.type === "span") {
      const [y, tall] = spanBox(i);
      pen.strokeRect(x(spans.from[i]) - 2, y - 2, Math.max(4, x(spans.to[i]) - x(spans.from[i]) + 4), tall + 4);
    } else if (picked.type === "arrow") {
      const [y1, y2] = arrowEnds(i), left = x(arrows.from[i]), right = x(arrows.to[i]);
      pen.lineWidth = 3.5;
      pen.beginPath();
      pen.moveTo(left, y1);
      pen.lineTo(right, y2);
      pen.stroke();
      pen.beginPath();
      head(left, y1, right, y2, 12);
      pen.fill();
      pen.beginPath();
      pen.arc(left, y1, 4, 0, 7);
      pen.fill();
    } else {
      const at = itemTimes(picked)[0], lane = picked.type === "mark" ? marks.lane[i] : records.lane[i];
      const place = layout[lane], isBeat = picked.type === "mark" && marks.kind[i] === beatKind;
      pen.globalAlpha = 0.8;
      pen.fillRect(Math.round(x(at)), place.y, 1, place.tall);
      pen.globalAlpha = 1;
      pen.beginPath();
      pen.arc(x(at), isBeat ? place.bar + place.thick + 5 : place.marks, 9, 0, 7);
      pen.stroke();
    }
  }

  function drawNames() {
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    layout.forEach((place, i) => {
      const lane = lanes[i];
      const colour = colours[{ payments: "payment", peer: "peer", phone: "phone", app: "app", extension: "extension" }[lane.kind]] || colours.soft;
      if (gutter) {
        pen.fillStyle = colours.panel;
        pen.fillRect(0, place.y, gutter, place.tall - 1);
        pen.fillStyle = colour;
        pen.fillRect(0, place.y, 4, place.tall - 1);
      }
      pen.fillStyle = gutter ? colours.ink : colour;
      pen.font = "600 12px system-ui, sans-serif";
      pen.fillText(lane.name, gutter ? 12 : 6, gutter ? place.middle - (place.tall > 44 ? 7 : 0) : place.y + 10);
      if (gutter && place.tall > 44) {
        pen.font = "11px system-ui, sans-serif";
        pen.fillStyle = colours.soft;
        pen.fillText(laneWords[lane.kind], 12, place.middle + 8);
      }
    });
    if (gutter) {
      pen.fillStyle = colours.paper;
      pen.fillRect(0, 0, gutter, top);
      pen.fillStyle = colours.line;
      pen.fillRect(gutter - 1, 0, 1, height);
    }
  }
  const laneWords = {
    payments: "sender to settled", peer: "Lightning peer", phone: "emulated iOS", app: "app",
    extension: "extension", other: "process", events: "simulated",
  };

  // ---- The strip above: the whole run, and which part of it is seen.

  let strip = null;
  function overview() {
    const left = gutter, room = width - gutter, tall = 22;
    const key = `${room} ${ratio} ${colours.app} ${hits.length} ${hit}`;
    if (!strip || strip.key !== key) {
      const image = document.createElement("canvas");
      image.width = Math.max(1, Math.round(room * ratio));
      image.height = Math.round(tall * ratio);
      const ink = image.getContext("2d");
      ink.scale(ratio, ratio);
      ink.fillStyle = colours.panel;
      ink.fillRect(0, 0, room, tall);
      const at = (t) => (t + margin) / (total + 2 * margin) * room;
      const density = new Float64Array(Math.ceil(room) + 1);
      for (let i = 0; i < records.count; i++) density[Math.floor(at(records.at[i]))] += 1;
      const most = density.reduce((a, b) => Math.max(a, b), 1);
      ink.fillStyle = colours.line;
      density.forEach((n, px) => { if (n) ink.fillRect(px, tall - 2 - (tall - 6) * Math.sqrt(n / most), 1, tall); });
      for (let i = 0; i < spans.count; i++) {
        if (data.spanKinds[spans.kind[i]] !== "epoch") continue;
        const isApp = lanes[spans.lane[i]].kind === "app";
        ink.fillStyle = isApp ? colours.app : colours.extension;
        ink.fillRect(at(spans.from[i]), isApp ? 3 : 9, Math.max(1, at(spans.to[i]) - at(spans.from[i])), 5);
      }
      ink.fillStyle = colours.hit;
      for (const one of hits) ink.fillRect(at(itemTimes(one)[0]), 0, 1.5, tall);
      ink.fillStyle = colours.danger;
      for (const one of data.findings) if (one.at !== undefined) ink.fillRect(at(one.at) - 1, 0, 3, tall);
      strip = { key, image, at };
    }
    pen.drawImage(strip.image, left, 2, room, tall);
    const from = left + strip.at(view.from), to = left + strip.at(view.to);
    pen.fillStyle = colours.soft;
    pen.globalAlpha = 0.18;
    pen.fillRect(left, 2, Math.max(0, from - left), tall);
    pen.fillRect(to, 2, Math.max(0, width - to), tall);
    pen.globalAlpha = 1;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1;
    pen.strokeRect(from + 0.5, 2.5, Math.max(3, to - from - 1), tall - 1);
  }

  // ---- What is under the pointer.

  function itemTimes(item) {
    const i = item.i;
    if (item.type === "span") return [spans.from[i], spans.to[i]];
    if (item.type === "arrow") return [arrows.from[i], arrows.to[i]];
    return item.type === "mark" ? [marks.at[i], marks.at[i]] : [records.at[i], records.at[i]];
  }
  function itemRecord(item) {
    const i = item.i;
    return item.type === "span" ? spans.record[i] : item.type === "arrow" ? arrows.toRecord[i]
      : item.type === "mark" ? marks.record[i] : i;
  }
  function itemWords(item) {
    const read = words(), i = item.i;
    return item.type === "record" ? read.sentences[i] : read[`${item.type}s`][i];
  }

  function under(px, y) {
    if (!drawn || y < top) return null;
    let best = null, nearest = 9;
    for (const [i, mx, my] of drawn.marks) {
      const distance = Math.hypot(mx - px, my - y);
      if (distance <= nearest) [nearest, best] = [distance, { type: "mark", i }];
    }
    if (best) return best;
    nearest = 5;
    for (const [i, x1, y1, x2, y2] of drawn.arrows) {
      const distance = toSegment(px, y, x1, y1, x2, y2) - (arrows.kind[i] === takeoverKind ? 3 : 0);
      if (distance <= nearest) [nearest, best] = [distance, { type: "arrow", i }];
    }
    if (best) return best;
    for (let n = drawn.spans.length - 1; n >= 0; n--) {
      const [i, left, right, sy, tall] = drawn.spans[n];
      if (px >= left - 1 && px <= right + 1 && y >= sy && y <= sy + tall) return { type: "span", i };
    }
    return nearestRecord(px, y);
  }
  const takeoverKind = data.arrowKinds.indexOf("takeover");
  function toSegment(px, py, x1, y1, x2, y2) {
    const dx = x2 - x1, dy = y2 - y1, length = dx * dx + dy * dy;
    const part = length === 0 ? 0 : Math.max(0, Math.min(1, ((px - x1) * dx + (py - y1) * dy) / length));
    return Math.hypot(px - x1 - part * dx, py - y1 - part * dy);
  }
  function nearestRecord(px, y) {
    const lane = layout.findIndex((place) => y >= place.y && y < place.y + place.tall);
    if (lane < 0) return null;
    const middle = firstAtLeast(records.at, time(px));
    let best = null, nearest = 8;
    for (let i = Math.max(0, middle - 400); i < Math.min(records.count, middle + 400); i++) {
      const distance = Math.abs(x(records.at[i]) - px);
      if (records.lane[i] === lane && distance < nearest) [nearest, best] = [distance, { type: "record", i }];
    }
    return best;
  }

  function tip(item, px, y) {
    const box = $("tip");
    box.hidden = !item;
    if (!item) return;
    const [from, to] = itemTimes(item), record = itemRecord(item);
    box.textContent = "";
    add(box, "b", itemWords(item) || "");
    add(box, "div", to > from ? `${clock(from)} to ${clock(to)}: ${span(to - from)}` : clock(from), "soft");
    if (item.type !== "record" && words().sentences[record]) add(box, "div", words().sentences[record]);
    add(box, "div", place(record), "soft");
    const right = px + 14 + box.offsetWidth > width, low = y + 16 + box.offsetHeight > height;
    box.style.left = `${Math.max(4, right ? px - box.offsetWidth - 10 : px + 14)}px`;
    box.style.top = `${Math.max(4, low ? y - box.offsetHeight - 10 : y + 16)}px`;
  }
  function add(parent, tag, text, style) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (style) made.className = style;
    parent.append(made);
    return made;
  }
  function place(record) {
    const file = data.files[records.file[record]];
    return file ? `${file} line ${records.line[record]}` : "";
  }

  // ---- The panel.

  let joined = null;
  /** The arrows that begin or end at a record. */
  function arrowsOf(record) {
    if (!joined) {
      joined = new Map();
      const note = (key, i) => { if (!joined.has(key)) joined.set(key, []); joined.get(key).push(i); };
      for (let i = 0; i < arrows.count; i++) {
        note(arrows.fromRecord[i], i);
        if (arrows.toRecord[i] !== arrows.fromRecord[i]) note(arrows.toRecord[i], i);
      }
    }
    return joined.get(record) || [];
  }

  function pick(item, isRevealing) {
    picked = item;
    panel();
    if (item && isRevealing) reveal(...itemTimes(item)); else request();
    noteInLink();
  }

  function panel() {
    const box = $("picked");
    box.textContent = "";
    $("around").textContent = "";
    if (!picked) {
      add(box, "p", "Point at anything for its journal line, click to keep it here. Drag to move, turn the wheel or pinch to zoom; the arrow keys, + and − do the same.", "soft");
      return;
    }
    const [from, to] = itemTimes(picked), record = itemRecord(picked);
    const title = add(box, "h2", itemWords(picked) || "");
    title.id = "title";
    const lane = picked.type === "arrow" ? `${lanes[arrows.fromLane[picked.i]].name} → ${lanes[arrows.toLane[picked.i]].name}`
      : lanes[(picked.type === "span" ? spans : picked.type === "mark" ? marks : records).lane[picked.i]].name;
    add(box, "p", to > from ? `${lane}, ${clock(from)} to ${clock(to)}` : `${lane}, ${clock(from)}`, "soft");
    if (to > from) { const took = add(box, "p", `takes ${span(to - from)}`); took.id = "took"; }
    if (wall(from)) add(box, "p", wall(from), "soft");
    const ways = add(box, "div", "", "ways");
    const way = (text, item) => {
      const button = add(ways, "button", text);
      button.addEventListener("click", () => pick(item, true));
      return button;
    };
    if (picked.type === "arrow") {
      way(`from: ${words().sentences[arrows.fromRecord[picked.i]] || "its beginning"}`, { type: "record", i: arrows.fromRecord[picked.i] });
      way(`to: ${words().sentences[arrows.toRecord[picked.i]] || "its end"}`, { type: "record", i: arrows.toRecord[picked.i] });
    }
    for (const i of arrowsOf(record)) {
      if (picked.type === "arrow" && picked.i === i) continue;
      const isOut = arrows.fromRecord[i] === record;
      way(`${isOut ? "→" : "←"} ${words().arrows[i]}`, { type: "arrow", i }).dataset.way = data.arrowKinds[arrows.kind[i]];
    }
    const raw = words().raws[record];
    const shown = add(box, "p", "");
    if (picked.type !== "record") add(shown, "span", words().sentences[record] || "");
    if (place(record)) add(box, "p", place(record), "soft");
    if (raw) add(box, "pre", raw);
    const link = add(box, "a", "link to this moment");
    link.href = fragment();
    around(record);
  }

  function around(record) {
    const list = $("around");
    let count = 0, first = record;
    while (first > 0 && count < 8) { first--; if (records.weight[first] > 0) count++; }
    count = 0;
    for (let i = first; i < records.count && count < 10; i++) {
      if (records.weight[i] === 0 && i !== record) continue;
      if (i > record) count++;
      const line = document.createElement("li"), button = add(line, "button", "");
      const when = document.createElement("time");
      when.textContent = fixed(records.at[i] / 1e9, 3);
      button.append(when, `${lanes[records.lane[i]].name}: ${words().sentences[i]}`);
      if (i === record) button.className = "here";
      button.addEventListener("click", () => pick({ type: "record", i }, true));
      list.append(line);
    }
  }

  // ---- Search.

  function search(text) {
    const wanted = text.trim().toLowerCase();
    hits = [];
    hit = -1;
    if (wanted !== "") {
      const read = words();
      const look = (list, type) => list.forEach((one, i) => {
        if (one.toLowerCase().includes(wanted)) hits.push({ type, i });
      });
      look(read.sentences, "record");
      look(read.marks, "mark");
      look(read.arrows, "arrow");
      // What comes behind is how it ended.
      look(read.spans.map((label) => label.split(/[;:]/)[0]), "span");
      // A mark says more than its record.
      const marked = new Set(hits.filter((one) => one.type !== "record").map(itemRecord));
      hits = hits.filter((one) => one.type !== "record" || !marked.has(one.i));
      const order = { mark: 0, arrow: 1, span: 2, record: 3 };
      hits.sort((a, b) => itemTimes(a)[0] - itemTimes(b)[0] || order[a.type] - order[b.type]);
    }
    tell();
    request();
  }
  function tell() {
    const isOpen = $("search").value.trim() !== "";
    $("count").textContent = !isOpen ? "" : hits.length === 0 ? "no hit" : `${hit + 1} of ${hits.length}`;
  }
  function nextHit(by) {
    if (hits.length === 0) return;
    if (hit < 0) {
      const seen = hits.findIndex((one) => itemTimes(one)[0] >= view.from);
      hit = by > 0 ? Math.max(0, seen) : hits.length - 1;
    } else hit = (hit + by + hits.length) % hits.length;
    tell();
    pick(hits[hit], true);
  }

  // ---- Links.

  let linkTimer = 0;
  function fragment() {
    const part = `#from=${Math.round(view.from)}&to=${Math.round(view.to)}`;
    return picked ? `${part}&pick=${picked.type}.${picked.i}` : part;
  }
  function noteInLink() {
    clearTimeout(linkTimer);
    linkTimer = setTimeout(() => history.replaceState(null, "", fragment()), 250);
  }
  function follow() {
    const said = new URLSearchParams(location.hash.slice(1));
    const number = (name) => said.has(name) && Number.isFinite(Number(said.get(name))) ? Number(said.get(name)) : null;
    const finding = number("finding") === null ? null : data.findings[number("finding") - 1];
    if (finding && finding.at !== undefined) return goTo(finding);
    if (number("at") !== null) {
      const at = number("at") * 1e9;
      return show(at - 5e8, at + 5e8);
    }
    if (number("from") !== null && number("to") !== null) show(number("from"), number("to"));
    const [type, place] = (said.get("pick") || "").split(".");
    const table = { span: spans, arrow: arrows, mark: marks, record: records }[type];
    if (table && Number.isInteger(Number(place)) && Number(place) >= 0 && Number(place) < table.count) {
      pick({ type, i: Number(place) }, false);
    }
  }

  // ---- Findings and legend.

  function goTo(finding) {
    show(finding.at - total * 0.02 - 5e7, finding.at + total * 0.02 + 5e7);
    pick({ type: "record", i: finding.record }, true);
  }
  function listFindings() {
    const list = $("findings");
    data.findings.forEach((finding, i) => {
      const line = document.createElement("li"), button = add(line, "button", "");
      add(button, "span", `${i + 1}. ${finding.title.replace(/\.$/, "")}: `, "bad");
      button.append(finding.sentence);
      if (finding.at === undefined) button.disabled = true;
      else button.addEventListener("click", () => goTo(finding));
      list.append(line);
    });
    for (const remark of data.remarks) add(list, "li", remark, "soft");
    const jump = $("violations");
    if (data.findings.length > 0) {
      jump.hidden = false;
      jump.className = "bad";
      jump.textContent = data.findings.length === 1 ? "⚠ 1 violation" : `⚠ ${data.findings.length} violations`;
      let next = 0;
      jump.addEventListener("click", () => {
        const placed = data.findings.filter((one) => one.at !== undefined);
        if (placed.length > 0) goTo(placed[next++ % placed.length]);
      });
    }
  }
  const legendWords = {
    wire: "messages", presence: "presence", push: "pushes", launch: "starts", kill: "kills", content: "texts",
    payment: "payments", takeover: "takeovers", beat: "beats",
  };
  const spanWords = {
    suspended: "suspended", frozen: "frozen", silent: "no beats", superseded: "superseded", held: "payment held",
  };
  function legend() {
    const box = $("legend");
    box.textContent = "";
    const present = new Set();
    for (let i = 0; i < arrows.count; i++) present.add(data.arrowKinds[arrows.kind[i]]);
    if (marks.kind.includes(beatKind)) present.add("beat");
    for (const kind of Object.keys(legendWords)) {
      if (!present.has(kind)) continue;
      const button = document.createElement("button"), sample = document.createElement("canvas");
      [sample.width, sample.height] = [44, 28];
      const ink = sample.getContext("2d"), look = kind === "beat" ? { colour: colours.ink, width: 1.5 } : looks(kind);
      ink.scale(2, 2);
      ink.strokeStyle = ink.fillStyle = look.colour;
      ink.lineWidth = look.width;
      ink.setLineDash(look.dash || []);
      ink.beginPath();
      if (kind === "beat") for (const px of [4, 11, 18]) { ink.moveTo(px, 3); ink.lineTo(px, 11); }
      else { ink.moveTo(1, 7); ink.lineTo(16, 7); }
      ink.stroke();
      if (kind !== "beat") { ink.beginPath(); ink.moveTo(21, 7); ink.lineTo(14, 3.5); ink.lineTo(14, 10.5); ink.fill(); }
      button.append(sample, legendWords[kind]);
      button.setAttribute("aria-pressed", String(!hidden.has(kind)));
      button.addEventListener("click", () => {
        if (hidden.has(kind)) hidden.delete(kind); else hidden.add(kind);
        button.setAttribute("aria-pressed", String(!hidden.has(kind)));
        request();
      });
      box.append(button);
    }
    for (const kind of Object.keys(spanWords)) {
      const first = spans.kind.indexOf(data.spanKinds.indexOf(kind));
      if (first < 0) continue;
      const item = add(box, "span", "", "sample"), sample = add(item, "canvas", ""), look = spanLook(first);
      [sample.width, sample.height] = [22, 14];
      const ink = sample.getContext("2d");
      [ink.fillStyle, ink.strokeStyle] = [look.fill, look.edge || look.thin];
      ink.fillRect(0, 0, 22, 14);
      ink.strokeRect(0.5, 0.5, 21, 13);
      item.append(spanWords[kind]);
    }
  }

  // ---- Input.

  const pointers = new Map();
  let moved = 0, isInStrip = false;
  const local = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  function toStrip(px) {
    const middle = (px - gutter) / (width - gutter) * (total + 2 * margin) - margin, half = (view.to - view.from) / 2;
    show(middle - half, middle + half);
  }
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const [px, y] = local(event);
    pointers.set(event.pointerId, [px, y]);
    moved = 0;
    isInStrip = y < 26;
    if (isInStrip) toStrip(px);
    tip(null);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [px, y] = local(event), before = pointers.get(event.pointerId);
    if (!before) {
      hovered = under(px, y);
      return tip(hovered, px, y);
    }
    moved += Math.abs(px - before[0]) + Math.abs(y - before[1]);
    if (isInStrip) toStrip(px);
    else if (pointers.size === 1) {
      const by = (before[0] - px) / (width - gutter) * (view.to - view.from);
      show(view.from + by, view.to + by);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const old = Math.max(20, Math.abs(before[0] - other[0])), now = Math.max(20, Math.abs(px - other[0]));
      zoom(old / now, time((px + other[0]) / 2));
    }
    pointers.set(event.pointerId, [px, y]);
  });
  const lift = (event) => {
    const [px, y] = local(event);
    if (pointers.delete(event.pointerId) && moved < 5 && !isInStrip && event.type === "pointerup") pick(under(px, y), false);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => tip(null));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    tip(null);
    const [px] = local(event), scale = event.deltaMode === 1 ? 16 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      return pan((event.deltaX || event.deltaY) * scale / (width - gutter));
    }
    zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY * scale)) * 0.0025), time(Math.max(gutter, px)));
  }, { passive: false });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target === $("search"), middle = (view.from + view.to) / 2;
    if (isTyping) {
      if (event.key === "Enter") { event.preventDefault(); nextHit(event.shiftKey ? -1 : 1); }
      if (event.key === "Escape") { $("search").value = ""; search(""); canvas.focus(); }
      return;
    }
    const keys = {
      ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), ArrowUp: () => zoom(0.7, middle),
      ArrowDown: () => zoom(1 / 0.7, middle), "+": () => zoom(0.5, middle), "=": () => zoom(0.5, middle),
      "-": () => zoom(2, middle), Home: () => show(-margin, total + margin), n: () => nextHit(1),
      N: () => nextHit(-1), "/": () => $("search").focus(), Escape: () => pick(null, false),
    };
    if (!keys[event.key] || (event.target.closest("aside") && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    keys[event.key]();
  });
  $("search").addEventListener("input", () => search($("search").value));
  $("nearer").addEventListener("click", () => zoom(0.5, (view.from + view.to) / 2));
  $("farther").addEventListener("click", () => zoom(2, (view.from + view.to) / 2));
  $("all").addEventListener("click", () => show(-margin, total + margin));
  addEventListener("hashchange", follow);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { strip = null; measure(); legend(); });
  new ResizeObserver(measure).observe($("stage"));

  measure();
  draw();
  addEventListener("DOMContentLoaded", () => {
    legend();
    listFindings();
    panel();
    follow();
    request();
  });
  // For the console, and for tests.
  window.timeline = {
    view, show, draw, search, nextHit, pick, itemWords, itemTimes, under,
    counts: { spans: spans.count, arrows: arrows.count, marks: marks.count, records: records.count },
    get picked() { return picked; }, get hits() { return hits; }, get drawn() { return drawn; }, x, layout: () => layout,
  };
})();
