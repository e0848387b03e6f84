import Ground
import Guardrails
import LightningProvider
import PhonePolicy

/// One line of a run's story, before it is worded.
public indirect enum Said: Hashable, Sendable {
  case move(Move)
  case heard(Role, GuardEvent)
  case ordered(Role, GuardDirective)
  case peer(PeerEvent, [PeerDirective])
  case phone(PhoneEvent, [PhoneDirective])
  case started(Role, pid: Int32)
  case ended(Role, String)
  /// The keychain refuses the seed, so the process ends.
  case seedWithheld(Role, KeychainRefusal)
  case violation(Violation)
  /// A line of the user's second device.
  case onSecondDevice(Said)
}
