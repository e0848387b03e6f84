import Crypto
import DaemonRuntime
import Glibc
import Ground
import HTTP
import Lightning
import LightningIO
import LightningProvider
import PhonePolicy

// Senders' questions over HTTP, answered from the state of the recipient's core.
extension Provider {
  /// Of questions without the token, in a second, and as many of those that are refused. A line of the access log each: it
  /// is not to turn within minutes.
  static let hintsPerSecond = 20

  /// On the last run's port, so that a sender's URL stays valid; on another port if that one is taken.
  func listenForSenders() throws(SystemError) {
    let file = HTTPAddressFile(path: options.http)
    accessLog = try AccessLog(path: options.accessLog)
    let server: HTTPServer
    if let last = file.read(), last.host == HostAndPort.loopback, let again = try? makeServer(last) {
      server = again
    } else {
      server = try makeServer(HostAndPort(loopback: 0))
    }
    http = server
    try AddressFile.write(hintToken, to: options.httpToken)
    try file.write(server.address)
    journal.note("answering senders on \(HTTPAddressFile.url(server.address))")
  }

  private func makeServer(_ place: HostAndPort) throws(SystemError) -> HTTPServer {
    var settings = HTTPServer.Settings(
      crowded: HTTPResponse(
        status: 503, error: "lspd has too many connections of senders; ask again in a second"),
      late: HTTPResponse(status: 408, error: "no request came within 10 s; connect and send it at once"))
    settings.headers = ["Authorization"]
    return try HTTPServer(place, loop: loop, settings: settings) { [unowned self] in respond(to: $0) }
  }

  private func respond(to request: HTTPRequest) -> HTTPResponse {
    let isOwn = ConstantTime.areEqual(Array((request.bearer ?? "").utf8), Array(hintToken.utf8))
    let foreign = Self.foreign(request, port: http?.address.port ?? 0)
    let isRefused = foreign != nil || options.hintsNeedToken && !isOwn
    // Pages of other sites, which are refused, must not use up the questions of senders.
    let isBeyond =
      !isOwn
      && !(isRefused
        ? refusalBucket.takesOne(of: Self.hintsPerSecond, at: clock.now)
        : hintBucket.takesOne(of: Self.hintsPerSecond, at: clock.now))
    if isBeyond { hintsRefused += 1 }
    if isBeyond, !isRefused {
      var response = HTTPResponse(
        status: 429,
        error: "there are too many questions without the token of `lsp/http-token`; wait a second")
      response.more = [HTTPHeader("Retry-After", "1")]
      return response
    }
    var row = AccessRow(
      atNs: clock.now.nanoseconds, atWallNs: clock.wallNanoseconds,
      method: String(decoding: request.method.utf8.prefix(16), as: UTF8.self),
      target: String(decoding: request.target.utf8.prefix(AccessLog.targetBytesMax), as: UTF8.self),
      status: 200)
    func refuse(_ status: Int, _ sentence: String, allow: String? = nil) -> HTTPResponse {
      row.status = status
      row.error = sentence
      return HTTPResponse(status: status, error: sentence, allow: allow)
    }
    let response: HTTPResponse
    do {
      if let foreign { throw foreign }
      if options.hintsNeedToken, !isOwn { throw HintRefusal.noToken }
      let hint = try self.hint(for: HintQuestion(method: request.method, target: request.target))
      row.hint = hint.hint.rawValue
      row.reason = hint.reason.rawValue
      row.recommendedDelayMs = hint.recommendedDelayMs
      response = HTTPResponse(status: 200, json: hint.value.json)
    } catch let error as ForeignRequest {
      response = refuse(error.status, error.description)
    } catch let error as HintRefusal {
      response = refuse(error.status, error.description, allow: error == .otherMethod ? "GET" : nil)
    } catch { fail(error) }
    guard isBeyond || accessLog?.append(row) == true else {
      return HTTPResponse(
        status: 503, error: "lspd cannot write its access log; make room on its disk")
    }
    return response
  }

  private static func foreign(_ request: HTTPRequest, port: UInt16) -> ForeignRequest? {
    do throws(ForeignRequest) {
      try ForeignRequest.check(request, port: port)
      return nil
    } catch { return error }
  }

  /// Of a recipient that is no wallet, the own wallet's core says that there is no route to it.
  private func hint(for question: HintQuestion) throws -> ForwardingHint {
    let wallet = try wallet(ofPayee: question.recipient, for: own) ?? own!
    return wallet.runner.core.hint(for: question, at: clock.now)
  }
}

/// lspd's URL for senders, such as `http://127.0.0.1:40123`, and for lspd to listen on the same port after a restart.
struct HTTPAddressFile {
  private static let scheme = "http://"

  let path: String

  /// Nil for a missing file, or one that is damaged.
  func read() -> HostAndPort? {
    SmallFile.read(path, limit: 64).flatMap { Self.parse($0) }
  }

  static func parse(_ bytes: [UInt8]) -> HostAndPort? {
    let text = String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
    guard text.hasPrefix(scheme) else { return nil }
    return HostAndPort(String(text.dropFirst(scheme.count)))
  }

  static func url(_ place: HostAndPort) -> String { "\(scheme)\(place)" }

  func write(_ place: HostAndPort) throws(SystemError) { try AddressFile.write(Self.url(place), to: path) }
}

/// One line for each request over HTTP, written before its answer is sent. A kill of lspd loses none.
///
/// Any user of the machine may ask, so the file is bounded: a full one becomes `access.jsonl.1`, in place of the one
/// before.
final class AccessLog {
  private static let bytesMax = 16 * 1024 * 1024
  /// More than a question has; a request of 64 KiB shall not be 64 KiB here.
  static let targetBytesMax = 300

  private let path: String
  private var descriptor: Int32
  private var lines: LineWriter
  private var bytes: Int

  init(path: String) throws(SystemError) {
    self.path = path
    descriptor = try Self.open(path)
    lines = LineWriter(appendingTo: descriptor)
    bytes = Int(lseek(descriptor, 0, SEEK_END))
  }

  deinit { close(descriptor) }

  private static func open(_ path: String) throws(SystemError) -> Int32 {
    try PlainFile.open(path, O_RDWR | O_APPEND | O_CREAT)
  }

  /// False if the line could not be written.
  func append(_ row: AccessRow) -> Bool {
    if bytes >= Self.bytesMax { turnPage() }
    let line = row.json
    guard lines.append(line) else { return false }
    bytes += line.utf8.count + 1
    return true
  }

  private func turnPage() {
    guard rename(path, "\(path).1") == 0, let next = try? Self.open(path) else { return }
    close(descriptor)
    descriptor = next
    lines = LineWriter(appendingTo: next)
    bytes = 0
  }
}
