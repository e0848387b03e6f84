import Ground
import Guardrails
import Lightning

/// An event of the requests.
public enum RequestEvent: Hashable, Codable, Sendable {
  /// A no-op: requests wait for answers, never for a time.
  case deadlineReached
  /// With the identifier for the answer.
  case asked(String, Request)
  case invoiceMade(String, Invoice)
  case invoiceNotMade(String, String)
  /// The container's record of an earlier, ended payment of the same invoice.
  case pastRead(Bytes32, PastPayment?)
  case pastNotRead(Bytes32, String)
  /// The app shows this status; repeated once the guard has handled a move, which may change nothing.
  case shown(Status)
  /// This container replaces the one that the peer knows.
  case placeTaken
  case node(NodeReply)

  /// The node's reply to a request.
  public enum NodeReply: Hashable, Codable, Sendable {
    /// The node has read the channel and continues these.
    case goesOn(payments: [Bytes32], splice: TransactionID?)
    /// The request is durable: the next owner of the node ends it too.
    case begun(RequestKey, PendingSplice? = nil)
    /// The request has left no trace. With the app's status.
    case refused(RequestKey, NodeRefusal, Status? = nil)
    case ended(RequestKey)
    /// Over with its answer.
    case answered(RequestKey, WebhookAnswer)
  }
}

/// An order of the requests.
public enum RequestDirective: Hashable, Codable, Sendable {
  /// To the guard: keep the app in the background for this task.
  case beginTask(TaskBeginning)
  case endTask(TaskBeginning)
  case moveHere
  /// To the phone, which has the seed: answered by `invoiceMade` or `invoiceNotMade`.
  case makeInvoice(String, amountMsat: UInt64, text: String, expirySeconds: Int64)
  /// To the container: answered by `pastRead` or `pastNotRead`.
  case readPast(OutgoingPayment)
  case node(NodeEvent)
  /// Exactly once for each request.
  case answer(String, RequestAnswer)
}
