/// What both ends say to each other before a splice binds either of them. It lives as long as its connection.
struct SpliceTalk: Hashable {
  struct Terms: Hashable {
    let contribution: Int64
    let feeratePerKw: UInt64
    let lockTime: UInt64
    let key: [UInt8]
  }

  struct Input: Hashable {
    let serial: UInt64
    let sequence: UInt64
  }

  struct Output: Hashable {
    let serial: UInt64
    let satoshis: UInt64
    let script: [UInt8]
  }

  var hasRested = Pair<Bool>(false)
  var terms: Terms?
  var peerKey: [UInt8]?
  var input: Input?
  var outputs: [Output] = []
  /// Whoever may add something, or say that it has nothing to add.
  var turn = ChannelEnd.wallet
  /// The peer has nothing to add to what there is.
  var isAnswered = false
  var isOver = false

  var isAtRest: Bool { hasRested[.wallet] && hasRested[.peer] }
  /// The wallet has all that binds it.
  var isWhole: Bool { !isOver && isAnswered && turn == .wallet && input != nil && outputs.count == 2 }
}
