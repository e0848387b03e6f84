/// The state of one HTLC by BOLT 2, with the names of most implementations. "sent" and "received" are seen from this
/// side. 0 to 8 are states of an HTLC that this side offered, 10 to 18 of one that the other side offered; the other
/// side has the mirrored state, with `sent` and `received` exchanged.
///
/// Each state is left by exactly one event, in parentheses.
public enum HTLCState: UInt8, Hashable, Codable, Sendable, CaseIterable {
  // Offered by this side.
  /// Not committed, and perhaps not sent. → sentAddCommit (commitment sent)
  case sentAdd = 0
  /// → receivedAddRevocation (revocation received)
  case sentAddCommit = 1
  /// Irrevocably in the other side's commitment. → receivedAddAckCommit (commitment received)
  case receivedAddRevocation = 2
  /// → sentAddAckRevocation (revocation sent)
  case receivedAddAckCommit = 3
  /// Irrevocably committed on both sides. → receivedRemove (fulfil or fail received)
  case sentAddAckRevocation = 4
  /// → receivedRemoveCommit (commitment received), sentAddAckRevocation (connection lost)
  case receivedRemove = 5
  /// → sentRemoveRevocation (revocation sent)
  case receivedRemoveCommit = 6
  /// → sentRemoveAckCommit (commitment sent)
  case sentRemoveRevocation = 7
  /// → gone (revocation received)
  case sentRemoveAckCommit = 8

  // Offered by the other side.
  /// → receivedAddCommit (commitment received), gone (connection lost)
  case receivedAdd = 10
  /// → sentAddRevocation (revocation sent)
  case receivedAddCommit = 11
  /// → sentAddAckCommit (commitment sent)
  case sentAddRevocation = 12
  /// → receivedAddAckRevocation (revocation received)
  case sentAddAckCommit = 13
  /// Irrevocably committed on both sides. → sentRemove (fulfilled or failed here)
  case receivedAddAckRevocation = 14
  /// Not committed, and perhaps not sent. → sentRemoveCommit (commitment sent)
  case sentRemove = 15
  /// → receivedRemoveRevocation (revocation received)
  case sentRemoveCommit = 16
  /// → receivedRemoveAckCommit (commitment received)
  case receivedRemoveRevocation = 17
  /// → gone (revocation sent)
  case receivedRemoveAckCommit = 18
}

extension HTLCState {
  public var direction: HTLCDirection { rawValue < 10 ? .offered : .received }

  /// Whether a fulfillment or failure is pending.
  public var isBeingRemoved: Bool { rawValue % 10 >= 5 }

  /// Irrevocably in both commitments, and its removal has not begun.
  var isForGood: Bool { self == .sentAddAckRevocation || self == .receivedAddAckRevocation }

  /// Whether the commitment that this side signed last, for the other side, contains the HTLC.
  var isInRemoteCommitment: Bool {
    switch direction {
    case .offered: rawValue >= 1 && rawValue <= 7
    case .received: rawValue >= 13 && rawValue <= 15
    }
  }

  /// Whether the commitment that the other side signed last, for this side, contains the HTLC.
  var isInLocalCommitment: Bool {
    switch direction {
    case .offered: rawValue >= 3 && rawValue <= 5
    case .received: rawValue >= 11 && rawValue <= 17
    }
  }
}
