@testable import Lightning

func fundingKey(_ number: UInt8) -> CurvePoint {
  guard let key = Bytes32(Array(repeating: number, count: 32)).flatMap({ PrivateKey($0) }) else {
    return .zeros
  }
  return CurvePoint(key.publicKey)
}

let providerSide = SplicingSide(role: .answers, key: fundingKey(1))
let walletSide = SplicingSide(role: .begins, key: fundingKey(2))

/// The script of a P2WPKH address.
let targetScript = OutputScript(Bytes([0, 20] + Array(repeating: 7, count: 20)))

/// Peer and wallet, re-established, both with the splice feature.
func splicingPair(peerMsat: UInt64 = 90_000_000, walletMsat: UInt64 = 10_000_000) throws -> (Channel, Channel)
{
  var peer = try Channel(id: channelID, localMsat: peerMsat, remoteMsat: walletMsat, isOpener: true)
  var wallet = try Channel(id: channelID, localMsat: walletMsat, remoteMsat: peerMsat, isOpener: false)
  try reconnect(&peer, &wallet)
  return (peer, wallet)
}

func reconnect(_ peer: inout Channel, _ wallet: inout Channel) throws {
  peer.disconnected()
  wallet.disconnected()
  let fromPeer = peer.reestablish(splicing: providerSide)
  let fromWallet = wallet.reestablish(splicing: walletSide)
  _ = try wallet.receive(fromPeer)
  _ = try peer.receive(fromWallet)
}

func plain(_ outgoing: [ChannelOutgoing]) -> [Message] {
  outgoing.compactMap { if case .message(let message) = $0 { message } else { nil } }
}

/// Exchanges messages between both channels until one is about to send `stop`, which is held. Records the message
/// types and the wallet's facts.
struct SpliceDialogue {
  var peer: Channel
  var wallet: Channel
  var said: [UInt16] = []
  var facts: [ChannelFact] = []
  /// Messages taken and not delivered.
  var held: [Message] = []

  init(_ pair: (Channel, Channel)) { (peer, wallet) = pair }

  /// The wallet takes 4000 sat out.
  static func begun(until stop: UInt16? = nil) throws -> SpliceDialogue {
    var both = SpliceDialogue(try splicingPair())
    try both.wallet.beginSplice(SpliceRequest(amountSat: 4000, script: targetScript))
    try both.run(until: stop)
    return both
  }

  mutating func run(until stop: UInt16? = nil) throws {
    while true {
      let fromWallet = held.isEmpty ? plain(wallet.takeOutgoing()) : []
      for message in fromWallet {
        if message.type == stop { return held.append(message) }
        said.append(message.type)
        _ = try peer.receive(message)
      }
      let fromPeer = plain(peer.takeOutgoing())
      for message in fromPeer {
        if message.type == stop { return held.append(message) }
        said.append(message.type)
        facts += try wallet.receive(message)
      }
      if fromWallet.isEmpty && fromPeer.isEmpty { return }
    }
  }
}
