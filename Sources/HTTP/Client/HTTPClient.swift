// HTTP/Client: questions over HTTP, bounded in time and size, on the event loop. libcurl speaks the protocol. No wallet
// process and no extension links it.

import CCurl
import DaemonRuntime
import Ground
import Glibc

/// The whole answer to a question.
public struct HTTPAnswer: Hashable, Sendable {
  public var status: Int
  public var body: [UInt8]
}

/// Why there is no whole answer.
public enum HTTPFailure: Error, Hashable, Sendable {
  case unreachable
  case timedOut
  case tooLarge
  /// The address is none to connect to.
  case forbidden
}

/// Asks several servers at once. Only http and https; redirects, proxies of the environment and compressed bodies are
/// not followed, used or read: the answer is what the named server says.
public final class HTTPClient {
  /// libcurl's number for its own timeouts.
  private static let timeout: Int32 = -1

  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private var timer: LoopTimer?
  private var transfers: [UnsafeMutableRawPointer: HTTPTransfer] = [:]
  private var lastNumber: UInt64 = 0

  /// `connections`: how many at a time; the others wait, and their time runs.
  public init(loop: EventLoop, connections: Int? = nil) throws(SystemError) {
    self.loop = loop
    guard curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK, let multi = curl_multi_init() else {
      throw SystemError("start libcurl", code: ENOMEM)
    }
    self.multi = multi
    if let connections { _ = baton_curl_limit(multi, connections) }
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = baton_curl_on_socket(
      multi,
      { _, socket, what, context, _ in
        if let context { Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue().watch(socket, what) }
        return 0
      }, context)
    _ = baton_curl_on_timer(
      multi,
      { _, milliseconds, context in
        if let context {
          Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue().wake(in: milliseconds)
        }
        return 0
      }, context)
  }

  deinit {
    for easy in transfers.keys { forget(easy) }
    curl_multi_cleanup(multi)
    timer?.cancel()
  }

  // MARK: Questions

  /// Calls `end` once, from the loop.
  public func get(
    _ address: String, headers: [String] = [], within span: TimeSpan, largest: Int,
    _ end: @escaping (Result<HTTPAnswer, HTTPFailure>) -> Void
  ) {
    guard let easy = curl_easy_init() else { return loop.post { end(.failure(.unreachable)) } }
    let transfer = HTTPTransfer(newNumber(), largest: largest, end: end)
    transfer.add(headers, to: easy)
    begin(easy, transfer, address, within: span)
  }

  /// Calls `end` once, from the loop, unless the question is cancelled. The answer has no body: it ends with its status,
  /// whatever the server sends after that. `authorities`: a file of certificates in place of the system's.
  public func post(
    _ address: String, headers: [String], body: String, to reach: AddressReach, authorities: String? = nil,
    within span: TimeSpan, _ end: @escaping (Result<HTTPAnswer, HTTPFailure>) -> Void
  ) -> UInt64 {
    let number = newNumber()
    guard let easy = curl_easy_init() else {
      loop.post { end(.failure(.unreachable)) }
      return number
    }
    let transfer = HTTPTransfer(number, largest: nil, reach: reach, end: end)
    transfer.add(headers, to: easy)
    _ = baton_curl_set_number(easy, CURLOPT_POSTFIELDSIZE, body.utf8.count)
    _ = baton_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, body)
    if let authorities { _ = baton_curl_set_text(easy, CURLOPT_CAINFO, authorities) }
    begin(easy, transfer, address, within: span)
    return number
  }

  /// Disconnects; `end` is not called.
  public func cancel(_ number: UInt64) {
    guard let (easy, transfer) = transfers.first(where: { $0.value.number == number }) else { return }
    // libcurl has pointers to the transfer until it has forgotten the handle.
    withExtendedLifetime(transfer) {
      transfers[easy] = nil
      forget(easy)
    }
  }

  private func newNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  private func begin(
    _ easy: UnsafeMutableRawPointer, _ transfer: HTTPTransfer, _ address: String, within span: TimeSpan
  ) {
    transfers[easy] = transfer
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    _ = baton_curl_on_body(easy, Self.take, context)
    _ = baton_curl_on_open(easy, Self.open, context)
    let milliseconds = max(1, Int(span.wholeMilliseconds))
    for (option, number) in [
      (CURLOPT_TIMEOUT_MS, milliseconds), (CURLOPT_CONNECTTIMEOUT_MS, milliseconds), (CURLOPT_NOSIGNAL, 1),
      (CURLOPT_FOLLOWLOCATION, 0),
      // Else the end of a transfer whose name is still being resolved would wait for the resolver.
      (CURLOPT_QUICK_EXIT, 1),
    ] {
      _ = baton_curl_set_number(easy, option, number)
    }
    var isSet = true
    for (option, text) in [
      (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_PROXY, ""), (CURLOPT_USERAGENT, "baton"),
      (CURLOPT_URL, address),
    ] {
      isSet = baton_curl_set_text(easy, option, text) == CURLE_OK && isSet
    }
    guard isSet, curl_multi_add_handle(multi, easy) == CURLM_OK else {
      transfers[easy] = nil
      curl_easy_cleanup(easy)
      return loop.post { transfer.end(.failure(.unreachable)) }
    }
  }

  private func forget(_ easy: UnsafeMutableRawPointer) {
    curl_multi_remove_handle(multi, easy)
    curl_easy_cleanup(easy)
  }

  private static let take: curl_write_callback = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let length = size * count
    let taken = bytes.withMemoryRebound(to: UInt8.self, capacity: length) {
      Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue().take(
        UnsafeBufferPointer(start: $0, count: length))
    }
    return taken ? length : 0
  }

  private static let open: curl_opensocket_callback = { context, _, address in
    guard let context, let address else { return CURL_SOCKET_BAD }
    return Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue().open(address)
  }

  // MARK: libcurl's calls

  private func watch(_ socket: Int32, _ what: Int32) {
    if what == CURL_POLL_REMOVE { return loop.unwatch(socket) }
    var interest: EventLoop.Readiness = []
    if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
    // Without a watch the transfer ends by its time limit.
    try? loop.watch(socket, interest) { [unowned self] ready in
      var mask: Int32 = 0
      if !ready.isDisjoint(with: [.readable, .hangUp]) { mask |= CURL_CSELECT_IN }
      if ready.contains(.writable) { mask |= CURL_CSELECT_OUT }
      if ready.contains(.error) { mask |= CURL_CSELECT_ERR }
      act(socket, mask)
    }
  }

  private func wake(in milliseconds: Int) {
    timer?.cancel()
    timer = nil
    guard milliseconds >= 0 else { return }
    timer = loop.after(.milliseconds(Int64(milliseconds))) { [unowned self] in act(Self.timeout, 0) }
  }

  private func act(_ socket: Int32, _ mask: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, mask, &running)
    var left: Int32 = 0
    var ended: [(UnsafeMutableRawPointer, HTTPTransfer, CURLcode)] = []
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let transfer = transfers[easy]
      else { continue }
      ended.append((easy, transfer, message.pointee.data.result))
    }
    for (easy, transfer, code) in ended { finish(easy, transfer, code) }
  }

  /// Unless the end of another transfer has cancelled it; a new one may have its handle's address.
  private func finish(_ easy: UnsafeMutableRawPointer, _ transfer: HTTPTransfer, _ code: CURLcode) {
    guard transfers[easy] === transfer else { return }
    transfers[easy] = nil
    let status = baton_curl_status(easy)
    forget(easy)
    transfer.end(transfer.result(code, status: status))
  }
}
