import CMicroHTTPD
import Glibc

/// What libmicrohttpd calls in `MHD_run`, each with the server as its context, and with the exchange as what it keeps of
/// the request.
enum HTTPCallbacks {
  typealias Seen =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer?

  /// The target, before libmicrohttpd decodes it in place.
  static var seen: Seen {
    { _, target, _ in
      Unmanaged.passRetained(HTTPExchange(target: target.map { String(cString: $0) } ?? "")).toOpaque()
    }
  }

  static var completed: MHD_RequestCompletedCallback {
    { context, _, request, _ in
      guard let kept = request?.pointee else { return }
      request?.pointee = nil
      let exchange = Unmanaged<HTTPExchange>.fromOpaque(kept).takeRetainedValue()
      exchange.end()
      HTTPCallbacks.server(context)?.ended(exchange)
    }
  }

  static var changed: MHD_NotifyConnectionCallback {
    { context, connection, _, change in
      guard baton_http_has_closed(change) != 0, let connection else { return }
      HTTPCallbacks.server(context)?.closed(baton_http_socket(connection))
    }
  }

  /// First with the head alone, then with each piece of a body that the server takes, at last without one; and again
  /// after it was suspended.
  static var answer: MHD_AccessHandlerCallback {
    { context, connection, _, method, _, piece, pieceSize, request in
      guard let server = HTTPCallbacks.server(context), let connection, let kept = request?.pointee else {
        return baton_http_no_answer()
      }
      let exchange = Unmanaged<HTTPExchange>.fromOpaque(kept).takeUnretainedValue()
      switch exchange.stage {
      case .head:
        let head = HTTPCallbacks.head(connection, method, exchange.target, server)
        if server.takesBody(
          length: baton_http_header(connection, "Content-Length"),
          encoding: baton_http_header(connection, "Transfer-Encoding"))
        {
          exchange.stage = .body
          return baton_http_goes_on()
        }
        server.answer(head, exchange, of: baton_http_socket(connection))
      case .body:
        if let piece, let size = pieceSize?.pointee, size > 0 {
          guard exchange.body.count + size <= server.bodyBytesMax else { return baton_http_no_answer() }
          exchange.body += UnsafeRawBufferPointer(start: piece, count: size)
          pieceSize?.pointee = 0
          return baton_http_goes_on()
        }
        var whole = HTTPCallbacks.head(connection, method, exchange.target, server)
        whole.body = exchange.body
        server.answer(whole, exchange, of: baton_http_socket(connection))
      case .answered: break
      }
      return HTTPCallbacks.send(exchange, on: connection)
    }
  }

  private static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
    context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func head(
    _ connection: OpaquePointer, _ method: UnsafePointer<CChar>?, _ target: String, _ server: HTTPServer
  ) -> HTTPRequest {
    func header(_ name: String) -> String? {
      baton_http_header(connection, name).map { String(cString: $0) }
    }
    var request = HTTPRequest(
      method: method.map { String(cString: $0) } ?? "", target: target, host: header("Host"))
    request.repeatsHost = baton_http_header_count(connection, "Host") > 1
    for name in server.headerNames { request.headers[name] = header(name) }
    return request
  }

  // MARK: Answers

  private static func send(_ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    guard case .answered(let reply) = exchange.stage else { return baton_http_no_answer() }
    switch reply {
    case .now(let response): return send(response, on: connection)
    case .later(let promise):
      if let response = promise.response { return send(response, on: connection) }
      exchange.suspend(connection)
      return baton_http_goes_on()
    case .stream: return stream(exchange, on: connection)
    }
  }

  private static func send(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
    let body = Array(response.body.utf8)
    guard let made = baton_http_response(body, body.count) else { return baton_http_no_answer() }
    defer { MHD_destroy_response(made) }
    for header in response.headers { _ = MHD_add_response_header(made, header.name, header.value) }
    return MHD_queue_response(connection, UInt32(clamping: response.status), made)
  }

  /// Kept by libmicrohttpd until it has freed the response.
  private final class Reading {
    let exchange: HTTPExchange
    let connection: OpaquePointer

    init(_ exchange: HTTPExchange, _ connection: OpaquePointer) {
      self.exchange = exchange
      self.connection = connection
    }
  }

  private static func stream(_ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    let reading = Unmanaged.passRetained(Reading(exchange, connection))
    let read: MHD_ContentReaderCallback = { context, _, buffer, room in
      guard let context, let buffer else { return baton_http_end_of_stream() }
      let reading = Unmanaged<Reading>.fromOpaque(context).takeUnretainedValue()
      guard case .answered(.stream(let stream)) = reading.exchange.stage else {
        return baton_http_end_of_stream()
      }
      let count = stream.read(into: buffer, atMost: room)
      if count == 0 { reading.exchange.suspend(reading.connection) }
      return count
    }
    let free: MHD_ContentReaderFreeCallback = { context in
      if let context { Unmanaged<Reading>.fromOpaque(context).release() }
    }
    guard let made = baton_http_stream(read, reading.toOpaque(), free) else {
      reading.release()
      return baton_http_no_answer()
    }
    defer { MHD_destroy_response(made) }
    let head = HTTPResponse(status: 200, contentType: "text/event-stream", body: "")
    for header in head.headers { _ = MHD_add_response_header(made, header.name, header.value) }
    return MHD_queue_response(connection, 200, made)
  }
}

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
