import Crypto
import DaemonRuntime
import Lightning
import Ground
import HTTP
import LightningProvider
import LightningIO
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
