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
    case 67:
      return .output(serial: try number(8), satoshis: try number(8), script: try counted())
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
