import Ground
import DaemonRuntime
import Foundation

/// A core in the middle of its journal.
struct RunningCore<C: Core>: CoreReplay {
  private var core: C

  init(configuration: C.Configuration) { core = C(configuration: configuration) }

  mutating func line(for record: JournalLine) throws -> String {
    var decoded = try JSONDecoder().decode(EventRecord<C>.self, from: Data(record.bytes))
    decoded.directives = core.handle(decoded.event, at: decoded.t)
    return try JSONLineEncoder().encode(decoded)
  }
}
