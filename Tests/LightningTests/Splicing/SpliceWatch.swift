import Lightning

/// Checks a storm's splices at each durable step.
struct SpliceWatch {
  var wanted = 0
  /// The msat taken out of the channel up to each funding.
  private var takenMsat: [OutPoint: UInt64]
  private(set) var violations: [String] = []

  init(_ first: OutPoint) { takenMsat = [first: 0] }

  func side(_ number: Int) -> SplicingSide { number == 0 ? providerSide : walletSide }

  /// Notes the funding of a pending splice; its side must send no update message.
  mutating func look(_ channel: Channel, sending outgoing: [ChannelOutgoing]) {
    if let splice = channel.pendingSplice {
      let total = (splice.amountSat + splice.feeSat) * 1000
      takenMsat[splice.funding] = takenMsat[channel.funding].map { $0 + total }
      let updates: [UInt16] = [128, 130, 131, 133, 134, 135]
      let isQuiet = outgoing.allSatisfy {
        if case .message(let message) = $0 { !updates.contains(message.type) } else { false }
      }
      if !isQuiet { violations.append("an update beside \(splice.id)") }
    }
  }

  func takenMsat(with channel: Channel) -> UInt64? { takenMsat[channel.funding] }
}
