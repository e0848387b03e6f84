import Ground
import DaemonRuntime
import Guardrails
import Wallet
import LightningProvider
import PhonePolicy

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
