import Ground

// The channel as bytes, for a backup. Strict and versioned: a reader accepts exactly its own version's encodings.
extension ChannelRecord: WireCodable {
  static let encodingVersion: UInt8 = 3

  func encoded() -> [UInt8] {
    var writer = WireWriter()
    writer.write(ChannelRecord.encodingVersion)
    writer.write(self)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(ChannelError) {
    if let version = bytes.first, version != ChannelRecord.encodingVersion {
      throw .damaged("unknown version \(version)")
    }
    var reader = WireReader(Array(bytes.dropFirst()))
    do throws(WireError) { self = try reader.read() } catch {
      throw .damaged(error == .truncated ? "it is cut off" : "an impossible value")
    }
    guard reader.isAtEnd else { throw .damaged("bytes after its end") }
  }

  package static var blank: ChannelRecord {
    ChannelRecord(id: .zero, isOpener: false, localMsat: 0, remoteMsat: 0)
  }

  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.field(&id)
    try coder.bits(&isOpener, &sentRevocationLast)
    try coder.fields(&localMsat, &remoteMsat, &localCommitmentNumber, &remoteCommitmentNumber)
    try coder.fields(&revocationsSent, &revocationsReceived, &nextOfferedID, &nextReceivedID)
    try coder.fields(&revision, &lastReceivedSecret)
    try coder.list(&htlcs, count: UInt8.self)
    var hasSpliced = splicedTo != nil
    var isSplicing = splice != nil
    try coder.bits(&hasSpliced, &isSplicing)
    try coder.field(&splicedTo, isPresent: hasSpliced)
    try coder.field(&splice, isPresent: isSplicing)
  }
}

extension OutPoint: WireCodable {
  package static var blank: OutPoint { OutPoint(transaction: .blank, index: 0) }
  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var (transaction, index) = (transaction, index)
    try coder.fields(&transaction, &index)
    self = OutPoint(transaction: transaction, index: index)
  }
}

extension PendingSplice: WireCodable {
  package static var blank: PendingSplice {
    PendingSplice(isOurs: false, stage: .signing, transaction: [], fundingIndex: 0, amountSat: 0, feeSat: 0)
  }

  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.choice(&stage)
    try coder.fields(&isOurs, &fundingIndex, &amountSat)
    try coder.fields(&feeSat, &transaction)
  }
}

extension HTLC: WireCodable {
  package static var blank: HTLC {
    HTLC(id: 0, amountMsat: 0, paymentHash: .zero, cltvExpiry: 0, state: .sentAdd)
  }

  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.choice(&state)
    try coder.fields(&id, &amountMsat, &paymentHash, &cltvExpiry)
    try codeRemoval(&coder)
    var isOfPayment = paymentData != nil
    try coder.field(&isOfPayment)
    guard isOfPayment else { return paymentData = nil }
    var data = paymentData ?? .blank
    try coder.field(&data.secret)
    try coder.field(&data.totalMsat)
    paymentData = data
  }

  private mutating func codeRemoval<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var (kind, preimage, code): (UInt8, Bytes32, UInt16) =
      switch removal {
      case nil: (0, .zero, 0)
      case .fulfilled(preimage: nil): (1, .zero, 0)
      case .fulfilled(.some(let preimage)): (2, preimage, 0)
      case .failed(let code): (3, .zero, code)
      }
    try coder.field(&kind)
    try coder.require(kind < 4)
    if kind == 2 { try coder.field(&preimage) }
    if kind == 3 { try coder.field(&code) }
    removal =
      [
        nil, .fulfilled(preimage: nil), .fulfilled(preimage: preimage), .failed(code: code),
      ][Int(kind)]
  }
}
