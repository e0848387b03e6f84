import PhonePolicy
import Museum
import Simulation

/// The incidents as a list, as text, as the part of docs/ablation.md, and as JSON.
enum MuseumReport {
  static var list: [[String]] {
    [["name", "who", "what happens"]] + Incident.all.map { [$0.name, $0.who, $0.outcome] }
  }

  static func text(_ showing: Showing, _ output: Output) -> [String] {
    let incident = showing.incident
    return [output.paint("\(incident.name): \(incident.who)", .bold)] + wrapped(incident.happened)
      + [incident.link, ""] + ofProduct(showing, output) + [""] + ofBaton(showing, output)
  }

  private static func ofProduct(_ showing: Showing, _ output: Output) -> [String] {
    let incident = showing.incident
    let name = "\(incident.opponent.name) (--as \(incident.opponent.rawValue))"
    guard let broken = showing.broken else {
      return [output.paint("\(name): not broken here: \(incident.breaks.sentence)", .yellow)]
    }
    return [output.paint("\(name): \(incident.outcome)", .red)]
      + wrapped("\(broken.violation.sentence) The shortest story:") + broken.story
      + ["again: \(incident.words(incident.opponent))"]
  }

  private static func ofBaton(_ showing: Showing, _ output: Output) -> [String] {
    let again = "again: \(showing.incident.words(.baton))"
    switch showing.baton {
    case .holds: return [output.paint("Baton: \(verdict(showing))", .green), again]
    case .gaveUp: return [output.paint("Baton: \(verdict(showing))", .yellow), again]
    case .breaks(let finding):
      return [output.paint("Baton: \(verdict(showing))", .red)] + finding.story + [again]
    }
  }

  private static func verdict(_ showing: Showing) -> String {
    switch showing.baton {
    case .holds(let states): "nothing breaks, in all \(HumanText.grouped(UInt64(states))) states"
    case .gaveUp(let reached): "given up: \(reached.sentence)"
    case .breaks(let finding): "an invariant broke: \(finding.violation.sentence)"
    }
  }

  static func progress(_ incident: Incident, _ exploration: Exploration) -> String {
    "\(incident.name), \(exploration.explorer.settings.world.coordination.name): "
      + ExploreReport.progress(exploration)
  }

  /// Lines of at most 100 characters.
  private static func wrapped(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: [""]) { lines, word in
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count > 100 {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = "\(last) \(word)"
      }
    }
  }

  // MARK: The page

  /// The lines between these are made by `baton museum --markdown`.
  static let pageBegins = "<!-- made by baton museum --markdown -->"
  static let pageEnds = "<!-- end of baton museum --markdown -->"

  static func markdown(_ showings: [Showing]) -> [String] {
    [pageBegins, "", "| incident | with the product's coordination | with Baton |", "|---|---|---|"]
      + showings.map(row) + ["", pageEnds]
  }

  private static func row(_ showing: Showing) -> String {
    let incident = showing.incident
    let broken = showing.broken == nil ? "not broken" : incident.outcome
    return
      "| `\(incident.name)`: [\(incident.who)](\(incident.link)) | \(broken) | \(verdict(showing)) |"
  }

  // MARK: JSON

  struct Listed: Report {
    var name: String
    var who: String
    var link: String
    var happened: String
    /// The value of `--as`.
    var coordination: String
    var invariant: Int

    init(_ incident: Incident) {
      name = incident.name
      who = incident.who
      link = incident.link
      happened = incident.happened
      coordination = incident.opponent.rawValue
      invariant = incident.breaks.rawValue
    }
  }

  struct Document: Report {
    var incident: Listed
    /// Nil if the invariant did not break under the product's coordination.
    var broken: BrokenInvariant?
    /// The states of Baton's world; nil unless all were visited and no invariant broke.
    var batonStates: Int?
    var batonBroken: BrokenInvariant?
    /// Why the search of Baton's world ended early.
    var batonGaveUp: String?
    var asExpected: Bool

    init(_ showing: Showing) {
      incident = Listed(showing.incident)
      broken = showing.broken?.document
      asExpected = showing.isAsExpected
      switch showing.baton {
      case .holds(let states): batonStates = states
      case .breaks(let finding): batonBroken = finding.document
      case .gaveUp(let reached): batonGaveUp = reached.sentence
      }
    }
  }
}
