"""Opens the pages of `baton timeline` in a headless Chromium: finds a kill, follows its arrow to the takeover and compares
the milliseconds with the journals; hostile text does nothing; a run of 100,000 records stays smooth; and checks the
rules of the Trace Event Format.

  browser.py BIN [--pictures DIR]
"""
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile

from chromium import Chromium

HOSTILE = "</script><script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"


def fail(words):
    raise SystemExit(f"browser.py: {words}")


class Run:
    """A phone on which the app is killed with the node, and the extension takes it over for a payment."""

    def __init__(self, directory, scratch):
        self.baton = os.path.join(directory, "baton")
        self.home = os.path.join(scratch, "phone")

    def do(self, *words):
        done = subprocess.run(
            [self.baton, "--home", self.home, *words], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            fail(f"baton {' '.join(words)} ended {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def play(self):
        self.do("up")
        self.do("app", "open")
        invoice = self.do("invoice", "5000", "--text", HOSTILE).strip()
        rows = json.loads(self.do("--json", "list", "processes"))
        app = next(row["pid"] for row in rows["processes"] if row["process"] == "mainappd")
        os.kill(app, signal.SIGKILL)
        self.do("pay", invoice)
        self.do("app", "open")
        self.do("down")

    def takeover(self):
        """Milliseconds from the phone's record of the kill to the next claim, from the raw journals."""
        records = []
        for path in glob.glob(os.path.join(self.home, "journal", "*.jsonl")):
            with open(path, encoding="utf-8") as file:
                records += [json.loads(line) for line in file]
        ends = [
            record["t"] for record in records
            if record.get("event", {}).get("processEnded", {}).get("_1") == {"signalled": {"_0": 9}}
        ]
        claims = [record["t"] for record in records if "claimed" in record.get("event", {})]
        if len(ends) < 1:
            fail("no process was killed")
        return (min(t for t in claims if t > ends[0]) - ends[0]) // 1000 / 1000


def follow(browser, run, page):
    browser.open(f"file://{page}")
    browser.wait("window.timeline && document.documentElement.dataset.paintedMs")
    browser.run("const box = document.getElementById('search'); box.value = 'killed from outside';"
                "box.dispatchEvent(new Event('input'))")
    press = "document.getElementById('search').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
    browser.run(press)
    title = browser.run("document.getElementById('title').textContent")
    if "killed from outside by SIGKILL" not in title:
        fail(f"the search finds “{title}” and not the kill")
    browser.run("document.querySelector('[data-way=takeover]').click()")
    took = browser.run("document.getElementById('took').textContent")
    expected = f"takes {run.takeover():.3f} ms"
    if took != expected:
        fail(f"the page says “{took}”, the journals “{expected}”")
    if not browser.run("document.getElementById('title').textContent").startswith("takeover of epoch 1 by epoch 2"):
        fail("the arrow is not the takeover")
    # The same by pointing at the arrow, where no mark lies on it: a process that starts at that time has its mark there.
    browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    pointed = browser.run(
        "(() => { const t = window.timeline, i = t.picked.i, one = t.drawn.arrows.find((a) => a[0] === i);"
        "return [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8].map((part) => t.under("
        "one[1] + (one[3] - one[1]) * part, one[2] + (one[4] - one[2]) * part)).map((item) => item ? t.itemWords(item) : ''); })()")
    if not any(words.startswith("takeover of epoch 1") for words in pointed):
        fail(f"under the arrow are {pointed}")
    # A link to the moment shows it again.
    browser.wait("location.hash.includes('pick=arrow')")
    link = browser.run("location.href")
    browser.open(link)
    browser.wait("document.getElementById('took')")
    if browser.run("document.getElementById('took').textContent") != expected:
        fail("the link shows another moment")
    return expected


def quiet(browser, what):
    if browser.run("document.title").startswith("hacked") or browser.problems():
        fail(f"{what}: {browser.problems() or 'its title was changed by text of the run'}")


def hostile(browser):
    browser.run("timeline.search('onerror')")
    if browser.run("timeline.hits.length") == 0:
        fail("the invoice's text is not in the page")
    browser.run("timeline.nextHit(1)")
    if browser.run("document.images.length") != 0:
        fail("the text of an invoice has become an element")


def pictures(browser, page, directory, name):
    os.makedirs(directory, exist_ok=True)
    for width, height in ((1280, 800), (390, 844)):
        for dark in (False, True):
            browser.open(f"file://{page}", width, height, dark)
            browser.wait("document.documentElement.dataset.paintedMs")
            browser.run("new Promise((done) => setTimeout(done, 300))")
            if browser.run("document.documentElement.scrollWidth > innerWidth"):
                fail(f"{name} is wider than {width} pixels")
            browser.picture(os.path.join(directory, f"{name}-{width}{'-dark' if dark else ''}.png"))


PAN = """(async () => {
  const t = window.timeline, times = [], frames = [];
  const length = t.view.to - t.view.from;
  const part = PART;
  t.show(0, length * part);
  await new Promise((done) => requestAnimationFrame(done));
  let last = performance.now();
  for (let i = 0; i < 120; i++) {
    t.show(length * (1 - part) * i / 120, length * (1 - part) * i / 120 + length * part);
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    frames.push(now - last);
    last = now;
  }
  for (let i = 0; i < 30; i++) { const start = performance.now(); t.draw(); times.push(performance.now() - start); }
  const sorted = (list) => list.sort((a, b) => a - b);
  const of = (list, p) => Math.round(sorted(list)[Math.floor((list.length - 1) * p)] * 10) / 10;
  return { frame: of(frames, 0.5), frame99: of(frames, 0.99), draw: of(times, 0.5), arrows: t.drawn.arrows.length };
})()"""


def large(browser, run, scratch):
    page = os.path.join(scratch, "large.html")
    said = json.loads(run.do("--json", "timeline", "--seed", "7", "--length", "13h", "--out", page))
    if said["records"] < 100_000:
        fail(f"the long run has only {said['records']} records")
    browser.open(f"file://{page}")
    browser.wait("document.documentElement.dataset.paintedMs")
    painted = float(browser.run("document.documentElement.dataset.paintedMs"))
    print(f"  {said['records']} records, {said['arrows']} arrows, {said['marks']} marks, "
          f"{os.path.getsize(page) // 1_000_000} MB: painted after {painted:.0f} ms")
    for name, part in (("all of it", 1), ("a tenth", 0.1), ("a thousandth", 0.001)):
        seen = browser.run(PAN.replace("PART", str(part)))
        print(f"  panning {name}: a frame {seen['frame']} ms (p99 {seen['frame99']}), drawing {seen['draw']} ms")
    legend = browser.run("document.getElementById('legend').textContent")
    missing = [words for words in ("suspended", "frozen", "no beats", "payment held") if words not in legend]
    if missing:
        fail(f"the legend does not name the bars of {missing}: {legend}")
    count = browser.run("document.getElementsByTagName('*').length")
    if count > 500:
        fail(f"the page has {count} elements")
    quiet(browser, "the long run")
    return page


def trace(run, scratch):
    """The rules of the Trace Event Format for the phases that are used."""
    path = os.path.join(scratch, "run.trace.json")
    run.do("timeline", run.home, "--trace", "--out", path)
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    events = whole["traceEvents"]
    if whole["displayTimeUnit"] not in ("ms", "ns"):
        fail("displayTimeUnit is ms or ns")
    stacks, flows = {}, {}
    for event in events:
        if not {"name", "ph", "pid", "tid"} <= set(event):
            fail(f"an event lacks a member: {event}")
        if event["ph"] not in "XisfM":
            fail(f"an event of phase {event['ph']}")
        if event["ph"] != "M" and not isinstance(event["ts"], (int, float)):
            fail(f"an event without ts: {event}")
        if event["ph"] == "i" and event["s"] not in "gpt":
            fail(f"an instant without a scope: {event}")
        if event["ph"] in "sf":
            flows.setdefault((event["cat"], event["name"], event["id"]), []).append(event)
        if event["ph"] == "M" and event["name"] not in ("process_name", "process_sort_index", "thread_name"):
            fail(f"metadata {event['name']}")
    slices = [event for event in events if event["ph"] == "X"]
    for event in sorted(slices, key=lambda one: (one["ts"], -one["dur"])):
        stack = stacks.setdefault((event["pid"], event["tid"]), [])
        end = event["ts"] + event["dur"]
        while stack and stack[-1] <= event["ts"] + 1e-6:
            stack.pop()
        if stack and end > stack[-1] + 1e-6:
            fail(f"a slice does not nest: {event}")
        stack.append(end)
    around = {(one["pid"], one["tid"], one["ts"]) for one in slices}
    for key, ends in flows.items():
        if [one["ph"] for one in ends] != ["s", "f"] or ends[0]["ts"] > ends[1]["ts"] or ends[1].get("bp") != "e":
            fail(f"the flow {key} is not one s and then one f with bp e")
        for one in ends:
            if (one["pid"], one["tid"], one["ts"]) not in around:
                fail(f"no slice is around {one}")
    print(f"  trace: {len(events)} events, {len(slices)} slices nest, {len(flows)} flows are bound")


def main():
    directory = sys.argv[1]
    shots = sys.argv[3] if len(sys.argv) > 3 and sys.argv[2] == "--pictures" else None
    with tempfile.TemporaryDirectory() as scratch:
        run = Run(directory, scratch)
        browser = Chromium()
        try:
            run.play()
            page = os.path.join(scratch, "run.html")
            run.do("timeline", run.home, "--out", page)
            took = follow(browser, run, page)
            quiet(browser, "the page")
            hostile(browser)
            quiet(browser, "the page with a hostile text")
            print(f"  from the kill to the takeover: the page and the journals say “{took}”")
            trace(run, scratch)
            long = large(browser, run, scratch)
            if shots:
                pictures(browser, page, shots, "timeline")
                pictures(browser, long, shots, "large")
        finally:
            browser.close()
            subprocess.run([run.baton, "--home", run.home, "down"], capture_output=True, check=False)


main()
