import Ground
import Guardrails
import Simulation

/// The timeline of a simulated run, in the same facts and sentences as that of a phone.
package struct WorldTimeline {
  /// Worded only when the picture is wanted: most runs do not fail.
  private var events: [(said: Said, at: Instant)] = []
  private var builder = TimelineBuilder()

  /// Takes the world's events since the last call.
  package mutating func listen(to world: inout World, after passed: TimeSpan = .zero) {
    look(at: world, after: passed)
    _ = world.takeSaid()
  }

  /// The same, and leaves them to another listener.
  package mutating func look(at world: World, after passed: TimeSpan = .zero) {
    let instant = world.peerNow + passed
    events += world.said.map { ($0, instant) }
  }

  package func finish(title: String) -> Timeline {
    var made = self
    for event in events { made.take(event.said, at: event.at, whole: event.said) }
    return made.builder.finish(title: title)
  }

  /// The timeline of one run.
  package static func of(_ settings: RunSettings, title: String) -> Timeline {
    var timeline = WorldTimeline()
    var run = SeedRun(settings, isRecorded: true)
    _ = run.run { timeline.listen(to: &$0) }
    return timeline.finish(title: title)
  }

  private mutating func take(_ said: Said, at instant: Instant, whole: Said, device: Int = 0) {
    switch said {
    case .move(let move): note(whole, at: instant, by: .events(device: device), Self.facts(of: move))
    case .heard(let role, let event):
      note(whole, at: instant, by: .wallet(role, device: device), TimelineFacts.of(event))
    case .ordered(let role, let directive):
      note(whole, at: instant, by: .wallet(role, device: device), TimelineFacts.of(directive))
    case .peer(let event, let directives):
      note(whole, at: instant, by: .peer, TimelineFacts.of(event) + directives.flatMap(TimelineFacts.of))
    case .phone(let event, let directives):
      // `.started` and `.ended` tell of the processes.
      let facts = (TimelineFacts.of(event) + directives.flatMap(TimelineFacts.of)).filter { fact in
        switch fact {
        case .processStarted, .processEnded: false
        default: true
        }
      }
      note(whole, at: instant, by: .phone(device: device), facts)
    case .started(let role, let pid):
      note(whole, at: instant, by: .wallet(role, device: device), [.started(pid: pid)])
    case .ended(let role, let why):
      note(
        whole, at: instant, by: .wallet(role, device: device),
        [.processEnded(role, why.hasPrefix("killed") ? .killed : .ended, why: why)])
    case .seedWithheld: break
    case .onSecondDevice(let inner): take(inner, at: instant, whole: whole, device: 1)
    case .violation(let violation):
      note(
        whole, at: instant, by: .events(device: device),
        [.violated(title: violation.invariant.sentence, sentence: violation.sentence)])
    }
  }

  private mutating func note(_ said: Said, at instant: Instant, by who: TimelineWho, _ facts: [TimelineFact])
  {
    let lines = WorldStory.lines(of: said, at: instant)
    guard !lines.isEmpty || !facts.isEmpty else { return }
    let words = lines.isEmpty ? "" : lines.map(\.text).joined(separator: "; ")
    let weight: TimelineRecord.Weight = lines.contains(where: \.matters) ? .normal : .detail
    builder.take(TimelineRecord(at: instant, weight: weight, text: words), by: who, facts)
  }

  /// The user's actions show in the phone's lane; faults have no other record.
  private static func facts(of move: Move) -> [TimelineFact] {
    switch move {
    case .freeze(let role), .freezeInside(let role): return [.frozen(role)]
    case .thaw(let role): return [.thawed(role)]
    case .send, .cancel, .withdraw, .beginTask, .endTask, .takeOtherDevice, .askToMove:
      return MoveSentences.of(move).map { [.userDid($0)] } ?? []
    default: return MoveSentences.of(move).map { [.fault($0)] } ?? []
    }
  }
}
