import Ground

/// Phoenix's six presence messages: the sender's role and the kind.
public enum PresenceCode: UInt8, Hashable, Codable, Sendable, CaseIterable {
  case appPing = 1
  case appPong = 2
  case appUnavailable = 3
  case extensionPing = 4
  case extensionPong = 8
  case extensionUnavailable = 12

  public enum Kind: UInt8, Hashable, Codable, Sendable {
    case ping = 1
    case pong = 2
    case unavailable = 3
  }

  /// The extension's codes are those of the app, shifted by two bits.
  public init(_ role: Role, _ kind: Kind) {
    self = PresenceCode(rawValue: role == .app ? kind.rawValue : kind.rawValue << 2) ?? .appPing
  }

  public var speaker: Role { rawValue < 4 ? .app : .extension }
  public var kind: Kind { Kind(rawValue: speaker == .app ? rawValue : rawValue >> 2) ?? .ping }
}

/// The presence channel as one side sees it.
///
/// Suspensions nest and start at one, so a process that was never resumed is silent. Resuming to zero pings; a
/// ping is answered by a pong; the first suspension says unavailable. Own messages, and messages that come while
/// suspended, are ignored. Nothing here decides about the node: "alive" is not "wants the node".
public struct Presence: Hashable, Codable, Sendable {
  private let role: Role
  private var suspensions = 1

  public init(role: Role) { self.role = role }

  public var isSuspended: Bool { suspensions > 0 }

  /// The message to send, if any.
  public mutating func resume() -> PresenceCode? {
    guard suspensions > 0 else { return nil }
    suspensions -= 1
    return suspensions == 0 ? PresenceCode(role, .ping) : nil
  }

  /// The message to send, if any.
  public mutating func suspend() -> PresenceCode? {
    suspensions += 1
    return suspensions == 1 ? PresenceCode(role, .unavailable) : nil
  }

  /// Whether a received message counts, and the reply.
  public func heard(_ code: PresenceCode) -> Hearing {
    guard !isSuspended, code.speaker != role else { return .ignored }
    return .counts(answer: code.kind == .ping ? PresenceCode(role, .pong) : nil)
  }

  public enum Hearing: Hashable, Sendable {
    case ignored
    case counts(answer: PresenceCode?)
  }
}
