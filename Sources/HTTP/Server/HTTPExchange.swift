import CMicroHTTPD

/// One request and its answer, as long as libmicrohttpd knows the request.
final class HTTPExchange {
  /// Where it is. A body comes only after the head was taken.
  enum Stage {
    /// → body, answered
    case head
    /// → answered
    case body
    /// The connection is suspended until there is an answer, or more of it. → answered
    case answered(HTTPReply)
  }

  /// As sent: libmicrohttpd decodes its own in place.
  let target: String
  var stage = Stage.head
  var body: [UInt8] = []
  /// While libmicrohttpd has suspended it.
  private(set) var suspended: OpaquePointer?

  init(target: String) { self.target = target }

  func suspend(_ connection: OpaquePointer) {
    suspended = connection
    MHD_suspend_connection(connection)
  }

  /// False if it was not suspended.
  func resume() -> Bool {
    guard let connection = suspended else { return false }
    suspended = nil
    MHD_resume_connection(connection)
    return true
  }

  /// libmicrohttpd forgets it.
  func end() {
    suspended = nil
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
