import Ground
import Guardrails
import Bitcoin
import LightningChannel
import LightningNode

/// What can happen to requests.
public enum RequestEvent: Hashable, Codable, Sendable {
  /// A no-op: requests wait for answers, and never for the time.
  case deadlineReached
  /// Under the name by which whoever asked knows the answer.
  case asked(String, Request)
  case invoiceMade(String, Invoice)
  case invoiceNotMade(String, String)
  /// What the container has of an earlier payment of the same invoice that is over.
  case pastRead(Bytes32, PastPayment?)
  case pastNotRead(Bytes32, String)
  /// The app shows this now; said as well when the guard has heard of a move, which may change nothing.
  case shown(Status)
  /// This container takes the place of the one that the peer knows.
  case placeTaken
  case node(NodeWord)

  /// What the node says about what it was asked for.
  public enum NodeWord: Hashable, Codable, Sendable {
    /// It has read the channel, and this is what it goes on with.
    case goesOn(payments: [Bytes32], splice: TransactionID?)
    /// It is durable: whoever owns the node next ends it.
    case begun(RequestKey, PendingSplice? = nil)
    /// Nothing of it is anywhere. With what the app shows.
    case refused(RequestKey, NodeRefusal, Status? = nil)
    case ended(RequestKey)
  }
}

/// What is done for requests.
public enum RequestDirective: Hashable, Codable, Sendable {
  /// To the guard: keep the app at work for it.
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
