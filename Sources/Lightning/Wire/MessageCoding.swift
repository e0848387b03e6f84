import Ground

extension Message {
  /// The bytes on the wire, the type first.
  public func encoded() -> [UInt8] {
    var writer = WireWriter()
    writer.u16(type)
    switch self {
    case .initMessage(let body): body.write(to: &writer)
    case .error(let body), .warning(let body): body.write(to: &writer)
    case .ping(let body): body.write(to: &writer)
    case .pong(let ignored): writer.counted(ignored)
    case .peerStorage(let blob), .peerStorageRetrieval(let blob): writer.counted(Bytes(blob.array))
    case .channelReestablish(let body): body.write(to: &writer)
    case .addHTLC(let body): body.write(to: &writer)
    case .fulfillHTLC(let body): body.write(to: &writer)
    case .failHTLC(let body): body.write(to: &writer)
    case .failMalformedHTLC(let body): body.write(to: &writer)
    case .updateFee(let body): body.write(to: &writer)
    case .commitmentSigned(let body): body.write(to: &writer)
    case .revokeAndAck(let body): body.write(to: &writer)
    case .quiescence(let body): body.write(to: &writer)
    case .addInput(let body): body.write(to: &writer)
    case .addOutput(let body): body.write(to: &writer)
    case .transactionComplete(let body): body.write(to: &writer)
    case .transactionSignatures(let body): body.write(to: &writer)
    case .transactionAbort(let body): body.write(to: &writer)
    case .spliceLocked(let body): body.write(to: &writer)
    case .spliceInit(let body): body.write(to: &writer)
    case .spliceAck(let body): body.write(to: &writer)
    case .fenceAnswer(let body): writer.put(body.record.array)
    case .pushKey(let key): writer.put(key)
    case .holdEnded(let paymentHash): writer.put(paymentHash)
    case .service(let payload): writer.put(payload.array)
    case .unknown(_, let bytes): writer.put(bytes.array)
    }
    return writer.bytes
  }

  /// The bytes in the ledger: a backup's hash stands in its place.
  public var ledgerBytes: [UInt8] {
    switch self {
    case .peerStorage(let blob): Message.peerStorage(Blob(blob.hash.bytes)).encoded()
    case .peerStorageRetrieval(let blob): Message.peerStorageRetrieval(Blob(blob.hash.bytes)).encoded()
    default: encoded()
    }
  }

  /// Strict: numbers in their shortest form, records in ascending order, complete, nothing after the end.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    guard bytes.count <= Message.maximumSize else { throw .tooLong }
    var reader = WireReader(bytes)
    let type = try reader.u16()
    switch type {
    case 1: self = .warning(try ErrorOrWarning(reader: &reader))
    case 2: self = .quiescence(try Quiescence(reader: &reader))
    case 7: self = .peerStorage(Blob(try Message.counted(&reader).array))
    case 9: self = .peerStorageRetrieval(Blob(try Message.counted(&reader).array))
    case 16: self = .initMessage(try InitMessage(reader: &reader))
    case 17: self = .error(try ErrorOrWarning(reader: &reader))
    case 18: self = .ping(try Ping(reader: &reader))
    case 19: self = .pong(try Message.counted(&reader))
    case 66: self = .addInput(try AddInput(reader: &reader))
    case 67: self = .addOutput(try AddOutput(reader: &reader))
    case 70: self = .transactionComplete(try TransactionComplete(reader: &reader))
    case 71: self = .transactionSignatures(try TransactionSignatures(reader: &reader))
    case 74: self = .transactionAbort(try TransactionAbort(reader: &reader))
    case 77: self = .spliceLocked(try SpliceLocked(reader: &reader))
    case 80: self = .spliceInit(try SpliceInit(reader: &reader))
    case 81: self = .spliceAck(try SpliceAck(reader: &reader))
    case 128: self = .addHTLC(try AddHTLC(reader: &reader))
    case 130: self = .fulfillHTLC(try FulfillHTLC(reader: &reader))
    case 131: self = .failHTLC(try FailHTLC(reader: &reader))
    case 132: self = .commitmentSigned(try CommitmentSigned(reader: &reader))
    case 133: self = .revokeAndAck(try RevokeAndAck(reader: &reader))
    case 134: self = .updateFee(try UpdateFee(reader: &reader))
    case 135: self = .failMalformedHTLC(try FailMalformedHTLC(reader: &reader))
    case 136: self = .channelReestablish(try ChannelReestablish(reader: &reader))
    case Message.serviceType: self = .service(Bytes(reader.takeRest()))
    default:
      guard !type.isMultiple(of: 2) || Gossip.types.contains(type) else { throw .unknownEvenMessage(type) }
      self = Message(ownOr: type, Bytes(reader.takeRest()))
    }
    guard reader.isAtEnd else { throw .trailingBytes }
  }

  /// Other software may use our types for other messages, which are unknown here.
  private init(ownOr type: UInt16, _ bytes: Bytes) {
    if type == FenceAnswer.messageType, let answer = try? FenceAnswer(record: bytes) {
      self = .fenceAnswer(answer)
    } else if type == Message.pushKeyType, let key = CurvePoint(bytes.array) {
      self = .pushKey(key)
    } else if type == Message.holdEndedType, let paymentHash = Bytes32(bytes.array) {
      self = .holdEnded(paymentHash)
    } else {
      self = .unknown(type: type, bytes: bytes)
    }
  }

  /// One counted field; the records after it are ignored.
  private static func counted(_ reader: inout WireReader) throws(WireError) -> Bytes {
    let value = try reader.counted()
    _ = try reader.records()
    return value
  }
}
