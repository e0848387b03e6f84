import DaemonRuntime
import ForwardingHint
import HTTPServer
import JSON
import LightningProvider
import Reports

// Senders' questions over HTTP, answered from the state of the recipient's core.
extension Provider {
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
    try file.write(server.address)
    journal.note("answering senders on \(HTTPAddressFile.url(server.address))")
  }

  private func makeServer(_ place: HostAndPort) throws(SystemError) -> HTTPServer {
    let settings = HTTPServer.Settings(
      crowded: Self.refusal(503, "lspd has too many connections of senders; ask again in a second"),
      late: Self.refusal(408, "no request came within 10 s; connect and send it at once"))
    return try HTTPServer(place, loop: loop, settings: settings) { [unowned self] in respond(to: $0) }
  }

  private func respond(to request: HTTPRequest) -> HTTPResponse {
    var row = AccessRow(
      atNs: clock.now.nanoseconds, atWallNs: clock.wallNanoseconds,
      method: String(decoding: request.method.utf8.prefix(16), as: UTF8.self),
      target: String(decoding: request.target.utf8.prefix(AccessLog.targetBytesMax), as: UTF8.self),
      status: 200)
    let response: HTTPResponse
    do throws(HintRefusal) {
      let question = try HintQuestion(
        method: request.method, target: request.target, host: request.host, hosts: hosts)
      let hint: ForwardingHint
      do { hint = try self.hint(for: question) } catch let error as WalletElsewhereError {
        row.status = 503
        row.error = error.description
        return logged(row, Self.refusal(503, error.description))
      } catch { fail(error) }
      row.hint = hint.hint.rawValue
      row.reason = hint.reason.rawValue
      row.recommendedDelayMs = hint.recommendedDelayMs
      response = HTTPResponse(status: 200, json: hint.value.json)
    } catch {
      row.status = error.status
      row.error = error.description
      response = Self.refusal(error.status, error.description, allow: error == .otherMethod ? "GET" : nil)
    }
    return logged(row, response)
  }

  private func logged(_ row: AccessRow, _ response: HTTPResponse) -> HTTPResponse {
    guard accessLog?.append(row) == true else {
      return Self.refusal(503, "lspd cannot write its access log; make room on its disk")
    }
    return response
  }

  /// Of a recipient that is no wallet, the own wallet's core says that there is no route to it.
  private func hint(for question: HintQuestion) throws -> ForwardingHint {
    let wallet = try wallet(ofPayee: question.recipient, for: ownNumber) ?? own!
    return wallet.runner.core.hint(for: question, at: clock.now)
  }

  private var hosts: [String] { http.map { HostAndPort.localNames(port: $0.address.port) } ?? [] }

  private static func refusal(_ status: Int, _ sentence: String, allow: String? = nil) -> HTTPResponse {
    let body = JSONValue.object([JSONMember(key: "error", value: .string(sentence))])
    return HTTPResponse(status: status, json: body.json, allow: allow)
  }
}
