import Ground
import DaemonRuntime

/// A core whose journal is being replayed.
struct RunningCore<C: Core>: CoreReplay {
  private var core: C

  init(configuration: C.Configuration) { core = C(configuration: configuration) }

  mutating func line(for record: JournalLine) throws -> String {
    var decoded = try JSONLineDecoder().decode(JournalRecord<CoreEvent<C>>.self, from: record.value)
    decoded.body.directives = core.handle(decoded.body.event, at: decoded.header.t)
    return try JSONLineEncoder().encode(decoded)
  }
}
