import Ground

/// The plain text of a sealed payload, as a server writes it; only written here.
public struct OpenedPayload: Hashable, Codable, Sendable {
  public struct Payload: Hashable, Codable, Sendable {
    public var paymentHash: String?
    public var amountMsat: UInt64?
    public var held: Bool?
    public var holdExpiresAt: Int64?
  }

  public var source = "blocktank"
  public var type: String
  public var payload: Payload
  /// In ISO 8601, by the server's clock.
  public var createdAt: String

  /// `PushReader.readOpened` reads it back.
  public init(_ announcement: Announcement, createdAt: String) {
    type = announcement.kind.rawValue
    let isPayment = announcement.payment != nil
    payload = Payload(
      paymentHash: announcement.paymentHash?.hex, amountMsat: announcement.amountMsat,
      held: isPayment ? announcement.isHeld : nil, holdExpiresAt: announcement.holdEndsAt)
    self.createdAt = createdAt
  }

  public var json: [UInt8] { (try? JSONLineEncoder().encode(self)).map { Array($0.utf8) } ?? [] }
}
