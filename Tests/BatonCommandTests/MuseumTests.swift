import GeneratedPages
import Simulation

@testable import Baton

/// Explores every incident's world with both coordinations, once for all tests of the suite.
@Suite("baton museum", .serialized, .waits) struct MuseumTests {
  private static let showings: [Showing] = {
    var museum = Museum(jobs: ProcessInfo.processInfo.activeProcessorCount)
    return Incident.all.map { museum.show($0) }
  }()

  private func showing(_ incident: Incident) throws -> Showing {
    try #require(Self.showings.first { $0.incident.name == incident.name })
  }

  @Test(arguments: Incident.all.map(\.name))
  func `The coordination of an incident breaks its invariant, and in the same world Baton's breaks none`(
    name: String
  ) throws {
    let incident = try #require(Incident.named(name))
    let showing = try showing(incident)
    expect(showing.broken?.violation.invariant, is: incident.breaks)
    guard case .holds(let states) = showing.baton else {
      Issue.record("with Baton: \(showing.baton)")
      return
    }
    #expect(states > 1)
    expect(showing.exitCode, is: .done)
  }

  @Test func `docs/ablation.md has the table that the museum prints`() throws {
    let page = GeneratedPage("docs/ablation.md")
    let old = try page.read()
    let start = try #require(old.range(of: MuseumReport.pageBegins)).lowerBound
    let end = try #require(old.range(of: MuseumReport.pageEnds)).upperBound
    let part = MuseumReport.markdown(Self.showings).joined(separator: "\n")
    try page.expect(String(old[..<start]) + part + String(old[end...]))
  }

  @Test
  func `The list of incidents fits 100 columns, and each line of a played incident's text beside its story`()
    throws
  {
    for line in Output.lines(of: MuseumReport.list) { #expect(line.count <= 100) }
    let showing = try showing(Incident.all[0])
    let text = MuseumReport.text(showing, Output(isJSON: false))
    expect(text.first, is: "\(showing.incident.name): \(showing.incident.who)")
    let story = Set(showing.broken?.story ?? [])
    #expect(!story.isEmpty && story.isSubset(of: text))
    for line in text where !story.contains(line) && !line.hasPrefix("again: ") { #expect(line.count <= 100) }
  }

  @Test(arguments: Incident.all.map(\.name))
  func `The command after an incident's result explores the same world`(name: String) throws {
    let incident = try #require(Incident.named(name))
    for coordination in [incident.opponent, .baton] {
      let words = incident.words(coordination).split(separator: " ").dropFirst(2).map(String.init)
      guard case .run(let line) = try ExploreVerb.declaration.parse(words) else {
        Issue.record("\(words) is no command")
        return
      }
      var settings = try ExploreOptions(line).settings
      // `--all` does not end at the incident's invariant.
      settings.findsAll = false
      settings.seeks = incident.settings(coordination).seeks
      expect(settings, is: incident.settings(coordination))
    }
  }

  @Test func `The gravest result decides the exit code, and an incident that does not show differs`() throws {
    var quiet = try #require(Incident.named("wire-4572"))
    quiet.opponent = .baton
    var museum = Museum(jobs: 1)
    let showing = museum.show(quiet)
    expect(showing.exitCode, is: .differs)
    #expect(!showing.isAsExpected)
    #expect((Self.showings + [showing]).exitCode == .differs)
  }
}
