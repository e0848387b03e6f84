/// The two ends of the one channel.
enum ChannelEnd: Int, Hashable {
  case wallet = 0
  case peer = 1

  var other: ChannelEnd { self == .wallet ? .peer : .wallet }
  var name: String { self == .wallet ? "the wallet" : "the peer" }
}

/// One value for each end.
struct Pair<Value: Hashable>: Hashable {
  private var wallet: Value
  private var peer: Value

  init(_ value: Value) {
    wallet = value
    peer = value
  }

  subscript(_ end: ChannelEnd) -> Value {
    get { end == .wallet ? wallet : peer }
    set { if end == .wallet { wallet = newValue } else { peer = newValue } }
  }
}
