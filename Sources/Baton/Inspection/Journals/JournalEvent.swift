import Ground
import Guardrails
import Wallet
import LightningProvider
import PhonePolicy

/// An event record, decoded by its core's types. Read once for everything that is said of it.
enum JournalEvent {
  case guardrail(EventBody<GuardEvent, GuardDirective>, Role, WalletProfile)
  case node(EventBody<NodeEvent, NodeDirective>)
  case requests(EventBody<RequestEvent, RequestDirective>)
  case background(EventBody<BackgroundEvent, BackgroundDirective>)
  case incoming(EventBody<IncomingEvent, IncomingDirective>)
  case opening(EventBody<OpeningEvent, OpeningDirective>)
  case peer(EventBody<PeerEvent, PeerDirective>)
  case phone(EventBody<PhoneEvent, PhoneDirective>)

  /// Nil for a core that has no sentences, and for a record that its types do not have.
  init?(_ line: JournalLine) {
    func read<Event, Directive>(_ made: (EventBody<Event, Directive>) -> JournalEvent) -> JournalEvent? {
      EventBody(line).map(made)
    }
    let event: JournalEvent?
    switch line.header.coreKind {
    case AppMachine.name, ExtensionMachine.name, TellingExtensionMachine.name:
      let name = line.header.core
      event = read {
        .guardrail(
          $0, name == AppMachine.name ? .app : .extension,
          WalletProfile.all.first { $0.extension.guardName == name } ?? .phoenix)
      }
    case NodeMachine.name: event = read { .node($0) }
    case Requests.name: event = read { .requests($0) }
    case BackgroundWork.name: event = read { .background($0) }
    case IncomingPayments.name: event = read { .incoming($0) }
    case Opening.name: event = read { .opening($0) }
    case PeerMachine.name: event = read { .peer($0) }
    case PhonePolicy.Phone.name: event = read { .phone($0) }
    default: event = nil
    }
    guard let event else { return nil }
    self = event
  }
}
