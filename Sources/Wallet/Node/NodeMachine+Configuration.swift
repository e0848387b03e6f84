import Ground
import Lightning

extension NodeMachine {
  public struct Configuration: Hashable, Codable, Sendable {
    public var terms: ChannelTerms
    public var rules: ConnectionRules
    /// The peer is reached over Tor: the limits for a dial and an `init` are three times as long.
    public var overTor: Bool
    /// How long the parts of a payment wait for the others. BOLT 4 requires at least a minute.
    public var multiPartWindow: TimeSpan
    /// An owner counts only the parts that it received itself, as Phoenix's processes do. Otherwise the parts in the
    /// container count, whichever process received them.
    public var keepsPartsInMemory: Bool
    /// This wallet's funding key for splices. Nil: the wallet does not splice.
    public var fundingKey: CurvePoint?
    /// How long the start of the node waits for something outside, such as a server of fee rates, before it dials.
    public var startDelay: TimeSpan
    /// The key that this wallet's pushes are sealed to; each connection tells the peer. Nil: the wallet has none.
    public var pushKey: CurvePoint?

    public init(
      terms: ChannelTerms = .standard, rules: ConnectionRules = .standard, overTor: Bool = false,
      multiPartWindow: TimeSpan = .seconds(60), keepsPartsInMemory: Bool = false,
      fundingKey: CurvePoint? = nil,
      startDelay: TimeSpan = .zero, pushKey: CurvePoint? = nil
    ) {
      self.terms = terms
      self.rules = rules
      self.overTor = overTor
      self.multiPartWindow = multiPartWindow
      self.keepsPartsInMemory = keepsPartsInMemory
      self.fundingKey = fundingKey
      self.startDelay = startDelay
      self.pushKey = pushKey
    }
  }
}
