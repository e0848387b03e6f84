/// Decodes one raw frame. Strict where the protocol is; where this version sends zeros (signatures, points, onions)
/// it demands zeros, so that every changed bit is noticed.
struct FrameReader {
  struct Malformed: Error { let reason: String }

  private let bytes: [UInt8]
  private var position = 0
  static let fenceRecord: UInt64 = 0xba70_0001
  static let fenceReplyMessage = 0xba71
  static let pushKeyMessage = 0xba73
  static let holdEndedMessage = 0xba75
  /// LSPS0.
  static let serviceMessage = 37913
  static let networksRecord: UInt64 = 1
  /// Regtest's chain hash.
  static let chain: [UInt8] = [
    0x06, 0x22, 0x6e, 0x46, 0x11, 0x1a, 0x0b, 0x59, 0xca, 0xaf, 0x12, 0x60, 0x43, 0xeb, 0x5b, 0xbf,
    0x28, 0xc3, 0x4f, 0x3a, 0x5e, 0x33, 0x2a, 0x1f, 0xc7, 0xb2, 0xb7, 0x3c, 0xf1, 0x88, 0x91, 0x0f,
  ]
  static let replacedRecord: UInt64 = 0xba70_0007
  static let partRecord: UInt64 = 0xba70_0005
  static let stfuTimeoutRecord: UInt64 = 0xba70_0009

  /// Also returns the channel id in the frame, if it has one.
  static func read(_ bytes: [UInt8]) throws(Malformed) -> (message: WireMessage, channel: [UInt8]?) {
    var reader = FrameReader(bytes: bytes)
    let message = try reader.message()
    // Records that this version never sends are left unread, which is an error; of unknown messages only the type is
    // read.
    if case .other = message { return (message, nil) }
    let rest = bytes.count - reader.position
    guard rest == 0 else { throw Malformed(reason: "\(rest) bytes follow its end") }
    return (message, reader.channel)
  }

  private var channel: [UInt8]?

  private init(bytes: [UInt8]) { self.bytes = bytes }

  // MARK: Messages

  private mutating func message() throws(Malformed) -> WireMessage {
    let type = Int(try number(2))
    switch type {
    case 1, 17:
      channel = try take(32)
      let text = String(decoding: try counted(), as: UTF8.self)
      return .errorOrWarning(type: type, text: text, isStfuTimeout: try isStfuTimeout())
    case 7: return .storage(try counted())
    case 9: return .retrieval(try counted())
    case 16: return try initMessage()
    case 18:
      let size = Int(try number(2))
      try zeros(Int(try number(2)), "the padding of a ping")
      return .ping(pongSize: size)
    case 19:
      let size = Int(try number(2))
      try zeros(size, "a pong")
      return .pong(size: size)
    case 2, 66, 67, 70, 71, 74, 77, 80, 81:
      channel = try take(32)
      return .step(.splice(try splice(type)))
    case Self.fenceReplyMessage where bytes.count == 27 && bytes[2] <= 1: return .fenceReply(try fenceReply())
    case Self.pushKeyMessage where bytes.count == 35: return .pushKey(try take(33))
    case Self.holdEndedMessage where bytes.count == 34: return .holdEnded(paymentHash: try take(32))
    case 128, 130...136: return try aboutChannel(type)
    default: return .other(type: type)
    }
  }

  private mutating func isStfuTimeout() throws(Malformed) -> Bool {
    let found = try records()
    for record in found where record.type != Self.stfuTimeoutRecord || record.value != [1] {
      throw Malformed(reason: "the TLV record \(record.type) is not allowed in a warning or an error")
    }
    return !found.isEmpty
  }

  private mutating func aboutChannel(_ type: Int) throws(Malformed) -> WireMessage {
    channel = try take(32)
    switch type {
    case 128:
      let id = try number(8)
      let amount = try number(8)
      let hash = try take(32)
      let expiry = try number(4)
      try zeros(1366, "the onion")
      return .step(
        .add(id: id, amountMsat: amount, paymentHash: hash, cltvExpiry: expiry, data: try partData()))
    case 130: return .step(.fulfil(id: try number(8), preimage: try take(32)))
    case 131:
      let id = try number(8)
      let reason = try counted()
      let code = reason.count == 2 ? Int64(reason[0]) << 8 | Int64(reason[1]) : nil
      return .step(.fail(id: id, code: code))
    case 132:
      try zeros(64, "the signature")
      let count = Int(try number(2))
      try zeros(64 * count, "an HTLC signature")
      return .step(.commit(htlcSignatures: count, funding: try commitmentFunding()))
    case 133:
      let secret = try take(32)
      try zeros(33, "the next point")
      return .step(.revoke(secret: secret))
    case 134: return .step(.fee(perKiloweight: try number(4)))
    case 135:
      let id = try number(8)
      _ = try take(32)
      return .step(.failMalformed(id: id, code: Int64(try number(2))))
    default: return try reestablish(channel ?? [])
    }
  }

  private mutating func partData() throws(Malformed) -> PartData? {
    var data: PartData?
    for record in try records() {
      guard record.type == Self.partRecord, (32...40).contains(record.value.count),
        record.value.count == 32 || record.value[32] != 0
      else { throw Malformed(reason: "the TLV record \(record.type) is not allowed in an update_add_htlc") }
      data = PartData(
        secret: Array(record.value[..<32]), totalMsat: record.value[32...].reduce(0) { $0 << 8 | UInt64($1) })
    }
    return data
  }

  private mutating func reestablish(_ channel: [UInt8]) throws(Malformed) -> WireMessage {
    let nextCommitment = try number(8)
    let nextRevocation = try number(8)
    let secret = try take(32)
    try zeros(33, "the current point")
    return .reestablish(
      WireMessage.Reestablish(
        channel: channel, nextCommitment: nextCommitment, nextRevocation: nextRevocation, secret: secret,
        fundings: try fundings()))
  }

  private mutating func initMessage() throws(Malformed) -> WireMessage {
    let features = try counted() + [0xff] + (try counted())
    var claim: FenceClaim?
    var replaces: ReplacedFenceClaim?
    for record in try records() {
      var inner = FrameReader(bytes: record.value)
      switch (record.type, record.value.count) {
      case (Self.fenceRecord, 32):
        claim = FenceClaim(
          epoch: Int64(bitPattern: try inner.number(8)), incarnation: Int64(bitPattern: try inner.number(8)),
          container: try inner.take(16))
      case (Self.replacedRecord, 24):
        replaces = ReplacedFenceClaim(
          epoch: Int64(bitPattern: try inner.number(8)), container: try inner.take(16))
      case (Self.networksRecord, _):
        guard record.value == Self.chain else {
          throw Malformed(reason: "its networks are not regtest alone")
        }
      case (_, let count):
        throw Malformed(
          reason: "the init's TLV record \(record.type) of \(count) bytes is none that Baton sends")
      }
    }
    return .initMessage(claim, features: features, replaces: replaces)
  }

  private mutating func fenceReply() throws(Malformed) -> FenceReply {
    let verdict = try number(1)
    guard verdict <= 1 else { throw Malformed(reason: "its fence answer is \(verdict)") }
    return FenceReply(
      accepted: verdict == 1, highest: Int64(bitPattern: try number(8)), container: try take(16))
  }

  // MARK: Fields

  mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
    guard count >= 0, count <= bytes.count - position else { throw Malformed(reason: "it is cut off") }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func number(_ count: Int) throws(Malformed) -> UInt64 {
    try take(count).reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func counted() throws(Malformed) -> [UInt8] { try take(Int(try number(2))) }

  private mutating func zeros(_ count: Int, _ what: String) throws(Malformed) {
    guard try take(count).allSatisfy({ $0 == 0 }) else { throw Malformed(reason: "\(what) is not zeros") }
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

  mutating func records() throws(Malformed) -> [(type: UInt64, value: [UInt8])] {
    var records: [(type: UInt64, value: [UInt8])] = []
    while position < bytes.count {
      let type = try bigSize()
      if let last = records.last, type <= last.type {
        throw Malformed(reason: "its record types do not ascend")
      }
      let length = try bigSize()
      guard length <= UInt64(bytes.count - position) else { throw Malformed(reason: "it is cut off") }
      records.append((type, try take(Int(length))))
    }
    return records
  }
}

// The messages of BOLT 2's interactive transaction construction, as far as this version uses them: the channel's
// funding is the only input, no witnesses, no `require_confirmed_inputs`.
extension FrameReader {
  mutating func splice(_ type: Int) throws(Malformed) -> SpliceStep {
    switch type {
    case 2:
      let initiator = try number(1)
      guard initiator <= 1 else { throw Malformed(reason: "its initiator is \(initiator)") }
      return .stfu(isInitiator: initiator == 1)
    case 66: return try input()
    case 67: return .output(serial: try number(8), satoshis: try number(8), script: try counted())
    case 70: return .complete
    case 71: return try signatures()
    case 74: return .abort(text: try counted())
    case 77: return .locked(txid: try take(32))
    case 80:
      return .begin(
        contribution: Int64(bitPattern: try number(8)), feeratePerKw: try number(4), lockTime: try number(4),
        key: try take(33))
    default: return .agree(contribution: Int64(bitPattern: try number(8)), key: try take(33))
    }
  }

  private mutating func input() throws(Malformed) -> SpliceStep {
    let serial = try number(8)
    guard try number(2) == 0 else {
      throw Malformed(reason: "it adds another input than the channel's funding")
    }
    let index = try number(4)
    let sequence = try number(4)
    return .input(
      serial: serial, outputIndex: index, sequence: sequence, spends: try onlyRecord(0, ofSize: 32))
  }

  private mutating func signatures() throws(Malformed) -> SpliceStep {
    let txid = try take(32)
    guard try number(2) == 0 else {
      throw Malformed(reason: "it has witnesses of inputs that neither end added")
    }
    let signature = try onlyRecord(0, ofSize: 64)
    guard signature.allSatisfy({ $0 == 0 }) else { throw Malformed(reason: "its signature is not zeros") }
    return .signatures(txid: txid)
  }

  private mutating func onlyRecord(_ type: UInt64, ofSize size: Int) throws(Malformed) -> [UInt8] {
    let all = try records()
    guard all.count == 1, all[0].type == type, all[0].value.count == size else {
      throw Malformed(reason: "it must have one TLV record, of type \(type) and \(size) bytes")
    }
    return all[0].value
  }

  /// The funding that a commitment spends; nil for the current one.
  mutating func commitmentFunding() throws(Malformed) -> [UInt8]? {
    let all = try records()
    guard let first = all.first else { return nil }
    guard all.count == 1, first.type == 1, first.value.count == 32 else {
      throw Malformed(reason: "its TLV record \(first.type) is not allowed in a commitment_signed")
    }
    return first.value
  }

  /// The fundings in a `channel_reestablish`.
  mutating func fundings() throws(Malformed) -> WireMessage.Fundings {
    var fundings = WireMessage.Fundings()
    for record in try records() {
      let flags = record.value.last ?? 0xff
      switch (record.type, record.value.count) {
      case (1, 33) where flags <= 1:
        fundings.next = Array(record.value.dropLast())
        fundings.needsCommitment = flags == 1
      case (5, 33) where flags == 0: fundings.locked = Array(record.value.dropLast())
      default:
        throw Malformed(reason: "the TLV record \(record.type) is not allowed in a channel_reestablish")
      }
    }
    return fundings
  }
}
