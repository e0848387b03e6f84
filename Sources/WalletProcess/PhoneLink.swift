import Ground
import Guardrails

/// The phone as a wallet process sees it: what it is told is an event of the guard, what it is to be told comes here.
protocol PhoneLink: AnyObject {
  func show(_ status: Status)
  func mayConnect(_ targets: [ConnectionTarget])
  func deliver(_ push: UInt64, _ outcome: PushOutcome)
  func notify(_ payment: ReceivedPayment)
  func withdraw(payment: Bytes32)
  func finished(_ push: UInt64, _ reason: FinishReason)
  func completed(_ push: UInt64, _ outcome: SilentPushOutcome)
  func backgroundDone()
  func beginBackgroundTask(_ id: UInt64, name: String?)
  func endBackgroundTask(_ id: UInt64)
}
