import Ground
import Guardrails
import LightningProvider
import PhonePolicy

/// One line of the story of a run, before it is put into words.
public enum Said: Hashable, Sendable {
  case move(Move)
  case heard(Role, GuardEvent)
  case ordered(Role, GuardDirective)
  case peer(PeerEvent, [PeerDirective])
  case phone(PhoneEvent, [PhoneDirective])
  case started(Role, pid: Int32)
  case ended(Role, String)
  /// It ends for that.
  case seedWithheld(Role, KeychainRefusal)
  case violation(Violation)
}
