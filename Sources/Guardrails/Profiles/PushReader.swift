import Ground

/// Reads a wallet's fields from a push's payload.
public enum PushReader {
  /// APNs delivers no more.
  public static let payloadLimit = 4096
  /// The silent push of Bitkit's server for an incoming payment.
  public static let wakeType = "incoming_htlc_wake"

  /// `open` gives the plain text of a sealed payload, or nil if it cannot be opened; it is called at most once, and only
  /// for a push that has such a payload.
  public static func read(
    _ payload: [UInt8], id: UInt64, as form: PushForm, open: (SealedMembers) -> [UInt8]? = { _ in nil }
  ) -> Push {
    guard payload.count <= payloadLimit, let value = JSONValue(parsing: payload) else {
      return Push(id: id, reason: .unreadable)
    }
    switch form {
    case .phoenix: return readPhoenix(value, id: id)
    case .bitkit: return readBitkit(value, id: id, open)
    }
  }

  /// Whether a key is needed to read this push.
  public static func isSealed(_ payload: [UInt8]) -> Bool {
    guard payload.count <= payloadLimit, let value = JSONValue(parsing: payload) else { return false }
    return sealedMembers(of: value) != nil
  }

  // MARK: Phoenix

  private static func readPhoenix(_ value: JSONValue, id: UInt64) -> Push {
    guard let reason = value["reason"]?.text.flatMap(phoenixReason) else {
      return Push(id: id, reason: .unreadable)
    }
    return Push(id: id, reason: reason, paymentHash: hash(value["payment_hash"]))
  }

  /// Phoenix's reasons; some of its servers append a `$`.
  private static func phoenixReason(_ word: String) -> Push.Reason? {
    switch word.hasSuffix("$") ? String(word.dropLast()) : word {
    case "IncomingPayment": .incomingPayment
    case "PendingSettlement": .pendingSettlement
    case "IncomingOnionMessage": .other
    default: nil
    }
  }

  // MARK: Bitkit

  private static func readBitkit(
    _ value: JSONValue, id: UInt64, _ open: (SealedMembers) -> [UInt8]?
  ) -> Push {
    let announcement: Announcement?
    if let sealed = sealedMembers(of: value) {
      announcement = open(sealed).flatMap { readOpened($0) }
    } else if value["type"]?.text == wakeType {
      // In clear: a silent push reaches the app alone, which asks the node.
      announcement = Announcement(
        kind: .incomingHtlc, paymentHash: hash(value["payment_hash"]), amountMsat: value["amount_msat"]?.uint)
    } else {
      announcement = nil
    }
    guard let announcement else { return Push(id: id, reason: .unreadable) }
    return Push(
      id: id, reason: announcement.kind.reason, paymentHash: announcement.paymentHash,
      announcement: announcement)
  }

  /// The description of this form has the payload beside `aps`, the wallet in the App Store reads it from the alert.
  private static func sealedMembers(of value: JSONValue) -> SealedMembers? {
    SealedMembers(value["payload"]) ?? SealedMembers(value["aps"]?["alert"]?["payload"])
  }

  /// nil for anything but the news of a known kind. Members that a kind lacks, and unknown ones, are no error: the text
  /// needs the kind alone.
  public static func readOpened(_ plain: [UInt8]) -> Announcement? {
    guard let value = JSONValue(parsing: plain),
      let kind = value["type"]?.text.flatMap(Announcement.Kind.init(rawValue:)),
      let payload = value["payload"], payload.isObject
    else { return nil }
    return Announcement(
      kind: kind, paymentHash: hash(payload["paymentHash"]), amountMsat: payload["amountMsat"]?.uint,
      isHeld: payload["held"]?.flag ?? false, holdEndsAt: payload["holdExpiresAt"]?.int)
  }

  private static func hash(_ value: JSONValue?) -> Bytes32? { value?.text.flatMap { Bytes32(hex: $0) } }
}

extension Announcement.Kind {
  /// In Phoenix's words, which the guards know: whether the peer may hold a payment for us.
  fileprivate var reason: Push.Reason {
    switch self {
    case .incomingHtlc, .cjitPaymentArrived: .incomingPayment
    case .orderPaymentConfirmed, .mutualClose: .other
    }
  }
}

/// The members of a sealed payload as they stand in a push, not decoded.
public struct SealedMembers: Hashable, Sendable {
  /// In base64.
  public let cipher: String
  /// These in hexadecimal.
  public let iv: String
  public let publicKey: String
  public let tag: String

  public init(cipher: String, iv: String, publicKey: String, tag: String) {
    self.cipher = cipher
    self.iv = iv
    self.publicKey = publicKey
    self.tag = tag
  }

  init?(_ value: JSONValue?) {
    guard let cipher = value?["cipher"]?.text, let iv = value?["iv"]?.text,
      let publicKey = value?["publicKey"]?.text, let tag = value?["tag"]?.text
    else { return nil }
    self.init(cipher: cipher, iv: iv, publicKey: publicKey, tag: tag)
  }
}
