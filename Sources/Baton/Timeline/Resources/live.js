"use strict";
// The page of a running phone. All text of the phone is set as text, never as HTML.
(() => {
  const byId = (id) => document.getElementById(id);
  const setup = JSON.parse(byId("setup").textContent);
  // The server sends a view each second. After this time without one nothing is known of the phone.
  const lateSeconds = 3;
  // What views have said, one state for each second of this page's clock: the phone's may be set.
  const lane = [];
  const laneSeconds = 120;
  let view = null, received = performance.now(), trouble = null, lastBeat = null;

  byId("home").textContent = setup.home;
  // The address is shown on screens and kept in histories; the cookie opens the page again.
  history.replaceState(null, "", "/");

  const element = (tag, text, name) => {
    const made = document.createElement(tag);
    if (text !== undefined && text !== null) made.textContent = text;
    if (name) made.className = name;
    return made;
  };
  // Unchanged text is left alone: a screen reader would say it again.
  const set = (name, text) => { if (byId(name).textContent !== text) byId(name).textContent = text; };
  const amount = (msat) => {
    if (msat === undefined || msat === null) return "–";
    const whole = msat % 1000 === 0;
    return `${(whole ? msat / 1000 : msat).toLocaleString("en-US")} ${whole ? "sat" : "msat"}`;
  };
  const megabytes = (bytes) => bytes === undefined ? "" : `${(Math.floor(bytes / 104857.6) / 10).toFixed(1)} MB`;
  const now = () => view.wall_ns / 1e6 + (performance.now() - received);
  const ago = (ns) => {
    const seconds = Math.max(0, (now() - ns / 1e6) / 1000);
    if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s ago`;
    return seconds < 7200 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3600)} h ago`;
  };
  const isLate = () => trouble !== null || performance.now() - received > lateSeconds * 1000;
  const clock = (ns) => new Date(ns / 1e6).toISOString().slice(11, 19);

  // Rows

  const list = (id, rows, most, make) => {
    const place = byId(id);
    place.replaceChildren(...(rows.length ? rows.slice(0, most).map(make) : [element("li", "none yet", "none")]));
  };
  const row = (text, ns, small, name) => {
    const made = element("li", undefined, name);
    const when = element("span", ago(ns), "when");
    when.dataset.at = ns;
    made.append(when, text);
    if (small) made.append(element("small", small));
    return made;
  };
  const processRow = (process) => {
    const made = element("tr");
    const off = process.pid === undefined ? "off" : "";
    made.append(
      element("td", process.name, process.name), element("td", process.pid ?? ""),
      element("td", process.state, process.state === "stopped" ? "bad" : off),
      element("td", megabytes(process.footprint_bytes)), element("td", process.text ?? ""));
    return made;
  };
  const eventRow = (event) => {
    const made = element("li");
    made.append(
      element("span", clock(event.at_wall_ns), "soft"), element("span", event.process, `who ${event.process}`),
      element("span", event.text, "text"));
    return made;
  };

  // The node

  const state = () => {
    const holder = view.holder;
    return holder.verdict === "unknown" ? "unknown" : holder.verdict === "held-stopped" ? "stopped" : holder.held ? holder.role : "nobody";
  };
  const receivedWords = () =>
    `${view.payments_received_is_exact ? "" : "more than "}${view.payments_received.toLocaleString("en-US")}`;
  const drawHolder = () => {
    const holder = view.holder, heart = byId("heart");
    set("holder", holder.sentence);
    heart.className = state();
    if (holder.held && holder.beat_counter !== undefined && lastBeat !== null && holder.beat_counter !== lastBeat) {
      // A class that is set again starts no animation without a layout in between.
      void heart.offsetWidth;
      heart.classList.add("beats");
    }
    lastBeat = holder.beat_counter ?? null;
    byId("peer").textContent = view.peer;
    byId("balance").textContent = amount(view.balance_msat);
    byId("receivable").textContent = amount(view.receivable_msat);
    byId("received").textContent = `${receivedWords()} payment${view.payments_received === 1 ? "" : "s"}`;
  };
  const drawBeat = () => {
    const holder = view.holder;
    const words = [];
    if (holder.epoch !== undefined) words.push(`epoch ${holder.epoch}`);
    if (holder.because) words.push(holder.because);
    if (holder.beat_counter !== undefined)
      words.push(`${holder.phase}, beat ${holder.beat_counter}, ${ago(holder.beat_wall_ns)}`);
    byId("beat").textContent = words.join(" · ");
  };
  const thisSecond = () => Math.floor(performance.now() / 1000);
  const record = (isAfterSilence) => {
    const second = thisSecond(), last = lane[lane.length - 1], holder = view.holder;
    // The claim is older than this page.
    if (!last && holder.held && state() !== "stopped" && holder.claimed_wall_ns <= view.wall_ns) {
      const held = Math.floor((view.wall_ns - holder.claimed_wall_ns) / 1e9);
      lane.push({ second: second - Math.min(held, laneSeconds), state: state() });
    }
    if (last && last.second === second) last.state = state();
    else lane.push({ second, state: state(), isAfterSilence });
    while (lane[0].second < second - laneSeconds - lateSeconds) lane.shift();
  };
  // A view stands until the next one, if that comes in time; else for its own second alone.
  const drawLane = () => {
    const first = thisSecond() - laneSeconds + 1;
    const states = new Array(laneSeconds).fill("unknown");
    lane.forEach((one, number) => {
      const next = lane[number + 1];
      const isSilence = next ? next.isAfterSilence : isLate();
      const until = isSilence ? one.second + 1 : next ? next.second : first + laneSeconds;
      for (let at = Math.max(one.second, first); at < until; at++) states[at - first] = one.state;
    });
    byId("lane").replaceChildren(...states.map((one) => element("i", undefined, one)));
  };
  const drawAges = () => {
    drawLink();
    if (!view) return;
    byId("clock").textContent = `${new Date(now()).toISOString().slice(11, 19)} UTC`;
    for (const one of document.querySelectorAll("[data-at]")) one.textContent = ago(Number(one.dataset.at));
    drawBeat();
    drawLane();
  };

  const draw = () => {
    drawHolder();
    const problem = byId("problem");
    problem.hidden = view.problems.length === 0;
    problem.textContent = view.problems.join("\n");
    byId("processes").replaceChildren(...view.processes.map(processRow));
    byId("payments-count").textContent = view.payments_received ? `(${receivedWords()} received)` : "";
    byId("pushes-count").textContent = view.pushes_count ? `(${view.pushes_count})` : "";
    list("payments", view.payments, 8, (one) => row(
      `${one.direction === "in" ? "received" : "sent"} ${amount(one.amount_msat)}` +
        (["received", "paid"].includes(one.state) ? "" : ` (${one.state})`), one.at_wall_ns,
      (one.payment_hash ?? one.txid).slice(0, 16), one.state === "failed" || one.state === "lost" ? "bad" : ""));
    list("pushes", view.pushes, 8, (one) => row(`${one.id}: ${one.kind}`, one.at_wall_ns, one.fate));
    list("ends", view.ends, 8, (one) => row(
      `${one.process} ${one.pid}`, one.at_wall_ns, one.reason, one.killed ? "bad" : ""));
    const events = byId("events"), atEnd = events.scrollTop + events.clientHeight >= events.scrollHeight - 4;
    list("events", view.events, view.events.length, eventRow);
    if (atEnd) events.scrollTop = events.scrollHeight;
    drawAges();
    document.documentElement.dataset.looks = Number(document.documentElement.dataset.looks ?? 0) + 1;
  };

  // The server

  const drawLink = () => {
    const late = isLate();
    set("link", trouble ?? (late ? "no answer yet" : view ? "live" : "connecting …"));
    byId("link").className = `pill ${late ? "lost" : view ? "live" : ""}`;
    document.body.classList.toggle("late", late);
    if (!late || !view) return;
    set("holder", `unknown now; at ${clock(view.wall_ns)} UTC: ${view.holder.sentence}`);
    byId("heart").className = "unknown";
  };
  const events = new EventSource("/events");
  events.addEventListener("view", (event) => {
    const isAfterSilence = performance.now() - received > lateSeconds * 1000;
    view = JSON.parse(event.data);
    received = performance.now();
    trouble = null;
    record(isAfterSilence);
    draw();
  });
  events.addEventListener("error", () => {
    const gone = events.readyState === EventSource.CLOSED;
    trouble = gone ? "ended: open the address that baton serve prints" : "no answer; trying again";
    drawAges();
  });
  setInterval(drawAges, 500);

  // The actions

  const act = async (action, button, token) => {
    const outcome = byId("outcome");
    button.disabled = true;
    outcome.className = "";
    outcome.textContent = `${action.words} …`;
    try {
      const answer = await fetch("/act", {
        method: "POST", body: JSON.stringify({ do: action.name }),
        headers: { "Authorization": `Bearer ${token}`, "Content-Type": "application/json" },
      });
      const said = await answer.json();
      outcome.className = answer.ok ? "" : "bad";
      outcome.textContent = `${action.words}: ${said.sentence ?? said.error}`;
    } catch {
      outcome.className = "bad";
      outcome.textContent = `${action.words}: the server does not answer; start it again with baton serve --control`;
    }
    button.disabled = false;
  };
  const offer = (token) => {
    for (const action of setup.actions) {
      const button = element("button", action.words, action.name === "kill" || action.name === "freeze" ? "danger" : "");
      button.type = "button";
      button.id = `act-${action.name}`;
      button.title = action.meaning;
      button.addEventListener("click", () => act(action, button, token));
      byId("buttons").append(button);
    }
  };

  // A page that is loaded again has no token in its address: the tab keeps it, for this origin alone, so no other port
  // can read it.
  const kept = (use) => {
    try { return use(sessionStorage); } catch { return null; }
  };
  // The token of an earlier run is refused; with the cookie it would not be.
  const isGood = async (token) => {
    try {
      const answer = await fetch(
        "/status.json", { credentials: "omit", headers: { "Authorization": `Bearer ${token}` } });
      return answer.ok;
    } catch { return false; }
  };
  const control = async () => {
    if (setup.token) {
      kept((store) => store.setItem("token", setup.token));
      return offer(setup.token);
    }
    const token = kept((store) => store.getItem("token"));
    if (token && await isGood(token)) return offer(token);
    byId("outcome").textContent = "to drive the phone, open the address that baton serve has printed";
  };
  byId("control").hidden = !setup.actions;
  if (setup.actions) control();
})();
