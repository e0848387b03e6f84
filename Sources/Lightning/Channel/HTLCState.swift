/// How far one HTLC has come: the life that BOLT 2 gives it, in the words most implementations use. "sent" and
/// "received" are seen from this side. The upper ten belong to an HTLC that this side offered, the lower ten to one
/// that it was offered; what is `sent…` in one is `received…` in the other, at the same moment, on the other side.
///
/// Each state is left by exactly one thing that happens, written behind it.
public enum HTLCState: UInt8, Hashable, Codable, Sendable, CaseIterable {
  // Offered by this side.
  /// Not signed for yet, and perhaps not even sent. → sentAddCommit (commitment sent)
  case sentAdd = 0
  /// → receivedAddRevocation (revocation received)
  case sentAddCommit = 1
  /// Now the other side's commitment has it for good. → receivedAddAckCommit (commitment received)
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
  /// Not signed for yet, and perhaps not even sent. → sentRemoveCommit (commitment sent)
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

  /// Whether a fulfilment or a failure is under way.
  public var isBeingRemoved: Bool { rawValue % 10 >= 5 }

  /// In both commitments for good, and nobody has begun to remove it.
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
