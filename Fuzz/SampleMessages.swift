import Ground
import Crypto
@testable import Lightning

/// One well-formed message of each kind, and a channel with pending payments.
enum SampleMessages {
  static let channelID = Bytes32(Array(repeating: 1, count: 32)) ?? .zero
  static let preimage = SHA256.hash(Array("preimage".utf8))
  static let fence = Claim(epoch: 3, incarnation: 9, container: ContainerID(high: 7, low: 8))
  static let answer = FenceAnswer(accepted: true, highest: 3, container: ContainerID(high: 7, low: 8))

  static let paymentData = PaymentData(secret: SHA256.hash(Array("secret".utf8)), totalMsat: 2000)

  static var extensions: RecordStream {
    var stream = RecordStream()
    stream.set(9, [7])
    stream.set(0x1_0001, Bytes(repeating: 5, count: 300))
    return stream
  }

  static var all: [Message] {
    [
      .initMessage(InitMessage(fence: fence)),
      .initMessage(
        InitMessage(fence: fence, replaces: ReplacedClaim(epoch: 2, container: ContainerID(high: 9, low: 9)))),
      .initMessage(InitMessage(others: extensions)),
      .fenceAnswer(answer), .error(ErrorOrWarning(channel: channelID, text: "no")),
      .warning(ErrorOrWarning(text: "slow down")),
      .ping(Ping(pongSize: 5, ignored: [0, 0])), .pong([0, 0, 0, 0, 0]), .peerStorage([1, 2, 3]),
      .peerStorageRetrieval([1, 2, 3]),
      .channelReestablish(
        ChannelReestablish(
          channel: channelID, nextCommitmentNumber: 1, nextRevocationNumber: 0,
          yourLastPerCommitmentSecret: .zero, extensions: extensions)),
      .addHTLC(
        AddHTLC(
          channel: channelID, id: 0, amountMsat: 1000, paymentHash: SHA256.hash(preimage.bytes),
          cltvExpiry: 40)
      ),
      .addHTLC(
        AddHTLC(
          channel: channelID, id: 1, amountMsat: 1000, paymentHash: SHA256.hash(preimage.bytes),
          cltvExpiry: 40, paymentData: paymentData, extensions: extensions)),
      .fulfillHTLC(FulfillHTLC(channel: channelID, id: 0, preimage: preimage)),
      .failHTLC(FailHTLC(channel: channelID, id: 0, code: 0x400f)),
      .failMalformedHTLC(
        FailMalformedHTLC(
          channel: channelID, id: 0, onionHash: .zero, code: 0xC005)),
      .updateFee(UpdateFee(channel: channelID, feeratePerKw: 253)),
      .commitmentSigned(CommitmentSigned(channel: channelID, htlcSignatures: [.zeros])),
      .revokeAndAck(RevokeAndAck(channel: channelID, perCommitmentSecret: preimage)),
    ] + splice + [
      .unknown(type: 32769, bytes: [1, 2, 3]), .unknown(type: 256, bytes: [1, 2, 3]),
      .unknown(type: 263, bytes: Bytes(repeating: 6, count: 40)), .pushKey(fundingKey),
      .holdEnded(SHA256.hash(preimage.bytes)), .service(Bytes(Array("{}".utf8))),
    ]
  }

  static let transaction = TransactionID(hash: SHA256.hash(Array("splice".utf8)))
  static let fundingKey = CurvePoint([2] + preimage.bytes) ?? .zeros

  static let spliceRequest = SpliceRequest(
    amountSat: 1000, script: OutputScript(Bytes([0, 20] + [UInt8](repeating: 7, count: 20))))

  /// The messages of a splice.
  static var splice: [Message] { splice(transaction) }

  static func splice(_ transaction: TransactionID) -> [Message] {
    [
      .quiescence(Quiescence(channel: channelID, isInitiator: true)),
      .spliceInit(
        SpliceInit(channel: channelID, contribution: -20_724, feeratePerKw: 1000, fundingKey: fundingKey)),
      .spliceInit(
        SpliceInit(
          channel: channelID, contribution: 5, feeratePerKw: 253, lockTime: 9, fundingKey: fundingKey,
          needsConfirmedInputs: true, extensions: extensions)),
      .spliceAck(SpliceAck(channel: channelID, fundingKey: fundingKey)),
      .addInput(AddInput(channel: channelID, serial: 0, outputIndex: 0, sharedInput: transaction)),
      .addInput(AddInput(channel: channelID, serial: 2, previous: [1, 2, 3], outputIndex: 1)),
      .addOutput(AddOutput(channel: channelID, serial: 4, satoshis: 20_000, script: [0, 2, 7, 7])),
      .transactionComplete(TransactionComplete(channel: channelID)),
      .commitmentSigned(
        CommitmentSigned(channel: channelID, htlcSignatures: [.zeros], funding: transaction)),
      .transactionSignatures(
        TransactionSignatures(channel: channelID, transaction: transaction, sharedInputSignature: .zeros)),
      .transactionSignatures(
        TransactionSignatures(channel: channelID, transaction: transaction, witnesses: [[1, 1, 5], [0]])),
      .transactionAbort(TransactionAbort(channel: channelID, text: "no")),
      .spliceLocked(SpliceLocked(channel: channelID, transaction: transaction)),
      .channelReestablish(
        ChannelReestablish(
          channel: channelID, nextCommitmentNumber: 1, nextRevocationNumber: 0,
          yourLastPerCommitmentSecret: .zero,
          nextFunding: NextFunding(transaction: transaction, needsCommitment: true),
          fundingLocked: FundingLocked(transaction: transaction))),
    ]
  }

  /// A channel in each state of a few steps, from both sides.
  static var channels: [Channel] {
    guard var peer = try? Channel(id: channelID, localMsat: 1_000_000, remoteMsat: 0, isOpener: true),
      var wallet = try? Channel(id: channelID, localMsat: 0, remoteMsat: 1_000_000, isOpener: false)
    else { return [] }
    var all: [Channel] = [peer, wallet]
    let fromPeer = peer.reestablish()
    _ = try? peer.receive(wallet.reestablish())
    _ = try? wallet.receive(fromPeer)
    for number in 0..<3 {
      let hash = SHA256.hash(SHA256.hash([UInt8(number)]).bytes)
      _ = try? peer.offer(
        amountMsat: 1000, paymentHash: hash, cltvExpiry: 40, paymentData: number == 1 ? paymentData : nil)
      carry(&peer, &wallet, &all)
      if number == 0 { try? wallet.fulfill(0) } else { try? wallet.fail(UInt64(number), code: 7) }
      carry(&peer, &wallet, &all)
    }
    addSplice(peer, wallet, &all)
    var seen: Set<Channel> = []
    return all.filter { seen.insert($0).inserted }
  }

  /// A splice of the wallet: both sides after each message.
  private static func addSplice(_ peer: Channel, _ wallet: Channel, _ all: inout [Channel]) {
    var ends = [peer, wallet]
    for end in 0..<2 { ends[end].disconnected() }
    let greetings = (0..<2).map { end in
      ends[end].reestablish(splicing: SplicingSide(role: end == 0 ? .answers : .begins, key: keys[end]))
    }
    for end in 0..<2 { _ = try? ends[end].receive(greetings[1 - end]) }
    try? ends[1].beginSplice(spliceRequest)
    for round in 0..<24 {
      let sender = (round + 1) % 2
      for case .message(let message) in ends[sender].takeOutgoing() {
        _ = try? ends[1 - sender].receive(message)
        all += ends
      }
    }
  }

  /// Public keys of the peer and of the wallet.
  static let keys = [1, 2].compactMap { number in
    PrivateKey(SHA256.hash([number])).map { CurvePoint($0.publicKey) }
  }

  private static func carry(_ peer: inout Channel, _ wallet: inout Channel, _ all: inout [Channel]) {
    for _ in 0..<4 {
      for outgoing in peer.takeOutgoing() { receive(outgoing, of: peer, by: &wallet) }
      all += [peer, wallet]
      for outgoing in wallet.takeOutgoing() { receive(outgoing, of: wallet, by: &peer) }
      all += [peer, wallet]
    }
  }

  private static func receive(_ outgoing: ChannelOutgoing, of sender: Channel, by receiver: inout Channel) {
    switch outgoing {
    case .message(let message): _ = try? receiver.receive(message)
    case .fulfill(let id, _):
      _ = try? receiver.receive(sender.fulfilMessage(id, preimage: SHA256.hash([UInt8(id)])))
    }
  }
}
