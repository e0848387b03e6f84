import Ground
import Guardrails
import Heartbeat

/// An order of a wallet to one of its three ports: the container, the wire, and the phone (with the other process).
public enum WalletDirective: Hashable, Sendable {
  case container(ContainerOrder)
  case wire(WireOrder)
  case phone(PhoneOrder)
}

/// Every order to the container. An answer may also be that the container is blocked or has failed.
public enum ContainerOrder: Hashable, Sendable {
  case guardrail(GuardDirective.Container)
  /// Mark the newest payment: later ones came since this push. Answered by `receivedMarked`, if it can be read.
  case markReceived(push: UInt64)
  /// Answered by the guard's `receivedFound` or `receivedNotRead`.
  case readReceived(ReceivedPayments, push: UInt64)
  /// Answered by the guard's `incomingStored` or `incomingNotStored`.
  case storeIncoming(IncomingRecord, push: UInt64)

  /// For the node; answered by its `rowRead`, `storeBlocked`, `storeFailed` or `storeLost`.
  case checkRow
  /// Row and state; answered by the node's `checkedAfterInit`, `storeBlocked`, `storeFailed` or `storeLost`.
  case checkAfterInit
  /// Answered by the node's `written`, `fenced`, `storeBlocked`, `storeFailed` or `storeLost`.
  case write(NodeChange, under: Claim)

  /// Answered by the requests' `pastRead` or `pastNotRead`.
  case readPast(Bytes32)
  /// Answered by the background work's `stepDone`.
  case lookAtWallet(run: UInt64)
  /// The records of announced payments, and which of them, and of these payments, are received and settled. Answered
  /// by the incoming payments' `recordsRead` or `recordsNotRead`.
  case readIncoming([Bytes32])
  /// Answered by their `removed` or `notRemoved`.
  case removeIncoming([IncomingRecord])
}

/// Which settled payments to read.
public enum ReceivedPayments: Hashable, Sendable {
  case of(paymentHash: Bytes32)
  /// The payments after this one, by the container's number for each.
  case after(Int64)
}

/// Every order to the wire.
public enum WireOrder: Hashable, Sendable {
  /// Answered by the node's `dialled` or `closed`.
  case dial(attempt: Int)
  case send([NodeOutgoing])
  /// Shut down, drain to the end, close. Answered by the node's `closed`.
  case hangUp
  /// Close at once and discard unread and unsent bytes. No answer.
  case cutOff
}

/// Every order to the phone, to the user through the phone, and to the other process. Only `makeInvoice` and
/// `cleanUp` are answered at once.
public enum PhoneOrder: Hashable, Sendable {
  case guardrail(GuardDirective.Phone)
  /// `withdrawsAnnouncement`: what an extension has announced of the payment goes in the same moment.
  case notify(ReceivedPayment, withdrawsAnnouncement: Bool)
  case withdrawAnnouncement(of: Bytes32)

  /// With the seed; answered by the requests' `invoiceMade` or `invoiceNotMade`.
  case makeInvoice(String, amountMsat: UInt64, text: String, expirySeconds: Int64)
  case answer(String, RequestAnswer)

  case submit(BackgroundTask)
  case complete(BackgroundTask, run: UInt64, isSuccess: Bool, String)
  case playAudio
  case stopAudio
  /// Answered by the background work's `stepDone`.
  case cleanUp(run: UInt64)

  case showScreen(AppScreen)
  /// Put a text on the pasteboard.
  case copy(String)
  case answerPress(String, refusal: String?)
  /// Remove old journals, as deferred work. Answered by the opening's `stepDone`.
  case tidyJournals
}
