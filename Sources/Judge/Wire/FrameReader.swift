/// Decodes one raw frame. Strict where the protocol is; where this version sends zeros (signatures, points, onions)
/// it demands zeros, so that every changed bit is noticed.
struct FrameReader {
  struct Malformed: Error { let reason: String }

  static let fenceReplyMessage = 0xba71
  static let pushKeyMessage = 0xba73
  static let holdEndedMessage = 0xba75
  /// Regtest's chain hash.
  private static let chain: [UInt8] = [
    0x06, 0x22, 0x6e, 0x46, 0x11, 0x1a, 0x0b, 0x59, 0xca, 0xaf, 0x12, 0x60, 0x43, 0xeb, 0x5b, 0xbf,
    0x28, 0xc3, 0x4f, 0x3a, 0x5e, 0x33, 0x2a, 0x1f, 0xc7, 0xb2, 0xb7, 0x3c, 0xf1, 0x88, 0x91, 0x0f,
  ]
  private static let networksRecord: UInt64 = 1
  private static let fenceRecord: UInt64 = 0xba70_0001
  private static let partRecord: UInt64 = 0xba70_0005
  private static let replacedRecord: UInt64 = 0xba70_0007
  private static let stfuTimeoutRecord: UInt64 = 0xba70_0009

  private static let names = [
    1: "warning", 2: "stfu", 7: "peer_storage", 9: "peer_storage_retrieval", 16: "init", 17: "error",
    18: "ping",
    19: "pong", 66: "tx_add_input", 67: "tx_add_output", 70: "tx_complete", 71: "tx_signatures",
    74: "tx_abort",
    77: "splice_locked", 80: "splice_init", 81: "splice_ack", 128: "update_add_htlc",
    130: "update_fulfill_htlc", 131: "update_fail_htlc", 132: "commitment_signed", 133: "revoke_and_ack",
    134: "update_fee", 135: "update_fail_malformed_htlc", 136: "channel_reestablish",
    fenceReplyMessage: "the answer to a claim", pushKeyMessage: "push_key", holdEndedMessage: "hold_ended",
  ]

  /// Of its message.
  static func name(of bytes: [UInt8]) -> String {
    let type = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    return names[type] ?? "message type \(type)"
  }

  /// Also returns the channel id in the frame, if it has one.
  static func read(_ bytes: [UInt8]) throws(Malformed) -> (message: WireMessage, channel: [UInt8]?) {
    var reader = FrameReader(rest: bytes[...])
    let message = try reader.message()
    // Records that this version never sends are left unread, which is an error; of unknown messages only the type is
    // read.
    if case .other = message { return (message, nil) }
    guard reader.rest.isEmpty else { throw Malformed(reason: "\(reader.rest.count) bytes follow its end") }
    return (message, reader.channel)
  }

  private var rest: ArraySlice<UInt8>
  private var channel: [UInt8]?

  private init(rest: ArraySlice<UInt8>) { self.rest = rest }

  // MARK: Messages

  private mutating func message() throws(Malformed) -> WireMessage {
    let type = Int(try number(2))
    switch type {
    case 7: return .storage(try counted())
    case 9: return .retrieval(try counted())
    case 16: return try initMessage()
    case 18:
      let size = Int(try number(2))
      try zeros(Int(try number(2)), "the padding of a ping")
      return .ping(pongSize: size)
    case 19: return .pong(size: try zeros(Int(try number(2)), "a pong"))
    case Self.fenceReplyMessage where rest.count == 25 && rest.first ?? 2 <= 1:
      return .fenceReply(
        FenceReply(accepted: try number(1) == 1, highest: try signed(), container: try take(16)))
    case Self.pushKeyMessage where rest.count == 33: return .pushKey(try take(33))
    case Self.holdEndedMessage where rest.count == 32: return .holdEnded(paymentHash: try take(32))
    case 1, 17:
      channel = try take(32)
      let text = String(decoding: try counted(), as: UTF8.self)
      let records = try records(of: type, [Self.stfuTimeoutRecord: { $0 == [1] }])
      return .errorOrWarning(type: type, text: text, isStfuTimeout: !records.isEmpty)
    case 2, 66, 67, 70, 71, 74, 77, 80, 81:
      channel = try take(32)
      return .step(.splice(try splice(type)))
    case 128, 130...135:
      channel = try take(32)
      return .step(try step(type))
    case 136:
      let channel = try take(32)
      self.channel = channel
      return .reestablish(
        WireMessage.Reestablish(
          channel: channel, nextCommitment: try number(8), nextRevocation: try number(8),
          secret: try take(32),
          fundings: try fundings()))
    default: return .other(type: type)
    }
  }

  private mutating func step(_ type: Int) throws(Malformed) -> ChannelStep {
    switch type {
    case 128:
      return .add(
        id: try number(8), amountMsat: try number(8), paymentHash: try take(32), cltvExpiry: try number(4),
        data: try partData())
    case 130: return .fulfil(id: try number(8), preimage: try take(32))
    case 131:
      let (id, reason) = (try number(8), try counted())
      return .fail(id: id, code: reason.count == 2 ? Int64(reason[0]) << 8 | Int64(reason[1]) : nil)
    case 132:
      try zeros(64, "the signature")
      let count = Int(try number(2))
      try zeros(64 * count, "an HTLC signature")
      // The funding that it spends; nil for the current one.
      return .commit(
        htlcSignatures: count, funding: try records(of: type, [1: { $0.count == 32 }])[1])
    case 133:
      let secret = try take(32)
      try zeros(33, "the next point")
      return .revoke(secret: secret)
    case 134: return .fee(perKiloweight: try number(4))
    default:
      let id = try number(8)
      _ = try take(32)
      return .failMalformed(id: id, code: Int64(try number(2)))
    }
  }

  private mutating func partData() throws(Malformed) -> PartData? {
    try zeros(1366, "the onion")
    let isAllowed = { (value: [UInt8]) in
      (32...40).contains(value.count) && (value.count == 32 || value[32] != 0)
    }
    return try records(of: 128, [Self.partRecord: isAllowed])[Self.partRecord].map {
      PartData(secret: Array($0[..<32]), totalMsat: $0[32...].reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  private mutating func fundings() throws(Malformed) -> Fundings {
    try zeros(33, "the current point")
    let records = try records(
      of: 136, [1: { $0.count == 33 && $0[32] <= 1 }, 5: { $0.count == 33 && $0[32] == 0 }])
    return Fundings(
      next: records[1].map { Array($0.dropLast()) }, needsCommitment: records[1]?.last == 1,
      locked: records[5].map { Array($0.dropLast()) })
  }

  private mutating func initMessage() throws(Malformed) -> WireMessage {
    let features = try counted() + [0xff] + (try counted())
    let records = try records(
      of: 16,
      [
        Self.networksRecord: { $0 == Self.chain }, Self.fenceRecord: { $0.count == 32 },
        Self.replacedRecord: { $0.count == 24 },
      ])
    var claim: FenceClaim?
    if let record = records[Self.fenceRecord] {
      var inner = FrameReader(rest: record[...])
      claim = FenceClaim(
        epoch: try inner.signed(), incarnation: try inner.signed(), container: try inner.take(16))
    }
    var replaces: ReplacedFenceClaim?
    if let record = records[Self.replacedRecord] {
      var inner = FrameReader(rest: record[...])
      replaces = ReplacedFenceClaim(epoch: try inner.signed(), container: try inner.take(16))
    }
    return .initMessage(claim, features: features, replaces: replaces)
  }

  /// BOLT 2's interactive transaction construction, as far as this version uses it: the channel's funding is the only
  /// input, no witnesses, no `require_confirmed_inputs`.
  private mutating func splice(_ type: Int) throws(Malformed) -> SpliceStep {
    switch type {
    case 2:
      let initiator = try number(1)
      guard initiator <= 1 else { throw Malformed(reason: "its initiator is \(initiator)") }
      return .stfu(isInitiator: initiator == 1)
    case 66:
      let serial = try number(8)
      try zeros(2, "the size of another input than the channel's funding")
      let (index, sequence) = (try number(4), try number(4))
      let spends = try records(of: type, [0: { $0.count == 32 }])[0]
      guard let spends else { throw Malformed(reason: "it names no funding") }
      return .input(
        SpliceInput(serial: serial, outputIndex: index, sequence: sequence, spends: spends))
    case 67:
      return .output(
        SpliceOutput(serial: try number(8), satoshis: try number(8), script: try counted()))
    case 70: return .complete
    case 71:
      let txid = try take(32)
      try zeros(2, "the number of witnesses, of inputs that neither end added,")
      let signatures = try records(of: type, [0: { $0 == [UInt8](repeating: 0, count: 64) }])
      guard !signatures.isEmpty else { throw Malformed(reason: "it has no signature") }
      return .signatures(txid: txid)
    case 74: return .abort(text: try counted())
    case 77: return .locked(txid: try take(32))
    case 80:
      return .begin(
        SpliceTerms(
          contribution: try signed(), feeratePerKw: try number(4), lockTime: try number(4), key: try take(33))
      )
    default: return .agree(contribution: try signed(), key: try take(33))
    }
  }

  // MARK: Fields

  private mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
    guard count >= 0, count <= rest.count else { throw Malformed(reason: "it is cut off") }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  private mutating func number(_ count: Int) throws(Malformed) -> UInt64 {
    try take(count).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func signed() throws(Malformed) -> Int64 { Int64(bitPattern: try number(8)) }

  private mutating func counted() throws(Malformed) -> [UInt8] { try take(Int(try number(2))) }

  /// Returns how many.
  @discardableResult
  private mutating func zeros(_ count: Int, _ what: String) throws(Malformed) -> Int {
    guard try take(count).allSatisfy({ $0 == 0 }) else { throw Malformed(reason: "\(what) is not zeros") }
    return count
  }

  private mutating func bigSize() throws(Malformed) -> UInt64 {
    let first = try number(1)
    guard first >= 0xfd else { return first }
    let width = 2 << Int(first - 0xfd)
    let value = try number(width)
    let least: UInt64 = width == 2 ? 0xfd : 1 << UInt64(4 * width)
    guard value >= least else { throw Malformed(reason: "a BigSize is not minimal") }
    return value
  }

  /// The TLV records at its end, by type.
  private mutating func records(
    of message: Int, _ allowed: [UInt64: ([UInt8]) -> Bool]
  ) throws(Malformed) -> [UInt64: [UInt8]] {
    var records: [UInt64: [UInt8]] = [:]
    var last: UInt64?
    while !rest.isEmpty {
      let type = try bigSize()
      if let last, type <= last { throw Malformed(reason: "its record types do not ascend") }
      last = type
      let value = try take(Int(clamping: try bigSize()))
      guard allowed[type]?(value) == true else {
        throw Malformed(
          reason:
            "the TLV record \(type) of \(countWords(value.count, "byte")) is not allowed in \(Self.names[message] ?? "")"
        )
      }
      records[type] = value
    }
    return records
  }
}
