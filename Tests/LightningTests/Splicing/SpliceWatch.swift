import Bitcoin
import LightningChannel

/// What must hold of the splices of a storm, at each step that is durable.
struct SpliceWatch {
  var wanted = 0
  /// What has left the channel with each funding.
  private var takenMsat: [OutPoint: UInt64]
  private(set) var complaints: [String] = []

  init(_ first: OutPoint) { takenMsat = [first: 0] }

  func side(_ number: Int) -> SplicingSide { number == 0 ? providerSide : walletSide }

  /// Nothing of an update leaves whoever is bound to a splice.
  mutating func look(_ channel: Channel, sending outgoing: [ChannelOutgoing]) {
    if let splice = channel.pendingSplice {
      let total = (splice.amountSat + splice.feeSat) * 1000
      takenMsat[splice.funding] = takenMsat[channel.funding].map { $0 + total }
      let updates: [UInt16] = [128, 130, 131, 133, 134, 135]
      let isQuiet = outgoing.allSatisfy {
        if case .message(let message) = $0 { !updates.contains(message.type) } else { false }
      }
      if !isQuiet { complaints.append("an update beside \(splice.id)") }
    }
  }

  func takenMsat(with channel: Channel) -> UInt64? { takenMsat[channel.funding] }
}
