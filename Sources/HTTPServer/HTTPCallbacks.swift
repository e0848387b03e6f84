import CMicroHTTPD
import Glibc

/// What libmicrohttpd calls in `MHD_run`, each with the server as its context. The target is copied for the time of the
/// request, as libmicrohttpd decodes it in place.
enum HTTPCallbacks {
  typealias Seen =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer?

  static var seen: Seen { { _, target, _ in target.map { UnsafeMutableRawPointer(strdup($0)) } } }

  static var completed: MHD_RequestCompletedCallback {
    { _, _, request, _ in
      free(request?.pointee)
      request?.pointee = nil
    }
  }

  static var changed: MHD_NotifyConnectionCallback {
    { context, connection, _, change in
      guard baton_http_has_closed(change) != 0, let connection else { return }
      HTTPCallbacks.server(context)?.closed(baton_http_socket(connection))
    }
  }

  /// The whole answer at the first call, which has the head alone: a body is not waited for.
  static var answer: MHD_AccessHandlerCallback {
    { context, connection, _, method, _, _, _, request in
      guard let server = HTTPCallbacks.server(context), let connection else { return baton_http_no_answer() }
      let target = request?.pointee.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
      let host = baton_http_header(connection, "Host").map { String(cString: $0) }
      let response = server.answer(
        HTTPRequest(method: method.map { String(cString: $0) } ?? "", target: target ?? "", host: host),
        of: baton_http_socket(connection))
      return HTTPCallbacks.send(response, on: connection)
    }
  }

  private static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
    context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func send(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
    let body = Array(response.json.utf8)
    guard let made = baton_http_response(body, body.count) else { return baton_http_no_answer() }
    defer { MHD_destroy_response(made) }
    for header in response.headers { _ = MHD_add_response_header(made, header.name, header.value) }
    return MHD_queue_response(connection, UInt32(clamping: response.status), made)
  }
}
