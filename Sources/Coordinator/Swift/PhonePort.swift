import Ground
import Guardrails

/// What the coordinator asks of the phone and of the wallet's views. Conform to `AppPhone` in the app and to
/// `ExtensionPhone` in the extension: these ask for what the process needs.
public protocol PhonePort: AnyObject {
  /// What the user may be shown about the node. The words are the wallet's.
  func show(_ status: NodeStatus)
  /// A payment that has no text of a push: it was received while nobody looks at the app, or beside the push's own.
  func notify(_ payment: ReceivedPayment)
  /// The bytes of a presence message, for `presenceHeard` in the other process. It may be lost.
  func send(presence: [UInt8])
  /// Which connections may be open now: the node's to its peer, and the wallet's others (rates, servers of the chain).
  func mayConnect(toPeer: Bool, toOthers: Bool)
  /// Nothing follows: the next start of the process opens a coordinator anew.
  func ended(_ reason: EndReason)
  /// One line for a log.
  func note(_ line: String)

  // The app.
  /// Asks the phone for time in the background. When that time is over: `backgroundTimeExpired`.
  func beginBackgroundTask(_ task: UInt64, name: String?)
  /// Everything is released: the app may be suspended now.
  func endBackgroundTask(_ task: UInt64)
  /// Once for each silent push, when everything is released.
  func completed(silentPush: UInt64, _ outcome: SilentPushOutcome)

  // The extension.
  /// What the text of this push tells, exactly once. The phone may suspend the process as soon as it has the text: where
  /// there is time, keep it until `finished`.
  func deliver(_ outcome: PushOutcome, for push: UInt64)
  /// The work on this push is over and everything is released.
  func finished(push: UInt64, _ reason: FinishReason)
  /// Takes the notification of a payment away: its push has come, and brings the text itself.
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
/// What a push is about, as far as the wallet could read it.
public typealias PushReason = Push.Reason
public typealias PushOutcome = Guardrails.PushOutcome
public typealias SilentPushOutcome = Guardrails.SilentPushOutcome

/// How things stand with the node.
public enum NodeStatus: Hashable, Sendable {
  /// It is not wanted.
  case idle
  /// In the app: the extension has it, and hands it over at its next safe point.
  case waitingForExtension
  case waitingForProcess(pid: Int32)
  /// In the extension: the app in front of the user is left the first move.
  case appGoesFirst
  /// Somebody is inside a transaction of the container; its pid where the system tells.
  case blocked(pid: Int32?, isStopped: Bool)
  case claiming
  case connecting(epoch: UInt64)
  /// And what the node has said that it is not connected for.
  case hindered(epoch: UInt64, trouble: String)
  case connected(epoch: UInt64)
  case settling(epoch: UInt64)
  case releasing(epoch: UInt64)
  /// The peer knows another container. A user decides: `moveHere`.
  case usedByAnotherDevice
  /// The peer names an epoch that no restored copy explains: it is not the right peer.
  case peerOutOfReach
  case failed(CoordinatorError)
}

/// Why the work on a push ended.
public enum FinishReason: Hashable, Sendable {
  case totalTime
  case idle
  case appWantsNode
  case handedOver
  case received
  case unreadablePush
  case timeWillExpire
  case fenced
  case terminated
  case otherDevice
  case peerOutOfReach
  case tooManyPushes
  case containerLost
}

/// Why a coordinator ended.
public enum EndReason: Hashable, Sendable {
  case fenced
  case terminated
  case containerLost
}
