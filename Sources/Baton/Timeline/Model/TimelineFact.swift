import Ground

/// What a record says, in the words of the picture. The record's own lane is the process that wrote it; a role names
/// another process of the same phone.
package enum TimelineFact: Hashable, Sendable {
  package enum End: Hashable, Sendable { case ended, killed, crashed }

  // Processes.
  case launched(Role, why: String)
  case started(pid: Int32)
  /// By the phone, which may know it before the process writes.
  case processStarted(Role, pid: Int32)
  /// Its journal ends.
  case ends(why: String)
  case processEnded(Role, End, why: String)
  case killOrdered(Role, why: String)
  case suspended(Role)
  case resumed(Role)
  case frozen(Role)
  case thawed(Role)

  // Ownership, by the process that writes.
  /// Answered by a claim, whose reason it is.
  case claimAsked(why: String, holderIsSilent: Bool)
  case claimed(Epoch, why: String)
  case released(Epoch)
  case beat(Epoch, phase: String, counter: UInt64)
  case fenced
  case refused(highest: Epoch)

  // Presence messages, by their words.
  case said(String)
  case heard(String)

  // The wire. `sent` and `received` are the wallet's side, the others the peer's.
  case dialled
  case sent([UInt16])
  case received(UInt16)
  case connectionOpened(UInt64)
  case connectionJudged(UInt64, Epoch?, isAccepted: Bool, words: String)
  case connectionClosed(UInt64, why: String)
  case peerReceived(UInt64, type: UInt16)
  case peerSent(UInt64, type: UInt16)

  // Pushes and what the user sees.
  case pushAsked(isSilent: Bool)
  case pushArrived(UInt64, isSilent: Bool)
  case pushGiven(Role, UInt64)
  case pushHeard(UInt64)
  case contentGiven(UInt64)
  case contentArrived(UInt64)
  case pushFate(UInt64, isEnd: Bool, words: String)
  case notified(String, push: UInt64?)
  case userDid(String)
  case fault(String)

  // Payments.
  case paymentAsked(UInt64, hash: Bytes32, words: String)
  case paymentHeld(UInt64)
  case paymentOffered(UInt64)
  case paymentSettled(UInt64)
  case paymentFailed(UInt64, why: String)
  /// The wallet has received it.
  case paymentReceived(Bytes32, words: String)
  /// The wallet pays.
  case sendBegun(Bytes32, words: String)
  case sendEnded(Bytes32, isPaid: Bool, words: String)
  /// This request has begun nothing; an earlier one of the same hash may be under way.
  case sendRefused(Bytes32, words: String)

  case violated(title: String, sentence: String)
}
