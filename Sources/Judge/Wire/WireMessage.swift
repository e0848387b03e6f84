/// One frame of BOLT 1 or BOLT 2, as far as the judge needs it.
enum WireMessage: Hashable {
  case greeting(FenceClaim?, FenceReply?, features: [UInt8], replaces: ReplacedFenceClaim?)
  case complaint(type: Int, text: String)
  case ping(pongSize: Int)
  case pong(size: Int)
  case storage([UInt8])
  case retrieval([UInt8])
  case reestablish(Reestablish)
  /// The peer's word on a claim.
  case fenceReply(FenceReply)
  case step(ChannelStep)
  case other(type: Int)

  struct Reestablish: Hashable {
    let channel: [UInt8]
    let nextCommitment: UInt64
    let nextRevocation: UInt64
    let secret: [UInt8]
    var fundings = Fundings()
  }

  /// What it says of splices.
  struct Fundings: Hashable {
    /// The transaction that waits for the other's signatures.
    var next: [UInt8]?
    var needsCommitment = false
    /// The newest transaction that its sender takes for done.
    var locked: [UInt8]?
  }
}

/// The private record in the wallet's `init`: the claim under which it dialled.
struct FenceClaim: Hashable {
  let epoch: Int64
  let incarnation: Int64
  let container: [UInt8]
}

/// The private record in the wallet's `init` whose person has moved it: which claim of another container it replaces.
struct ReplacedFenceClaim: Hashable {
  let epoch: Int64
  let container: [UInt8]
}

/// The peer's private message behind that, or the record in its `init`, as it was once: what it says to the claim.
struct FenceReply: Hashable {
  let accepted: Bool
  let highest: Int64
  let container: [UInt8]
}

/// A message that moves the channel.
enum ChannelStep: Hashable {
  case add(id: UInt64, amountMsat: UInt64, paymentHash: [UInt8], cltvExpiry: UInt64, data: PartData?)
  case fulfil(id: UInt64, preimage: [UInt8])
  case fail(id: UInt64, code: Int64?)
  case failMalformed(id: UInt64, code: Int64)
  case fee(perKiloweight: UInt64)
  /// With a funding that is not the channel's it binds its sender to a splice, and moves no HTLC.
  case commit(htlcSignatures: Int, funding: [UInt8]?)
  case revoke(secret: [UInt8])
  case splice(SpliceStep)

  var name: String {
    switch self {
    case .add: "update_add_htlc"
    case .fulfil: "update_fulfill_htlc"
    case .fail: "update_fail_htlc"
    case .failMalformed: "update_fail_malformed_htlc"
    case .fee: "update_fee"
    case .commit: "commitment_signed"
    case .revoke: "revoke_and_ack"
    case .splice(let step): step.name
    }
  }

  /// A commitment or a revocation: what becomes durable as a state number.
  var isNumbered: Bool {
    switch self {
    case .commit(_, let funding): funding == nil
    case .revoke: true
    case .add, .fulfil, .fail, .failMalformed, .fee, .splice: false
    }
  }

  var isOfSplice: Bool {
    switch self {
    case .splice: true
    case .commit(_, let funding): funding != nil
    case .add, .fulfil, .fail, .failMalformed, .fee, .revoke: false
    }
  }
}

extension WireMessage {
  var name: String {
    switch self {
    case .greeting: "init"
    case .fenceReply: "the answer to a claim"
    case .complaint(let type, _): type == 17 ? "error" : "warning"
    case .ping: "ping"
    case .pong: "pong"
    case .storage: "peer_storage"
    case .retrieval: "peer_storage_retrieval"
    case .reestablish: "channel_reestablish"
    case .step(let step): step.name
    case .other(let type): "message type \(type)"
    }
  }
}

extension WireMessage {
  /// The word for this kind of message in journals.
  var journalWord: String {
    switch self {
    case .greeting: "greeting"
    case .fenceReply: "fenceAnswer"
    case .complaint(let type, _): type == 17 ? "error" : "warning"
    case .ping: "ping"
    case .pong: "pong"
    case .storage: "peerStorage"
    case .retrieval: "peerStorageRetrieval"
    case .reestablish: "channelReestablish"
    case .step(.add): "addHTLC"
    case .step(.fulfil): "fulfillHTLC"
    case .step(.fail): "failHTLC"
    case .step(.failMalformed): "failMalformedHTLC"
    case .step(.fee): "updateFee"
    case .step(.commit): "commitmentSigned"
    case .step(.revoke): "revokeAndAck"
    case .step(.splice(let step)): step.journalWord
    case .other: "unknown"
    }
  }

  /// The fields that make one message of a kind different from another, as journals write them.
  var numbersAndBytes: Set<String> {
    switch self {
    case .reestablish(let body):
      Set([
        "\(body.nextCommitment)", "\(body.nextRevocation)", hexadecimal(body.secret),
        hexadecimal(body.channel),
      ]).union([body.fundings.next, body.fundings.locked].compactMap { $0.map(transactionWords) })
    case .storage(let blob), .retrieval(let blob): [hexadecimal(blob)]
    case .step(.add(let id, let amount, let hash, let expiry, let data)):
      Set(
        ["\(id)", "\(amount)", hexadecimal(hash), "\(expiry)"]
          + (data.map { [hexadecimal($0.secret), "\($0.totalMsat)"] } ?? []))
    case .step(.fulfil(let id, let preimage)): ["\(id)", hexadecimal(preimage)]
    case .step(.fail(let id, _)): ["\(id)"]
    case .step(.failMalformed(let id, let code)): ["\(id)", "\(code)"]
    case .step(.fee(let rate)): ["\(rate)"]
    case .step(.revoke(let secret)): [hexadecimal(secret)]
    case .step(.commit(_, let funding)): Set([funding].compactMap { $0.map(transactionWords) })
    case .step(.splice(let step)): step.numbersAndBytes
    case .greeting, .fenceReply, .complaint, .ping, .pong, .other: []
    }
  }
}
