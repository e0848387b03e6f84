/// An HTLC in the judge's model: an addition and perhaps a removal, each moving into both commitments.
///
/// Stages of an update: 0 sent; 1 its sender has signed; 2 the other side has revoked; 3 the other side has signed;
/// 4 its sender has revoked. At 4 it is irrevocable on both sides.
struct OpenHTLC: Hashable {
  enum Ending: Hashable {
    /// The preimage; nil if only the wallet's row shows the fulfilment.
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

  /// The `state` in the table of this side.
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

  /// Whether the newest signed commitment of `holder` contains it.
  func isInCommitment(of holder: ChannelEnd) -> Bool {
    let isAdded = holder == offeredBy ? addStage >= 3 : addStage >= 1
    // The removal is sent by the side that did not offer.
    let isRemoved = ending != nil && (holder == offeredBy ? removeStage >= 1 : removeStage >= 3)
    return isAdded && !isRemoved
  }
}
