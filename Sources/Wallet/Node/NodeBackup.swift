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
    writer.u8(Self.version)
    writer.counted(Bytes(channel.encoded()))
    let kept = invoices.suffix(Self.invoiceLimit)
    writer.u16(UInt16(kept.count))
    for invoice in kept {
      writer.put(invoice.paymentHash)
      writer.u64(invoice.amountMsat)
      writer.put(invoice.tweak)
      writer.u64(UInt64(bitPattern: invoice.expiresAt))
      writer.counted(Bytes(Array(invoice.text.utf8.prefix(200))))
    }
    return writer.bytes
  }

  public static func read(_ bytes: [UInt8]) -> BackupReading {
    do {
      var reader = WireReader(bytes)
      let version = try reader.u8()
      guard version == Self.version else { return .otherVersion(version, known: Self.version) }
      let channel = try Channel(decoding: try reader.counted().array)
      var invoices: [Invoice] = []
      for _ in 0..<(try reader.u16()) {
        invoices.append(
          Invoice(
            paymentHash: try reader.bytes32(), amountMsat: try reader.u64(), text: "",
            tweak: try reader.bytes32(), expiresAt: Int64(bitPattern: try reader.u64())))
        invoices[invoices.count - 1].text = String(decoding: try reader.counted().array, as: UTF8.self)
      }
      return reader.isAtEnd ? .backup(NodeBackup(channel: channel, invoices: invoices)) : .unreadable
    } catch {
      return .unreadable
    }
  }
}
