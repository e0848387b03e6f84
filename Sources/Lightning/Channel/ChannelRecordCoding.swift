// The channel as bytes, for a backup. Strict and versioned: a reader accepts exactly its own version's encodings.
extension ChannelRecord {
  static let encodingVersion: UInt8 = 3

  func encoded() -> [UInt8] {
    var writer = WireWriter()
    writer.u8(ChannelRecord.encodingVersion)
    writer.put(id)
    writer.u8((isOpener ? 1 : 0) | (sentRevocationLast ? 2 : 0))
    for number in [
      localMsat, remoteMsat, localCommitmentNumber, remoteCommitmentNumber, revocationsSent,
      revocationsReceived, nextOfferedID, nextReceivedID, revision,
    ] { writer.u64(number) }
    writer.put(lastReceivedSecret)
    writer.u8(UInt8(clamping: htlcs.count))
    for htlc in htlcs { htlc.write(to: &writer) }
    writer.u8((splicedTo == nil ? 0 : 1) | (splice == nil ? 0 : 2))
    if let splicedTo {
      writer.put(splicedTo.transaction.hash)
      writer.u32(splicedTo.index)
    }
    splice?.write(to: &writer)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(ChannelError) {
    do {
      var reader = WireReader(bytes)
      try self.init(reader: &reader)
      guard reader.isAtEnd else { throw ChannelError.damaged("bytes after its end") }
    } catch let error as ChannelError {
      throw error
    } catch {
      throw .damaged("it is cut off")
    }
  }

  private init(reader: inout WireReader) throws {
    let version = try reader.u8()
    guard version == ChannelRecord.encodingVersion else {
      throw ChannelError.damaged("unknown version \(version)")
    }
    let id = try reader.bytes32()
    let flags = try reader.u8()
    guard flags < 4 else { throw ChannelError.damaged("the flags") }
    self.init(id: id, isOpener: flags & 1 == 1, localMsat: try reader.u64(), remoteMsat: try reader.u64())
    sentRevocationLast = flags & 2 == 2
    localCommitmentNumber = try reader.u64()
    remoteCommitmentNumber = try reader.u64()
    revocationsSent = try reader.u64()
    revocationsReceived = try reader.u64()
    nextOfferedID = try reader.u64()
    nextReceivedID = try reader.u64()
    revision = try reader.u64()
    lastReceivedSecret = try reader.bytes32()
    let count = try reader.u8()
    for _ in 0..<count { htlcs.append(try HTLC(reader: &reader)) }
    let fundings = try reader.u8()
    guard fundings < 4 else { throw ChannelError.damaged("the fundings") }
    if fundings & 1 == 1 {
      splicedTo = OutPoint(transaction: TransactionID(hash: try reader.bytes32()), index: try reader.u32())
    }
    if fundings & 2 == 2 { splice = try PendingSplice(reader: &reader) }
  }
}

extension PendingSplice {
  fileprivate func write(to writer: inout WireWriter) {
    writer.u8(stage.rawValue)
    writer.u8(isOurs ? 1 : 0)
    writer.u32(fundingIndex)
    writer.u64(amountSat)
    writer.u64(feeSat)
    writer.counted(transaction)
  }

  fileprivate init(reader: inout WireReader) throws {
    guard let stage = Stage(rawValue: try reader.u8()) else {
      throw ChannelError.damaged("the stage of the splice")
    }
    let isOurs = try reader.u8()
    guard isOurs < 2 else { throw ChannelError.damaged("the side of the splice") }
    let index = try reader.u32()
    self.init(
      isOurs: isOurs == 1, stage: stage, transaction: [], fundingIndex: index, amountSat: try reader.u64(),
      feeSat: try reader.u64())
    transaction = try reader.counted()
  }
}

extension HTLC {
  fileprivate func write(to writer: inout WireWriter) {
    writer.u8(state.rawValue)
    writer.u64(id)
    writer.u64(amountMsat)
    writer.put(paymentHash)
    writer.u32(cltvExpiry)
    switch removal {
    case nil: writer.u8(0)
    case .fulfilled(preimage: nil): writer.u8(1)
    case .fulfilled(.some(let preimage)):
      writer.u8(2)
      writer.put(preimage)
    case .failed(let code):
      writer.u8(3)
      writer.u16(code)
    }
    writer.u8(paymentData == nil ? 0 : 1)
    if let paymentData {
      writer.put(paymentData.secret)
      writer.u64(paymentData.totalMsat)
    }
  }

  fileprivate init(reader: inout WireReader) throws {
    guard let state = HTLCState(rawValue: try reader.u8()) else {
      throw ChannelError.damaged("the state of an HTLC")
    }
    self.init(
      id: try reader.u64(), amountMsat: try reader.u64(), paymentHash: try reader.bytes32(),
      cltvExpiry: try reader.u32(), state: state)
    switch try reader.u8() {
    case 0: removal = nil
    case 1: removal = .fulfilled(preimage: nil)
    case 2: removal = .fulfilled(preimage: try reader.bytes32())
    case 3: removal = .failed(code: try reader.u16())
    default: throw ChannelError.damaged("the removal of an HTLC")
    }
    switch try reader.u8() {
    case 0: paymentData = nil
    case 1: paymentData = PaymentData(secret: try reader.bytes32(), totalMsat: try reader.u64())
    default: throw ChannelError.damaged("the payment data of an HTLC")
    }
  }
}
