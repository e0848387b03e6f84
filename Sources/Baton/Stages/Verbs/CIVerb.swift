import DaemonRuntime
import Glibc
import Ground
import PhonePolicy
import SharedContainer

/// Plays every story that applies on a team's own programs, and leaves one directory of evidence.
package enum CIVerb: Verb {
  private static let standardPlace = "baton-ci"

  package static let declaration = CommandLineDeclaration(
    name: "ci", summary: "play all stories on your own app and extension, and keep the evidence",
    options: [
      OptionDeclaration("--app", value: .path("PATH"), help: "your own program in place of mainappd"),
      OptionDeclaration("--ext", value: .path("PATH"), help: "your own program in place of notifyextd"),
      OptionDeclaration(
        "--level", value: .choice(OwnPair.Level.allCases.map(\.rawValue)),
        help: "with --app or --ext: what they implement of docs/protocols.md (default journal: everything)"),
      OptionDeclaration(
        "--skip", value: .text("STORY"), mayRepeat: true,
        help: "report this story as skipped; by its file's name without .txt"),
      OptionDeclaration(
        "--out", value: .path("DIR"), default: standardPlace,
        help: "the new directory for verdict.json, junit.xml and the phones with logs and timelines"),
    ],
    positionals: [
      PositionalDeclaration(
        "STORY", value: .path("FILE"), count: .any, help: "these stories; default: all that Baton has")
    ],
    examples: [
      (
        "baton ci --app build/app --ext build/extension --out evidence",
        "exit 0: as expected; 1: other answers; 2: exclusion or money broken; 3: no progress; 4: a crash"
      ),
      (
        "baton ci --app docs/examples/own-app.py --ext docs/examples/own-extension.py --level container",
        "programs without a channel"
      ),
      ("baton ci", "Baton's own pair"),
    ])

  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(kept: line.text("--out") ?? standardPlace, keeps: "the evidence")
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let pair = try pair(line)
    let files = line.positionals.isEmpty ? try StoryShelf.all() : line.positionals
    let stories = try files.map { (name: ScenarioPlay.name(of: $0), scenario: try RunVerb.read($0)) }
    let left = Set(line.all("--skip"))
    if let unknown = left.subtracting(stories.map(\.name)).min() {
      throw CommandFailure(
        .wrongUsage, "there is no story \(UsageError.quoted(unknown)) to skip; correct --skip")
    }
    // A gate that checked nothing must not be green.
    guard stories.contains(where: { reasonToSkip($0, pair, left) == nil }) else {
      throw CommandFailure(
        .wrongUsage, "none of the stories applies to these programs; name others, or another --level")
    }
    let named = line.text("--out") ?? standardPlace
    let evidence = Phone(home: try RunPlace.make(named, in: nil, named: "ci")).home
    try FilePath.makeDirectories("\(evidence)/phones")
    let play = ScenarioPlay(verb: "ci", keep: "\(evidence)/phones", hasSeveral: true, pair: pair)
    let start = Clock.monotonicNow
    var report = CIReport(pair, evidence: evidence)
    let width = stories.map(\.name.count).max() ?? 0
    for story in stories {
      // Whatever ends this process now leaves the outcomes so far.
      try write(report, since: start)
      let outcome = outcome(of: story, play, pair, left, report)
      report.add(outcome)
      for line in outcome.text(invocation.output, nameWidth: width) { invocation.output.remark(line) }
    }
    report.finish()
    try write(report, since: start)
    invocation.output.isJSON ? invocation.output.say(report) : report.tell(invocation.output)
    return report.exitCode
  }

  private static func pair(_ line: ParsedCommandLine) throws(CommandFailure) -> OwnPair? {
    let app = try program(line, "--app")
    let ext = try program(line, "--ext")
    guard app != nil || ext != nil else {
      try require(
        !line.isGiven("--level"), .wrongUsage,
        "--level is about programs of your own; name them with --app and --ext")
      return nil
    }
    return OwnPair(app: app, ext: ext, level: line.choice("--level", as: OwnPair.Level.self) ?? .journal)
  }

  private static func program(_ line: ParsedCommandLine, _ option: String) throws(CommandFailure) -> String? {
    guard let path = line.text(option) else { return nil }
    try require(
      FilePath.isExecutable(path), .badConfiguration,
      "\(path) cannot be run; build it, or name another program with \(option)")
    return path
  }

  private typealias Story = (name: String, scenario: Scenario)

  private static func reasonToSkip(_ story: Story, _ pair: OwnPair?, _ left: Set<String>) -> String? {
    if left.contains(story.name) { return "left out with --skip" }
    if let why = story.scenario.whySkipped(isSimulated: false) { return why }
    return pair.flatMap { story.scenario.whyNot(on: $0) }
  }

  private static func outcome(
    of story: Story, _ play: ScenarioPlay, _ pair: OwnPair?, _ left: Set<String>, _ report: CIReport
  ) -> ScenarioOutcome {
    func skipped(_ why: String) -> ScenarioOutcome {
      ScenarioOutcome(file: story.name, kind: .skipped, details: [why])
    }
    if let why = reasonToSkip(story, pair, left) { return skipped(why) }
    if report.neverBegins { return skipped("not played: the two stories before it never began") }
    var outcome: ScenarioOutcome
    do { outcome = try play.play(story.scenario, file: story.name) } catch {
      // The other stories are played all the same, and the evidence is whole.
      outcome = ScenarioOutcome(
        file: story.name, kind: .crashed, details: [CommandFailure(error).sentence])
    }
    guard let home = outcome.home else { return outcome }
    if pair != nil, outcome.endedBeforeTheFirstLine, outcome.kind == .noProgress {
      outcome.details += whyWithoutNode(Phone(home: home))
    }
    removeSockets(in: home)
    if outcome.isGood {
      // Also a good run can be looked at; its place follows from its name.
      _ = TimelineFile.ofFailure(Phone(home: home))
      outcome.home = nil
    }
    return outcome
  }

  private static func whyWithoutNode(_ phone: Phone) -> [String] {
    guard !FilePath.exists(ContainerLayout(directory: phone.container).database) else { return [] }
    return [
      "there is no node.sqlite: programs of level 1 have no node, and no story is about them; look at them with `baton up --app PATH --ext PATH`"
    ]
  }

  /// What copies the evidence, such as tar, cannot read sockets; those of killed programs stay.
  private static func removeSockets(in directory: String) {
    for path in (DirectoryListing.names(of: directory) ?? []).map({ "\(directory)/\($0)" }) {
      var facts = stat()
      guard lstat(path, &facts) == 0 else { continue }
      switch facts.st_mode & S_IFMT {
      case S_IFSOCK: unlink(path)
      case S_IFDIR: removeSockets(in: path)
      default: break
      }
    }
  }

  private static func write(_ report: CIReport, since start: Instant) throws(CommandFailure) {
    let junit = try JUnitWriter("\(report.evidence)/junit.xml", suite: "ci", since: start)
    for outcome in report.stories { junit.add(outcome.junit) }
    try junit.close()
    try UserFile.write(
      "\(report.json)\n", to: "\(report.evidence)/verdict.json", mode: 0o600,
      "free space, or name another directory with --out")
  }
}

/// All outcomes of `baton ci`: as text, and its JSON document.
struct CIReport: Report {
  /// sound, or the gravest outcome of a story: differs, no progress, broken or crashed; unfinished while stories
  /// follow, and for good if `baton ci` was ended before them.
  var verdict = "unfinished"
  /// The exit code; missing while stories follow.
  var exit: Int32?
  /// The programs under test; missing for Baton's own.
  var app: String?
  var ext: String?
  /// container, peer or journal; missing for Baton's own pair.
  var level: String?
  var good = 0
  var bad = 0
  var skipped = 0
  /// The directory of all evidence.
  var evidence: String
  var stories: [ScenarioOutcome] = []

  init(_ pair: OwnPair?, evidence: String) {
    self.evidence = evidence
    (app, ext, level) = (pair?.app, pair?.ext, pair?.level.rawValue)
  }

  mutating func add(_ story: ScenarioOutcome) {
    stories.append(story)
    skipped = stories.count { $0.kind == .skipped }
    good = stories.count(where: \.isGood) - skipped
    bad = stories.count - good - skipped
  }

  /// No story follows.
  mutating func finish() {
    exit = exitCode.rawValue
    verdict = stories.first { $0.exitCode == exitCode && !$0.isGood }?.kind.rawValue ?? "sound"
  }

  var exitCode: ExitCode { ScenarioOutcome.exitCode(stories) }

  /// The pair does not come up: each further story would wait as long for the same.
  var neverBegins: Bool {
    let played = stories.filter { $0.kind != .skipped }
    return played.count >= 2 && played.suffix(2).allSatisfy(\.endedBeforeTheFirstLine)
  }

  func tell(_ output: Output) {
    output.say(output.paint(ScenarioOutcome.summary(stories, " stories"), exitCode == .done ? .green : .red))
    output.say("evidence: \(evidence)/verdict.json, junit.xml, phones/")
  }
}

/// Where Baton's own stories are: beside an installed program, or in the project's directory above a built one.
enum StoryShelf {
  /// Their paths, sorted by name.
  static func all() throws(CommandFailure) -> [String] {
    for place in places {
      let names = (DirectoryListing.names(of: place) ?? []).filter { $0.hasSuffix(".txt") }.sorted()
      if !names.isEmpty { return names.map { "\(place)/\($0)" } }
    }
    throw CommandFailure(
      .badConfiguration,
      "there are no stories in \(places[0]); install Baton with its directory share, or name the stories")
  }

  private static var places: [String] {
    let own = FilePath.ownDirectory
    var places = ["\(FilePath.parent(of: own))/share/baton/stories"]
    var above = own
    while above != "/" {
      places.append("\(above)/Tests/Scenarios")
      above = FilePath.parent(of: above)
    }
    return places
  }
}
