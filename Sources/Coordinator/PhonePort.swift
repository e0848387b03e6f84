import Ground
import Guardrails
import SharedContainer

/// The coordinator's calls to the phone and the wallet's views. Conform to `AppPhone` in the app and to
/// `ExtensionPhone` in the extension: they require what that process needs.
public protocol PhonePort: AnyObject {
  /// Shows the node's status to the user. The wallet makes the text.
  func show(_ status: NodeStatus)
  /// Posts a local notification for a payment without a push's text: received in the background, or besides the push's
  /// own payment.
  func notify(_ payment: ReceivedPayment)
  /// The bytes of a presence message, for `presenceHeard` in the other process. It may be lost.
  func send(presence: [UInt8])
  /// The connections that may be open now: the node's to its peer, and the wallet's others (rates, chain servers).
  func mayConnect(toPeer: Bool, toOthers: Bool)
  /// The coordinator has ended: the next start of the process opens a new one.
  func ended(_ reason: EndReason)
  /// One line for a log.
  func note(_ line: String)

  // The app.
  /// Begins a background task. When its time is up, call `backgroundTimeExpired`.
  func beginBackgroundTask(_ task: UInt64, name: String?)
  /// Everything is released: the app may be suspended.
  func endBackgroundTask(_ task: UInt64)
  /// Once for each silent push, when everything is released.
  func completed(silentPush: UInt64, _ outcome: SilentPushOutcome)

  // The extension.
  /// The content of this push's notification, exactly once. The system may suspend the process as soon as it has the
  /// content: the node is released by then, unless the push's time is over and the release hangs.
  func deliver(_ outcome: PushOutcome, for push: UInt64)
  /// The work on this push is over and everything is released.
  func finished(push: UInt64, _ reason: FinishReason)
  /// Removes the notification of a payment: the payment's own push brings the text.
  func withdrawNotification(of payment: PaymentHash)
}

public protocol AppPhone: PhonePort {}
public protocol ExtensionPhone: PhonePort {}

extension PhonePort {
  public func send(presence: [UInt8]) {}
  public func mayConnect(toPeer: Bool, toOthers: Bool) {}
  public func ended(_ reason: EndReason) {}
  public func note(_ line: String) {}
  public func completed(silentPush: UInt64, _ outcome: SilentPushOutcome) {}
  public func withdrawNotification(of payment: PaymentHash) {}
}

extension AppPhone {
  public func deliver(_ outcome: PushOutcome, for push: UInt64) {}
  public func finished(push: UInt64, _ reason: FinishReason) {}
}

extension ExtensionPhone {
  public func beginBackgroundTask(_ task: UInt64, name: String?) {}
  public func endBackgroundTask(_ task: UInt64) {}
}

public typealias ProcessRole = Role
/// The push's reason, as far as the wallet could read it.
public typealias PushReason = Push.Reason
public typealias PushOutcome = Guardrails.PushOutcome
public typealias SilentPushOutcome = Ground.SilentPushOutcome
/// Why the work on a push ended.
public typealias FinishReason = Guardrails.FinishReason
/// Why a coordinator ended.
public typealias EndReason = Guardrails.EndReason

/// The node's status.
public enum NodeStatus: Hashable, Sendable {
  /// The node is not wanted.
  case idle
  /// In the app: the extension holds the node, and hands it over at its next safe point.
  case waitingForExtension
  case waitingForProcess(pid: Int32)
  /// In the extension: the app in the foreground may claim first.
  case appGoesFirst
  /// A process is inside a transaction of the container; its pid, if known.
  case blocked(pid: Int32?, isStopped: Bool)
  case claiming
  case connecting(epoch: UInt64)
  /// With the node's reason why it is not connected.
  case hindered(epoch: UInt64, trouble: String)
  case connected(epoch: UInt64)
  case settling(epoch: UInt64)
  case releasing(epoch: UInt64)
  /// The peer knows another container. The user decides: `moveHere`.
  case usedByAnotherDevice
  /// The peer knows an epoch that no restored copy explains: it is not the right peer.
  case peerOutOfReach
  case failed(CoordinatorError)
}

extension NodeStatus {
  /// The container's error, if there is one, is more precise than the guard's sentence.
  init(_ status: Status, _ failure: ContainerError?) {
    switch status {
    case .idle: self = .idle
    case .waitingForExtension: self = .waitingForExtension
    case .waitingForOther(let pid): self = .waitingForProcess(pid: pid)
    case .appGoesFirst: self = .appGoesFirst
    case .blocked(let pid, let isStopped): self = .blocked(pid: pid, isStopped: isStopped)
    case .claiming: self = .claiming
    case .connecting(let epoch): self = .connecting(epoch: epoch)
    case .hinderedFromConnecting(let epoch, let sentence): self = .hindered(epoch: epoch, trouble: sentence)
    case .connected(let epoch): self = .connected(epoch: epoch)
    case .settling(let epoch): self = .settling(epoch: epoch)
    case .releasing(let epoch): self = .releasing(epoch: epoch)
    case .usedByAnotherDevice: self = .usedByAnotherDevice
    case .peerOutOfReach: self = .peerOutOfReach
    case .trouble(let sentence):
      self = .failed(failure.map { CoordinatorError($0) } ?? .failed(log: sentence))
    }
  }
}
