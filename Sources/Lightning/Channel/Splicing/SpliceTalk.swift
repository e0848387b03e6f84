import LightningWire

/// What the two ends say to each other before either is bound to anything. It is never durable: a connection that ends
/// forgets it, and nothing has moved.
struct SpliceTalk: Hashable, Codable, Sendable {
  enum Stage: Hashable, Codable, Sendable {
    /// Updates come to an end; with what is wanted, at who wants it. → offered, building
    case resting(SpliceRequest?)
    /// `splice_init` is said. → building, over
    case offered(SpliceRequest)
    /// At who began: so many of its parts are added. → agreed, over
    case adding(SpliceDraft, count: Int)
    /// At who answers. → agreed, over
    case collecting(SpliceDraft)
    /// What follows is durable.
    case agreed
    /// Nothing comes of it; the channel rests until the connection ends.
    case over
  }

  var stage: Stage
  var hasSaid = false
  var hasHeard = false
  /// Whether it was this end that asked for rest. Known when both have spoken.
  var isInitiator = false

  var isAtRest: Bool { hasSaid && hasHeard }

  var wanted: SpliceRequest? {
    switch stage {
    case .resting(let request): request
    case .offered(let request): request
    case .adding(let draft, _): SpliceRequest(amountSat: draft.amountSat, script: draft.target)
    case .collecting, .agreed, .over: nil
    }
  }
}

/// What a connection knows of splices. It is empty on most.
struct SpliceLink: Hashable, Codable, Sendable {
  /// Nil: the two do not splice. What is pending is brought to its end all the same.
  var side: SplicingSide?
  var talk: SpliceTalk?
  /// Due to be sent, in this order.
  var outgoing: [Message] = []
  /// Ours is not answered yet.
  var awaitsAbort = false
  /// The other side has moved already: it needs nothing of us but our signatures.
  var heardLocked = false
}
