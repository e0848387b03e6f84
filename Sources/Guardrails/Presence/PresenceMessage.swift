import Ground

/// One message of the presence channel: Phoenix's code and our additions.
///
/// Messages only inform. Their content is also state that the receiver re-reads (the intent lock, the row, the role
/// lock), so a lost, repeated or late message costs time and never safety.
public struct PresenceMessage: Hashable, Codable, Sendable {
  public var code: PresenceCode
  /// The sender wants the node now.
  public var wantsNode: Bool
  /// The sender asks the holder for a handover at its next safe point.
  public var asksForHandover: Bool
  /// The sender has just released this epoch.
  public var released: Epoch?

  public init(
    code: PresenceCode, wantsNode: Bool = false, asksForHandover: Bool = false, released: Epoch? = nil
  ) {
    self.code = code
    self.wantsNode = wantsNode
    self.asksForHandover = asksForHandover
    self.released = released
  }

  public static let size = 16
  private static let magic: UInt8 = 0x42
  private static let version: UInt8 = 1

  /// Magic, version, code, flags, four zeros, then the released epoch in little-endian.
  public func encoded() -> [UInt8] {
    let flags: UInt8 = (wantsNode ? 1 : 0) | (asksForHandover ? 2 : 0) | (released == nil ? 0 : 4)
    var bytes: [UInt8] = [Self.magic, Self.version, code.rawValue, flags, 0, 0, 0, 0]
    bytes.append(littleEndian: released ?? 0)
    return bytes
  }

  /// nil for bytes that `encoded` does not produce.
  public init?(decoding bytes: [UInt8]) {
    guard bytes.count == Self.size, bytes[0] == Self.magic, bytes[1] == Self.version,
      let code = PresenceCode(rawValue: bytes[2]), bytes[3] < 8, bytes[4...7].allSatisfy({ $0 == 0 })
    else { return nil }
    let epoch = bytes.littleEndian(at: 8)
    let carriesRelease = bytes[3] & 4 != 0
    guard carriesRelease || epoch == 0 else { return nil }
    self.init(
      code: code, wantsNode: bytes[3] & 1 != 0, asksForHandover: bytes[3] & 2 != 0,
      released: carriesRelease ? epoch : nil)
  }
}
