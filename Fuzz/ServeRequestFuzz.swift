@testable import HTTP

@testable import Baton

/// A request to `baton serve`: each line is one part of it, the rest its body.
enum ServeRequestFuzz: FuzzTarget {
  static let name = "serve-request"
  static let longestInput = 1200

  private static let token = "00112233445566778899aabbccddeeff"
  private static let cookie = "ffeeddccbbaa99887766554433221100"
  private static let parts = ["Origin", "Cookie", "Authorization", "Content-Type"]

  static var seeds: [[UInt8]] {
    [
      "GET\n/?token=\(token)\n127.0.0.1:4711\n\n\n\n\n",
      "GET\n/events\nlocalhost:4711\nhttp://localhost:4711\na=b; baton-4711=\(cookie)\n\n\n",
      "POST\n/act\n127.0.0.1:4711\n\n\nBearer \(token)\napplication/json\n{\"do\":\"pay\"}",
      "GET\n/metrics?x&token=&token=\(token)\n127.0.0.1:4711\n\n\nbearer \(token)\n\n",
    ].map { Array($0.utf8) }
  }

  static func feed(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 7, omittingEmptySubsequences: false)
    func line(_ place: Int) -> String { place < lines.count ? text(Array(lines[place])) : "" }
    var request = HTTPRequest(method: line(0), target: line(1), host: line(2))
    for (place, name) in parts.enumerated() where !line(3 + place).isEmpty {
      request.headers[name] = line(3 + place)
    }
    request.body = lines.count > 7 ? Array(lines[7]) : []
    let gate = ServeGate(token: token, cookie: cookie, port: 4711, isControlled: true)
    do throws(ServeRefusal) {
      let route = try gate.route(request)
      let hasToken = [line(1), line(5)].contains { $0.contains(token) }
      promise(hasToken || line(4).contains(cookie), "a request without token and cookie is answered")
      promise(hasToken || route != .page(hasToken: true), "the cookie opens a page with the token")
      if case .act(let action) = route {
        promise(ServeGate.actions.contains(action), "an unknown action is done")
        promise(request.method == "POST" && line(5).contains(token), "an action without its header is done")
      }
    } catch {
      promiseOneLine(error.description)
      promise((400..<500).contains(error.status), "a bad request is not the sender's fault")
    }
  }
}
