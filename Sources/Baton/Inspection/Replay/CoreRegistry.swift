import DaemonRuntime
import Ground
import Guardrails
import LightningProvider
import PhonePolicy
import Wallet

/// All cores whose records a journal may have.
enum CoreRegistry {
  private static var types: [any Core.Type] {
    [
      AppMachine.self, ExtensionMachine.self, TellingExtensionMachine.self, NodeMachine.self, Requests.self,
      BackgroundWork.self, IncomingPayments.self, Opening.self,
      PushDesk.self, PeerMachine.self, PhonePolicy.Phone.self,
    ]
  }

  static var names: [String] { types.map { $0.name } }

  /// Creates the core with its recorded configuration. Nil for a core unknown to this program.
  static func begin(_ record: JournalLine) throws -> (line: String, core: any CoreReplay)? {
    guard let type = types.first(where: { $0.name == record.header.coreKind }) else { return nil }
    return try begin(type, record)
  }

  private static func begin<C: Core>(_ type: C.Type, _ record: JournalLine) throws -> (String, any CoreReplay)
  {
    let decoded = try JSONLineDecoder().decode(JournalRecord<CoreBegin<C>>.self, from: record.value)
    return (try JSONLineEncoder().encode(decoded), RunningCore<C>(configuration: decoded.body.configuration))
  }
}

/// A core that is replayed from its journal.
protocol CoreReplay {
  /// Handles the record's event and returns the line that this program writes for it.
  mutating func line(for record: JournalLine) throws -> String
}

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
