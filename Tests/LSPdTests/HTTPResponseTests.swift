@testable import HTTP

@Suite("Answers of lspd's HTTP") struct HTTPResponseTests {
  @Test(arguments: [
    (200, "OK"), (400, "Bad Request"), (404, "Not Found"), (405, "Method Not Allowed"),
    (408, "Request Timeout"), (414, "URI Too Long"), (421, "Misdirected Request"),
    (503, "Service Unavailable"),
  ])
  func `An answer to a connection whose request was never read has the reason of its status`(
    _ status: Int, _ reason: String
  ) {
    let text = String(decoding: HTTPResponse(status: status, json: "{}", allow: "GET").bytes, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 \(status) \(reason)\r\n"))
    #expect(text.contains("\r\nAllow: GET\r\n") && text.hasSuffix("\r\nContent-Length: 2\r\n\r\n{}"))
  }
}
