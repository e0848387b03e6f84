// HTTPServer: HTTP for programs of this machine: libmicrohttpd on 127.0.0.1, driven by the event loop and without a
// thread. It decides nothing about a request. No process of a wallet links it.

import CLinux
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
    /// For a connection that makes room for a newer one.
    public var crowded: HTTPResponse
    /// For a connection without a request in time.
    public var late: HTTPResponse

    public init(crowded: HTTPResponse, late: HTTPResponse) {
      self.crowded = crowded
      self.late = late
    }
  }

  private static let pauseWithoutDescriptors = TimeSpan.milliseconds(100)
  /// Few at a time, so that the loop's other connections are served in between.
  private static let acceptedPerTurn = 16

  public let address: HostAndPort
  private let loop: EventLoop
  private let settings: Settings
  private let respond: (HTTPRequest) -> HTTPResponse
  private let listener: Int32
  private var daemon: OpaquePointer?
  private var work: Int32 = -1
  private var door: Doorkeeper
  private var doorTimer: LoopTimer?
  private var workTimer: LoopTimer?
  /// Connections that were closed to make room, or as their request was late.
  public private(set) var turnedAway = 0

  /// Port 0 takes any free one, which `address` has then.
  public init(
    _ wanted: HostAndPort, loop: EventLoop, settings: Settings,
    respond: @escaping (HTTPRequest) -> HTTPResponse
  ) throws(SystemError) {
    self.loop = loop
    self.settings = settings
    self.respond = respond
    var limits = Doorkeeper.Limits()
    limits.silentMax = settings.connectionsMax
    limits.firstMessageWithin = settings.requestWithin
    door = Doorkeeper(limits: limits)
    (listener, address) = try LoopbackSocket.listen(on: wanted)
    // From here on the value is complete: a throw runs `deinit`, which closes the socket.
    try start()
  }

  deinit {
    loop.unwatch(listener)
    close(listener)
    doorTimer?.cancel()
    workTimer?.cancel()
    if work >= 0 { loop.unwatch(work) }
    guard let ending = daemon else { return }
    // It reports the end of each connection, which this value no longer takes.
    daemon = nil
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
    try watchListener()
  }

  private func watchListener() throws(SystemError) {
    try loop.watch(listener, .readable) { [unowned self] _ in acceptSome() }
  }

  /// Everything that libmicrohttpd can do now; then its timer is set anew.
  private func run() {
    guard let daemon else { return }
    _ = MHD_run(daemon)
    workTimer?.cancel()
    let span = baton_http_timeout_ms(daemon)
    workTimer = span < 0 ? nil : loop.after(.milliseconds(Int64(span))) { [weak self] in self?.run() }
  }

  // MARK: Connections

  private func acceptSome() {
    for _ in 0..<Self.acceptedPerTurn {
      let socket = baton_accept(listener)
      if socket >= 0 {
        admit(socket)
        continue
      }
      let isOutOfDescriptors = errno == EMFILE || errno == ENFILE
      if errno == EINTR || errno == ECONNABORTED { continue }
      if isOutOfDescriptors, let oldest = door.sendAwayLongestSilent() {
        turnAway(oldest, settings.crowded)
        continue
      }
      if errno != EAGAIN { pause() }
      break
    }
    armDoorTimer()
  }

  /// The connection stays in the queue and the socket readable: the loop would spin.
  private func pause() {
    loop.unwatch(listener)
    loop.after(Self.pauseWithoutDescriptors) { [weak self] in try? self?.watchListener() }
  }

  private func admit(_ socket: Int32) {
    // The other half is for the rest of the program.
    guard let daemon, socket < LoopbackSocket.descriptorsMax / 2 else { return refuse(socket) }
    var source = LoopbackSocket.address(of: address)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isTaken = withUnsafePointer(to: &source) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        baton_http_add(daemon, socket, $0, size) != 0
      }
    }
    // libmicrohttpd has closed a socket that it did not take.
    guard isTaken else { return turnedAway += 1 }
    if let oldest = door.arrived(UInt64(socket), at: loop.now) { turnAway(oldest, settings.crowded) }
  }

  private func refuse(_ socket: Int32) {
    turnedAway += 1
    LoopbackSocket.say(settings.crowded, to: socket)
    close(socket)
  }

  /// libmicrohttpd owns the socket: it closes it when it finds that nothing comes any more.
  private func turnAway(_ connection: UInt64, _ response: HTTPResponse) {
    sayAndShut(connection, response)
    run()
  }

  private func sayAndShut(_ connection: UInt64, _ response: HTTPResponse) {
    turnedAway += 1
    let socket = Int32(connection)
    LoopbackSocket.say(response, to: socket)
    shutdown(socket, Int32(SHUT_RDWR))
  }

  private func armDoorTimer() {
    guard doorTimer?.isPending != true || doorTimer?.instant != door.deadline else { return }
    doorTimer?.cancel()
    doorTimer = door.deadline.map { deadline in
      loop.at(deadline) { [weak self] in self?.turnAwayOverdue() }
    }
  }

  private func turnAwayOverdue() {
    // libmicrohttpd may close any of them as soon as it runs.
    let overdue = door.sendAwayOverdue(at: loop.now)
    for connection in overdue { sayAndShut(connection, settings.late) }
    if !overdue.isEmpty { run() }
    armDoorTimer()
  }

  // MARK: Calls of libmicrohttpd

  /// From here on the connection is not turned away: it has its answer.
  func answer(_ request: HTTPRequest, of socket: Int32) -> HTTPResponse {
    door.left(UInt64(max(0, socket)))
    return respond(request)
  }

  /// Its descriptor may be another connection's next.
  func closed(_ socket: Int32) {
    guard daemon != nil else { return }
    door.left(UInt64(max(0, socket)))
    armDoorTimer()
  }
}
