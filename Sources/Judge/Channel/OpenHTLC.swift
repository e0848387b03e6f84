/// An HTLC as the judge models it: an addition and perhaps a removal, each on its own way into both commitments.
///
/// Every update takes the same five stages: 0 said; 1 signed for by its author; 2 the other side has revoked what
/// came before; 3 signed for by the other side; 4 the author has revoked. At 4 it is irrevocable on both sides.
struct OpenHTLC: Hashable {
  enum Ending: Hashable {
    /// The preimage, unless only the wallet's own row tells of it.
    case fulfilled([UInt8]?)
    case failed(Int64?)
  }

  let offeredBy: ChannelEnd
  let id: UInt64
  let amountMsat: UInt64
  let paymentHash: [UInt8]
  let cltvExpiry: UInt64
  var data: PartData?
  var addStage = 0
  var ending: Ending?
  /// Only with an ending.
  var removeStage = 0

  static let irrevocable = 4

  var isFulfilled: Bool { if case .fulfilled = ending { true } else { false } }

  /// The word that an end's own table has for this HTLC.
  func stateName(at end: ChannelEnd) -> String {
    let added =
      end == offeredBy
      ? ["sentAdd", "sentAddCommit", "receivedAddRevocation", "receivedAddAckCommit", "sentAddAckRevocation"]
      : [
        "receivedAdd", "receivedAddCommit", "sentAddRevocation", "sentAddAckCommit",
        "receivedAddAckRevocation",
      ]
    let removed =
      end == offeredBy
      ? ["receivedRemove", "receivedRemoveCommit", "sentRemoveRevocation", "sentRemoveAckCommit", "gone"]
      : ["sentRemove", "sentRemoveCommit", "receivedRemoveRevocation", "receivedRemoveAckCommit", "gone"]
    return ending == nil ? added[addStage] : removed[removeStage]
  }

  /// Whether the commitment of `holder`, as the other end signed it last, contains it.
  func isInCommitment(of holder: ChannelEnd) -> Bool {
    let isAdded = holder == offeredBy ? addStage >= 3 : addStage >= 1
    // The removal's author is the end that did not offer.
    let isRemoved = ending != nil && (holder == offeredBy ? removeStage >= 1 : removeStage >= 3)
    return isAdded && !isRemoved
  }
}
