import Ground

/// The splice transaction that both sides have built, by the rules of BOLT 2 and BOLT 3.
struct SplicePlan: Hashable {
  /// In the byte order of the hash.
  let txid: [UInt8]
  /// Without witnesses, as BIP 144 lays it out.
  let transaction: [UInt8]
  let spentTxid: [UInt8]
  let spentIndex: UInt64
  let fundingIndex: UInt64
  let amountSat: UInt64
  let feeSat: UInt64
  /// The recipient's script.
  let script: [UInt8]

  var takenMsat: UInt64 { (amountSat &+ feeSat) &* 1000 }

  private static let version: UInt64 = 2
  /// Version, lock time and two counts; marker and flag; the input; its witness: two signatures and the script.
  private static let weightWithoutOutputs: UInt64 = 4 * (4 + 4 + 1 + 1) + 2 + 4 * 41 + 222

  init(
    _ negotiation: SpliceNegotiation, funding: ChannelFunding, capacitySat: UInt64
  ) throws(ChannelView.Illegal) {
    guard let terms = negotiation.terms, let peerKey = negotiation.peerKey, let input = negotiation.input,
      negotiation.outputs.count == 2
    else { throw ChannelView.Illegal(reason: "the transaction is incomplete") }
    let taken = terms.contribution.magnitude
    guard taken < capacitySat else {
      throw ChannelView.Illegal(reason: "it withdraws more than the channel's capacity")
    }
    let outputs = negotiation.outputs.sorted { $0.serial < $1.serial }
    let script = Self.fundingScript(terms.key, peerKey)
    let places = outputs.indices.filter {
      outputs[$0].script == script && outputs[$0].satoshis == capacitySat - taken
    }
    guard places.count == 1 else {
      throw ChannelView.Illegal(reason: "the transaction does not pay the rest to the funding script")
    }
    let paid = outputs[1 - places[0]]
    guard paid.satoshis <= taken else { throw ChannelView.Illegal(reason: "the transaction has no fee") }
    let bytes = outputs.reduce(UInt64(0)) { $0 + 9 + UInt64($1.script.count) }
    let fee = ((Self.weightWithoutOutputs + 4 * bytes) * terms.feeratePerKw + 999) / 1000
    guard taken - paid.satoshis == fee else {
      throw ChannelView.Illegal(
        reason:
          "the fee is \(AmountText.words(sat: taken - paid.satoshis)) where \(AmountText.words(sat: fee)) are due"
      )
    }
    self.script = paid.script
    amountSat = paid.satoshis
    feeSat = fee
    spentTxid = funding.txid
    spentIndex = funding.index
    fundingIndex = UInt64(places[0])
    transaction =
      Self.number(Self.version, 4) + [1] + funding.txid + Self.number(funding.index, 4) + [0]
      + Self.number(input.sequence, 4) + [UInt8(outputs.count)]
      + outputs.flatMap { Self.number($0.satoshis, 8) + [UInt8($0.script.count)] + $0.script }
      + Self.number(terms.lockTime, 4)
    txid = Secrets.sha256(Secrets.sha256(transaction))
  }

  /// Little-endian.
  private static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(value >> UInt64(8 * $0) & 0xff) }
  }

  /// The hash of BOLT 3's `2 <key> <key> 2 OP_CHECKMULTISIG`, the lesser key first.
  private static func fundingScript(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
    let keys = [one, other].sorted { $0.lexicographicallyPrecedes($1) }
    return [0, 32] + Secrets.sha256([0x52, 33] + keys[0] + [33] + keys[1] + [0x52, 0xae])
  }
}

/// The channel's funding output. The initial txid is the channel id.
struct ChannelFunding: Hashable {
  var txid: [UInt8]
  var index: UInt64
}

extension SplicePlan {
  /// The script to which a row's transaction pays the row's amount; nil if there is none.
  static func output(of entry: SpliceEntry) -> [UInt8]? {
    // The version, one input of 41 bytes, and the number of outputs.
    var rest = entry.unsignedTransaction.dropFirst(4 + 1 + 41)
    guard let count = rest.popFirst(), count < 0xfd else { return nil }
    var found: [UInt8]?
    for index in 0..<Int64(count) {
      let satoshis = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(8)
      guard let size = rest.popFirst(), size < 0xfd, rest.count >= Int(size) else { return nil }
      if index != entry.fundingIndex, satoshis == UInt64(bitPattern: entry.amountSat) {
        found = Array(rest.prefix(Int(size)))
      }
      rest = rest.dropFirst(Int(size))
    }
    return found
  }
}

/// A splice negotiation that binds neither side yet. It ends with its connection.
struct SpliceNegotiation: Hashable {
  var sentStfu = Pair<Bool>(false)
  var terms: SpliceTerms?
  var peerKey: [UInt8]?
  var input: SpliceInput?
  var outputs: [SpliceOutput] = []
  /// The side whose turn it is to add an input or output, or to send `tx_complete`.
  var turn = ChannelEnd.wallet
  /// The peer has answered the newest addition with `tx_complete`.
  var isAnswered = false
  var isOver = false

  var isQuiescent: Bool { sentStfu[.wallet] && sentStfu[.peer] }
  /// The wallet's `tx_complete` would complete the transaction.
  var isWhole: Bool { !isOver && isAnswered && turn == .wallet && input != nil && outputs.count == 2 }
}

/// A splice that binds a side, and its messages since.
struct BoundSplice: Hashable {
  enum End: String { case done, forgotten }

  let plan: SplicePlan
  /// Which side has sent `commitment_signed` for the new funding, `tx_signatures`, `splice_locked`.
  var committed = Pair<Bool>(false)
  var signed = Pair<Bool>(false)
  var locked = Pair<Bool>(false)
  /// Which messages the other side has requested again.
  var mayRepeatCommitment = Pair<Bool>(false)
  var mayRepeatSignatures = Pair<Bool>(false)
  /// Its end at the viewer.
  var end: End?

  init(_ plan: SplicePlan) { self.plan = plan }

  /// This side has received `tx_signatures` and `splice_locked`.
  func isDone(at end: ChannelEnd) -> Bool { signed[end.other] && locked[end.other] }

  /// The `state` in the table of this side.
  func stateName(at holder: ChannelEnd) -> String {
    if let end { return end.rawValue }
    if signed[holder.other] { return "signed" }
    return committed[holder.other] ? "committed" : "signing"
  }

  /// Whether the holder may forget it.
  func mayBeForgotten(by holder: ChannelEnd) -> Bool {
    holder == .wallet ? !signed[.peer] : !committed[.wallet]
  }
}
