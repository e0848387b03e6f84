import Ground
import Guardrails
import Reports

extension WalletFacts {
  package var statusCode: StatusCode? { (status?["code"]).flatMap(StatusCode.init) }
}

extension PhoneFacts {
  package func process(_ role: Role) -> WalletFacts { role == .app ? app : `extension` }
}
