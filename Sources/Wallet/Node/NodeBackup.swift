import Lightning

/// The copy of the state that the peer keeps for us (`peer_storage`), before it is sealed.
public struct NodeBackup: Hashable, Codable, Sendable {
  public var channel: Channel
  /// Open invoices, and those of accepted payments in the channel.
  public var invoices: [Invoice]

  /// A peer keeps at most 65531 bytes. The channel comes first, then the newest invoices that fit.
  private static let invoiceLimit = 200
  private static let version: UInt8 = 4

  public func encoded() -> [UInt8] {
    var writer = WireWriter()
    writer.write(Self.version)
    writer.write(Bytes(channel.encoded()))
    var kept = Array(invoices.suffix(Self.invoiceLimit))
    writer.list(&kept, count: UInt16.self)
    return writer.bytes
  }

  public static func read(_ bytes: [UInt8]) -> BackupReading {
    do {
      var reader = WireReader(bytes)
      let version: UInt8 = try reader.read()
      guard version == Self.version else { return .otherVersion(version, known: Self.version) }
      let channel = try Channel(decoding: (try reader.read() as Bytes).array)
      var invoices: [Invoice] = []
      try reader.list(&invoices, count: UInt16.self)
      return reader.isAtEnd ? .backup(NodeBackup(channel: channel, invoices: invoices)) : .unreadable
    } catch { return .unreadable }
  }
}

extension Invoice: WireCodable {
  package static var blank: Invoice {
    Invoice(paymentHash: .zero, amountMsat: 0, text: "", tweak: .zero, expiresAt: 0)
  }

  package mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.field(&paymentHash)
    try coder.field(&amountMsat)
    try coder.field(&tweak)
    try coder.field(&expiresAt)
    var text = Bytes(Array(text.utf8.prefix(200)))
    try coder.field(&text)
    self.text = String(decoding: text.array, as: UTF8.self)
  }
}
