/// A splice negotiation that binds neither side yet. It ends with its connection.
struct SpliceNegotiation: Hashable {
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

  var sentStfu = Pair<Bool>(false)
  var terms: Terms?
  var peerKey: [UInt8]?
  var input: Input?
  var outputs: [Output] = []
  /// The side whose turn it is to add an input or output, or to send `tx_complete`.
  var turn = ChannelEnd.wallet
  /// The peer has answered the newest addition with `tx_complete`.
  var isAnswered = false
  var isOver = false

  var isQuiescent: Bool { sentStfu[.wallet] && sentStfu[.peer] }
  /// The wallet's `tx_complete` would complete the transaction.
  var isWhole: Bool { !isOver && isAnswered && turn == .wallet && input != nil && outputs.count == 2 }
}
