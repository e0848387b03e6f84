import Ground
import DaemonRuntime
import PhonePolicy

/// Draws a run: who had the node, when, and what went between the processes.
package enum TimelineVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "timeline", summary: "draw a run as one HTML page: processes, epochs, messages, kills, payments",
    options: [
      OptionDeclaration("--svg", help: "write a static picture instead of the page"),
      OptionDeclaration("--trace", help: "write trace events, which Perfetto opens, instead of the page"),
      OptionDeclaration(
        "--out", value: .path("FILE"),
        help: "the file to write, or - for standard output; default: timeline.html in RUN"),
      OptionDeclaration("--seed", value: .text("N"), help: "draw run N of `baton sim`"),
    ] + SimOptions.ofOneRun + SimOptions.declarations,
    positionals: [
      PositionalDeclaration(
        "RUN", value: .path("RUN"), count: .optional,
        help: "a phone's directory, live or of a run that is over; default: that of --home")
    ],
    examples: [
      ("baton timeline", "this phone, in .baton/timeline.html"),
      ("baton timeline /tmp/baton-chaos-x1/phone", "a failed chaos run"),
      ("baton timeline --seed 17 --out seed-17.html", "a simulated run"),
      ("baton timeline --trace --out run.trace.json", "open run.trace.json at ui.perfetto.dev"),
    ])

  package static let copiesDatabases = true

  struct Document: Report {
    /// The file that was written; missing if it is standard output.
    var timeline: String?
    /// html, svg or trace.
    var form: String
    var records: Int
    var spans: Int
    var arrows: Int
    var marks: Int
    var violations: Int
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    try require(
      !line.isGiven("--svg") || !line.isGiven("--trace"), .wrongUsage,
      "--svg and --trace exclude each other; omit one")
    let form: TimelineFile.Form = line.isGiven("--svg") ? .svg : line.isGiven("--trace") ? .trace : .html
    let (timeline, place, home) = try drawn(invocation)
    let path = line.text("--out") ?? "\(place).\(form.ending)"
    try require(
      path != "-" || !invocation.output.isJSON, .wrongUsage,
      "--out - and --json both write to standard output; name a file with --out")
    let text = form.text(of: timeline)
    if path == "-" {
      StandardOutput.write(text)
      return .done
    }
    try TimelineFile.write(text, to: path)
    let document = Document(
      timeline: path, form: form.rawValue, records: timeline.records.count, spans: timeline.spans.count,
      arrows: timeline.arrows.count, marks: timeline.marks.count, violations: timeline.findings.count)
    invocation.output.isJSON
      ? invocation.output.say(document) : tell(timeline, path, form, home, invocation.output)
    return .done
  }

  /// Draws a failed run beside its evidence, and says where to look. A picture that cannot be made is no reason to hide
  /// the failure itself.
  package static func draw(_ phone: Phone, _ output: Output) {
    let path = "\(phone.home)/timeline.html"
    guard let timeline = try? JournalTimeline.of(phone),
      (try? TimelineFile.write(TimelineFile.Form.html.text(of: timeline), to: path)) != nil
    else { return }
    tell(timeline, path, .html, phone.home, output)
  }

  private static func drawn(_ invocation: Invocation) throws -> (Timeline, place: String, home: String?) {
    let line = invocation.line
    if let word = line.text("--seed") {
      guard line.positionals.isEmpty else { throw CommandFailure(.wrongUsage, "give either RUN or --seed") }
      let (settings, words) = try ReplayVerb.settings(SeedRange.seed(typed: word), line)
      return (WorldStory(of: settings).timeline(title: "baton sim \(words)"), "seed-\(settings.seed)", nil)
    }
    let phone = try line.positionals.first.map { Phone(home: $0) } ?? invocation.phone
    return (try JournalTimeline.of(phone), "\(phone.home)/timeline", phone.home)
  }

  private static func tell(
    _ timeline: Timeline, _ path: String, _ form: TimelineFile.Form, _ home: String?, _ output: Output
  ) {
    output.say("\(path): \(HumanText.count(timeline.records.count, "record"))")
    guard let first = timeline.findings.first else { return }
    output.say(
      output.paint(
        "\(HumanText.count(timeline.findings.count, "violation")), the first: [\(first.title)] \(first.sentence)",
        .red))
    guard let anchor = first.anchor else { return }
    if form == .html { output.say("see it at \(path)#finding=1") }
    if let home {
      output.say(
        "or read what led to it: baton logs --home \(home) --around \(HumanText.seconds(anchor.at - timeline.start))s"
      )
    }
  }
}
