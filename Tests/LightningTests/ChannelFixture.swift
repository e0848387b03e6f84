import Lightning

let channelID = Bytes32(Array(repeating: 1, count: 32)) ?? .zero

func preimage(_ number: UInt64) -> Bytes32 { SHA256.hash(Array("preimage \(number)".utf8)) }

func paymentHash(_ number: UInt64) -> Bytes32 { SHA256.hash(preimage(number).bytes) }

/// Peer and wallet, both re-established; the peer opened the channel.
func channelPair(peerMsat: UInt64 = 1_000_000, walletMsat: UInt64 = 0) throws -> (Channel, Channel) {
  var peer = try Channel(id: channelID, localMsat: peerMsat, remoteMsat: walletMsat, isOpener: true)
  var wallet = try Channel(id: channelID, localMsat: walletMsat, remoteMsat: peerMsat, isOpener: false)
  try connect(&peer, &wallet)
  return (peer, wallet)
}

/// Both ends, and payment 1 of the peer, committed on both sides.
func committedPair(_ amountMsat: UInt64) throws -> (peer: Channel, wallet: Channel, id: UInt64) {
  var (peer, wallet) = try channelPair()
  let id = try peer.offer(amountMsat: amountMsat, paymentHash: paymentHash(1), cltvExpiry: 700)
  _ = try settle(&peer, &wallet)
  return (peer, wallet, id)
}

func connect(_ left: inout Channel, _ right: inout Channel) throws {
  let fromLeft = left.reestablish()
  let fromRight = right.reestablish()
  _ = try left.receive(fromRight)
  _ = try right.receive(fromLeft)
}

/// The wire message of `outgoing`, with the preimage filled in as the caller does.
func message(_ outgoing: ChannelOutgoing, of channel: Channel, preimages: [Bytes32: Bytes32] = [:]) -> Message
{
  switch outgoing {
  case .message(let message): message
  case .fulfill(let id, let hash): channel.fulfilMessage(id, preimage: preimages[hash] ?? .zero)
  }
}

/// Exchanges messages until both queues are empty. Returns each side's facts.
func settle(
  _ left: inout Channel, _ right: inout Channel, preimages: [Bytes32: Bytes32] = [:]
) throws -> (left: [ChannelFact], right: [ChannelFact]) {
  var facts: (left: [ChannelFact], right: [ChannelFact]) = ([], [])
  while true {
    let fromLeft = left.takeOutgoing().map { message($0, of: left, preimages: preimages) }
    for message in fromLeft { facts.right += try right.receive(message) }
    let fromRight = right.takeOutgoing().map { message($0, of: right, preimages: preimages) }
    for message in fromRight { facts.left += try left.receive(message) }
    if fromLeft.isEmpty && fromRight.isEmpty { return facts }
  }
}
