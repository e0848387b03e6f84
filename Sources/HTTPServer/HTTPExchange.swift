import CMicroHTTPD

/// One request and its answer, as long as libmicrohttpd knows the request.
final class HTTPExchange {
  /// Where it is. A body comes only after the head was taken.
  enum Stage {
    /// → body, answered
    case head
    /// → answered
    case body
    /// The connection sleeps until there is an answer, or more of it. → answered
    case answered(HTTPReply)
  }

  /// As sent: libmicrohttpd decodes its own in place.
  let target: String
  var stage = Stage.head
  var body: [UInt8] = []
  /// Asleep, while libmicrohttpd has suspended it.
  private(set) var asleep: OpaquePointer?

  init(target: String) { self.target = target }

  func sleep(_ connection: OpaquePointer) {
    asleep = connection
    MHD_suspend_connection(connection)
  }

  /// False if it was awake.
  func wake() -> Bool {
    guard let connection = asleep else { return false }
    asleep = nil
    MHD_resume_connection(connection)
    return true
  }

  /// libmicrohttpd forgets it.
  func end() {
    asleep = nil
    guard case .answered(let reply) = stage else { return }
    switch reply {
    case .now: break
    case .later(let promise): promise.onKept = {}
    case .stream(let stream):
      stream.onOffer = {}
      stream.onEnd()
    }
  }
}
