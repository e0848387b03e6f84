// HTTP/Server: HTTP for programs of this machine: libmicrohttpd on 127.0.0.1, driven by the event loop and without a
// thread. It decides nothing about a request. Only lspd and baton link it, and no process of a wallet.

import CMicroHTTPD
import DaemonRuntime
import Glibc
import Ground

/// Accepts connections, and answers each one's first request; then it closes.
///
/// The doorkeeper decides which connections stay: however many slow clients there are, they take few descriptors, and a
/// client that sends its request at once is served. libmicrohttpd gets accepted sockets, and reads, parses and writes.
public final class HTTPServer {
  public struct Settings {
    /// Connections that have not sent their whole request.
    public var connectionsMax = 64
    public var requestWithin = TimeSpan.seconds(10)
    /// The whole head of a request must fit, else libmicrohttpd refuses it with a page of its own.
    public var bytesPerConnection = 256 * 1024
    /// Further headers that requests have in `headers`.
    public var headers: [String] = []
    /// A longer body, and with 0 every body, is not read.
    public var bodyBytesMax = 0
    /// Streams and promised answers that are under way.
    public var waitingMax = 32
    /// For a connection that makes room for a newer one.
    public var crowded: HTTPResponse
    /// For a connection without a request in time.
    public var late: HTTPResponse

    public init(crowded: HTTPResponse, late: HTTPResponse) {
      self.crowded = crowded
      self.late = late
    }
  }

  public let address: HostAndPort
  private let loop: EventLoop
  private let settings: Settings
  private let respond: (HTTPRequest) -> HTTPReply
  private let admission: AcceptLoop
  private var daemon: OpaquePointer?
  private var work: Int32 = -1
  private var workTimer: LoopTimer?
  /// Connections that were closed to make room, or as their request was late.
  public private(set) var turnedAway = 0
  /// Whose answer, or the rest of it, is still to come.
  private var waiting: [ObjectIdentifier: HTTPExchange] = [:]
  /// Inside `MHD_run`.
  private var isRunning = false

  /// For answers that are there at once.
  public convenience init(
    _ wanted: HostAndPort, loop: EventLoop, settings: Settings,
    respond: @escaping (HTTPRequest) -> HTTPResponse
  ) throws(SystemError) {
    try self.init(wanted, loop: loop, settings: settings, replying: { .now(respond($0)) })
  }

  /// Port 0 takes any free one, which `address` has then.
  public init(
    _ wanted: HostAndPort, loop: EventLoop, settings: Settings,
    replying respond: @escaping (HTTPRequest) -> HTTPReply
  ) throws(SystemError) {
    self.loop = loop
    self.settings = settings
    self.respond = respond
    var limits = Doorkeeper.Limits()
    limits.connectionsMax = settings.connectionsMax
    limits.firstMessageWithin = settings.requestWithin
    guard wanted.host == HostAndPort.loopback else {
      throw SystemError("listen on \(wanted)", code: EADDRNOTAVAIL)
    }
    let socket = try TCPSocket.listen(on: wanted)
    address = socket.address
    admission = AcceptLoop(of: socket.descriptor, loop: loop, limits: limits)
    // From here on the value is complete: a throw runs `deinit`, which closes the socket.
    try start()
  }

  deinit {
    admission.stop()
    workTimer?.cancel()
    if work >= 0 { loop.unwatch(work) }
    guard let ending = daemon else { return }
    // It reports the end of each connection, which this value no longer takes.
    daemon = nil
    // libmicrohttpd cannot end a suspended connection.
    for exchange in waiting.values { _ = exchange.resume() }
    MHD_stop_daemon(ending)
  }

  private func start() throws(SystemError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    daemon = baton_http_start(
      HTTPCallbacks.answer, HTTPCallbacks.seen, HTTPCallbacks.completed, HTTPCallbacks.changed, context,
      // The doorkeeper's limit comes first: a connection that it closes is counted until libmicrohttpd has noticed.
      UInt32(clamping: settings.connectionsMax * 2), settings.bytesPerConnection,
      UInt32(clamping: 2 * settings.requestWithin.wholeMilliseconds / 1000))
    guard let daemon else { throw SystemError("start the HTTP server", code: errno == 0 ? ENOMEM : errno) }
    work = baton_http_epoll(daemon)
    try loop.watch(work, .readable) { [unowned self] _ in run() }
    admission.onAccepted = { [unowned self] in admit($0) }
    admission.onTurnedAway = { [unowned self] in turnAway($0, $1) }
    try admission.start()
  }

  /// Everything that libmicrohttpd can do now; then its timer is set anew.
  private func run() {
    guard let daemon, !isRunning else { return }
    isRunning = true
    _ = MHD_run(daemon)
    isRunning = false
    workTimer?.cancel()
    let span = baton_http_timeout_ms(daemon)
    workTimer = span < 0 ? nil : loop.after(.milliseconds(Int64(span))) { [weak self] in self?.run() }
  }

  // MARK: Connections

  private func admit(_ socket: Int32) {
    // The other half is for the rest of the program.
    guard let daemon, socket < descriptorsMax / 2, var source = try? TCPSocket.address(of: address) else {
      return refuse(socket)
    }
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isTaken = withUnsafePointer(to: &source) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        baton_http_add(daemon, socket, $0, size) != 0
      }
    }
    // libmicrohttpd has closed a socket that it did not take.
    guard isTaken else { return turnedAway += 1 }
    admission.arrived(UInt64(socket))
  }

  private func refuse(_ socket: Int32) {
    turnedAway += 1
    say(settings.crowded, to: socket)
    close(socket)
  }

  /// libmicrohttpd owns the sockets: it closes each when it finds that nothing comes any more, and may close any of
  /// them as soon as it runs.
  private func turnAway(_ connections: [UInt64], _ cause: AcceptLoop.Cause) {
    for connection in connections {
      turnedAway += 1
      let socket = Int32(connection)
      say(cause == .late ? settings.late : settings.crowded, to: socket)
      shutdown(socket, Int32(SHUT_RDWR))
    }
    run()
  }

  /// What the client has sent so far is read first: with unread bytes the kernel would reset the connection, and the
  /// client might never see the answer.
  private func say(_ response: HTTPResponse, to descriptor: Int32) {
    var heard = [UInt8](repeating: 0, count: 16 * 1024)
    // A client that goes on writing must not hold up the loop.
    for _ in 0..<16 where recv(descriptor, &heard, heard.count, Int32(MSG_DONTWAIT)) < heard.count { break }
    let bytes = response.bytes
    _ = send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
  }

  /// The process's limit.
  private var descriptorsMax: Int32 {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int32(clamping: limit.rlim_cur)
  }

  // MARK: Calls of libmicrohttpd

  var headerNames: [String] { ForeignRequest.headers + settings.headers }

  var bodyBytesMax: Int { settings.bodyBytesMax }

  /// Whether to wait for the body: it has a length, and that is within the limit. Beside an encoding the length does not
  /// count (RFC 9112, 6.3).
  func takesBody(length text: UnsafePointer<CChar>?, encoding: UnsafePointer<CChar>?) -> Bool {
    guard encoding == nil, bodyBytesMax > 0, let text, let length = Int(String(cString: text)) else {
      return false
    }
    return (1...bodyBytesMax).contains(length)
  }

  /// From here on the connection is not turned away: it has its answer, or the promise of one.
  func answer(_ request: HTTPRequest, _ exchange: HTTPExchange, of socket: Int32) {
    admission.left(UInt64(max(0, socket)))
    let reply = respond(request)
    switch reply {
    case .now: exchange.stage = .answered(reply)
    case .later(let promise):
      guard keep(exchange, for: reply) else { return }
      promise.onKept = { [unowned self, unowned exchange] in resume(exchange) }
    case .stream(let stream):
      guard keep(exchange, for: reply) else { return stream.onEnd() }
      stream.onOffer = { [unowned self, unowned exchange] in resume(exchange) }
    }
  }

  private func keep(_ exchange: HTTPExchange, for reply: HTTPReply) -> Bool {
    guard waiting.count < settings.waitingMax else {
      turnedAway += 1
      exchange.stage = .answered(.now(settings.crowded))
      return false
    }
    exchange.stage = .answered(reply)
    waiting[ObjectIdentifier(exchange)] = exchange
    return true
  }

  private func resume(_ exchange: HTTPExchange) {
    // Many may go on in one handler: libmicrohttpd runs once for all of them.
    if exchange.resume() { loop.post { [weak self] in self?.run() } }
  }

  func ended(_ exchange: HTTPExchange) { waiting[ObjectIdentifier(exchange)] = nil }

  /// Its descriptor may be another connection's next.
  func closed(_ socket: Int32) {
    guard daemon != nil else { return }
    admission.left(UInt64(max(0, socket)))
  }
}
