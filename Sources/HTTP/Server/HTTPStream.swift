/// Events for one client, as in `text/event-stream`. Each event is the whole state: a client that reads slowly misses
/// events in between, and never has more than two in memory here.
public final class HTTPStream {
  /// The event that is being sent, from this byte on.
  private var current: [UInt8] = []
  private var sent = 0
  private var next: [UInt8]?
  var onOffer: () -> Void = {}
  /// The client is gone.
  public var onEnd: () -> Void = {}

  public init() {}

  /// Names and data without line breaks, such as JSON.
  public func offer(event: String, data: String) {
    next = Array("event: \(event)\ndata: \(data)\n\n".utf8)
    onOffer()
  }

  /// How many bytes were copied; 0 if there is nothing to send.
  func read(into buffer: UnsafeMutablePointer<CChar>, atMost room: Int) -> Int {
    if sent == current.count {
      guard let next else { return 0 }
      (current, sent, self.next) = (next, 0, nil)
    }
    let count = min(room, current.count - sent)
    for place in 0..<count { buffer[place] = CChar(bitPattern: current[sent + place]) }
    sent += count
    return count
  }
}
