/// The negotiation of a splice before either end is bound. Never durable: it is dropped with the connection, and the
/// balances are unchanged.
struct SpliceNegotiation: Hashable, Codable, Sendable {
  enum Stage: Hashable, Codable, Sendable {
    /// Waiting for `stfu` of both ends; with the request, if it is this end's. → offered, collecting
    case resting(SpliceRequest?)
    /// The initiator has sent `splice_init`. → adding, over
    case offered(SpliceRequest)
    /// The initiator has added `count` inputs and outputs. → agreed, over
    case adding(SpliceDraft, count: Int)
    /// The other end receives inputs and outputs. → agreed, over
    case collecting(SpliceDraft)
    /// The splice is in the durable channel.
    case agreed
    /// The negotiation failed; the channel stays quiescent until the connection ends.
    case over
  }

  var stage: Stage
  /// `stfu` was sent.
  var hasSaid = false
  /// `stfu` was received.
  var hasHeard = false
  /// Whether this end is the initiator. Known when both have sent `stfu`.
  var isInitiator = false

  var isQuiescent: Bool { hasSaid && hasHeard }

  var wanted: SpliceRequest? {
    switch stage {
    case .resting(let request): request
    case .offered(let request): request
    case .adding(let draft, _): SpliceRequest(amountSat: draft.amountSat, script: draft.target)
    case .collecting, .agreed, .over: nil
    }
  }
}

/// The splice state of a connection. Empty on most.
struct SpliceLink: Hashable, Codable, Sendable {
  /// Nil: one end does not support splicing. A pending splice is completed all the same.
  var side: SplicingSide?
  var talk: SpliceNegotiation?
  /// Messages to send, in order.
  var outgoing: [Message] = []
  /// Our `tx_abort` is not answered yet.
  var awaitsAbort = false
  /// The other side has sent `splice_locked` already, and needs only our signatures.
  var heardLocked = false
}
