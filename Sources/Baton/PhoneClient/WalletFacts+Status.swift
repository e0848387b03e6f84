import Guardrails
import Reports

extension WalletFacts {
  var statusCode: StatusCode? { (status?["code"]).flatMap(StatusCode.init) }
}

extension PhoneFacts {
  func process(_ role: String) -> WalletFacts { role == "app" ? app : `extension` }
}
