@testable import Lightning

/// LSPS0's JSON-RPC, and each refusal of LSPS5's requests.
@Suite("LSPS0 and LSPS5 requests") struct WebhookRequestTests {
  private let url = "https://www.example.org/push?l=1234567890abcdefghijklmnopqrstuv&c=best"

  /// A name is registered once in a cooldown.
  private static let cooledDown = Instant(nanoseconds: 0) + WebhookRules.standard.cooldown

  private struct Answer {
    var text: String
    var value: JSONValue
    var code: Int64? { value["error"]?["code"]?.int }
    var data: JSONValue? { value["error"]?["data"] }
  }

  private func ask(
    _ text: String, _ book: inout WebhookBook, reach: WebhookReach = .anywhere,
    at now: Instant = Instant(nanoseconds: 0)
  ) throws -> (Answer, WebhookStep) {
    var step = WebhookStep()
    book.hear(Array(text.utf8), WebhookRules(reach: reach), at: now, &step)
    let reply = try #require(step.reply)
    let value = try #require(JSONValue(parsing: Array(reply.utf8)))
    #expect(value["jsonrpc"]?.text == "2.0" && (value["result"] == nil) != (value["error"] == nil))
    return (Answer(text: reply, value: value), step)
  }

  private func ask(_ text: String, reach: WebhookReach = .anywhere) throws -> Answer {
    var book = WebhookBook()
    let (answer, step) = try ask(text, &book, reach: reach)
    expect(step.changes.isEmpty, is: book.webhooks.isEmpty)
    return answer
  }

  private func request(_ method: String, _ params: String) -> String {
    #"{"jsonrpc":"2.0","id":"a1","method":"\#(method)","params":\#(params)}"#
  }

  private func set(_ name: String, _ url: String) -> String {
    String(decoding: WebhookRequest.set(name: name, url: url).encoded(id: "a1"), as: UTF8.self)
  }

  // MARK: JSON-RPC

  @Test(arguments: [
    "", " ", "{", "[]", "[{}]", "null", "1", "\"x\"", "{} {}", "{ } { ", "{}", "{}\0", "\0{}", "nul",
    #"{"jsonrpc":"2.0","method":"lsps5.list_webhooks"}"#,
    #"{"jsonrpc":"2.0","id":null,"method":"lsps5.list_webhooks","params":{}}"#,
    #"{"jsonrpc":"2.0","id":{},"method":"lsps5.list_webhooks","params":{}}"#,
    #"{"jsonrpc":"2.0","id":["a"],"method":"lsps5.list_webhooks","params":{}}"#,
    #"{"jsonrpc":"2.0","id":true,"method":"lsps5.list_webhooks","params":{}}"#,
    #"{"jsonrpc":"1.0","id":"a","method":"lsps5.list_webhooks","params":{}}"#,
    #"{"jsonrpc":2.0,"id":"a","method":"lsps5.list_webhooks","params":{}}"#,
    #"{"id":"a","method":"lsps5.list_webhooks","params":{}}"#,
    #"{"jsonrpc":"2.0","id":"a","method":5,"params":{}}"#, #"{"jsonrpc":"2.0","id":"a","params":{}}"#,
    #"{"jsonrpc":"2.0","id":"a","method":"lsps5.list_webhooks","params":[]}"#,
    #"{"jsonrpc":"2.0","id":"a","method":"lsps5.list_webhooks","params":"x"}"#,
    #"{"jsonrpc":"2.0","id":"a","id":"b","method":"lsps5.list_webhooks","params":{}}"#,
    #"[{"jsonrpc":"2.0","id":"a","method":"lsps5.list_webhooks","params":{}}]"#,
    #"{"jsonrpc":"2.0","id":"a","result":{"app_names":[],"max_webhooks":1}}"#,
    "{\"jsonrpc\":\"2.0\",\"id\":\"a\nb\",\"method\":\"lsps5.list_webhooks\",\"params\":{}}",
    #"{"jsonrpc":"2.0","id":"\#(String(repeating: "i", count: 257))","method":"lsps5.list_webhooks"}"#,
    String(repeating: "[", count: 8000), String(repeating: "{\"a\":", count: 1600),
  ])
  func `What is not exactly one request is a parse error with the id null`(_ text: String) throws {
    expect(
      try ask(text).text, is: #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}"#)
  }

  @Test func `Bytes that are no UTF-8 are a parse error`() {
    var book = WebhookBook()
    var step = WebhookStep()
    let bytes = Array(#"{"jsonrpc":"2.0","id":""#.utf8) + [0xff] + Array(#"","method":"x","params":{}}"#.utf8)
    book.hear(bytes, .standard, at: Instant(nanoseconds: 0), &step)
    #expect(step.reply?.contains("-32700") == true && step.changes == [])
  }

  @Test(arguments: ["a1", "é", "\\\"", "\\u0000"]) func `The answer repeats the id`(_ id: String) throws {
    let answer = try ask(#" {"params":{}, "method":"lsps5.list_webhooks","id":"\#(id)","jsonrpc":"2.0"} "#)
    #expect(answer.text.hasPrefix(#"{"jsonrpc":"2.0","id":"\#(id)","result":"#))
  }

  @Test func `A number as the id is repeated as it is written`() throws {
    let answer = try ask(#"{"jsonrpc":"2.0","id":1e2,"method":"lsps5.list_webhooks"}"#)
    #expect(answer.text.contains(#""id":1e2,"result":{"app_names":[],"max_webhooks":10}"#))
  }

  @Test
  func `An unknown method, and parameters that are missing, unknown or no texts, have JSON-RPC's codes`()
    throws
  {
    for method in ["lsps5.get_webhook", "lsps1.get_info", "", "LSPS5.list_webhooks"] {
      expect(try ask(request(method, "{}")).code, is: -32601)
    }
    for params in [
      "{}", #"{"app_name":"a"}"#, #"{"webhook":"https://a"}"#, #"{"app_name":null,"webhook":"https://a"}"#,
      #"{"app_name":1,"webhook":"https://a"}"#, #"{"app_name":["a"],"webhook":"https://a"}"#,
    ] {
      let answer = try ask(request("lsps5.set_webhook", params))
      #expect(answer.code == -32602 && answer.data?["unrecognized"]?.elements == [])
    }
    let answer = try ask(request("lsps5.list_webhooks", #"{"x":1,"y":{}}"#))
    expect(answer.code, is: -32602)
    expect(answer.data?["unrecognized"]?.elements, is: [.string("x"), .string("y")])
    expect(
      try ask(request("lsps5.set_webhook", #"{"app_name":"a","webhook":"https://a","x":0}"#)).data?.json,
      is: #"{"unrecognized":["x"]}"#)
  }

  @Test func `lsps0.list_protocols names LSPS5, unless webhooks are off`() throws {
    #expect(try ask(request("lsps0.list_protocols", "{}")).text.hasSuffix(#""result":{"protocols":[5]}}"#))
    let off = try ask(request("lsps0.list_protocols", "{}"), reach: .off)
    #expect(off.text.hasSuffix(#""result":{"protocols":[]}}"#))
    for method in ["lsps5.list_webhooks", "lsps5.set_webhook", "lsps5.remove_webhook"] {
      let params = method.contains("list") ? "{}" : #"{"app_name":"a"}"#
      #expect([-32601, -32602].contains(try ask(request(method, params), reach: .off).code))
    }
    expect(try ask(set("a", url), reach: .off).code, is: -32601)
  }

  @Test func `A node without a channel has no webhooks, and may ask what the LSP supports`() throws {
    func ask(_ text: String) -> String? {
      var step = WebhookStep()
      WebhookBook.refuseStranger(Array(text.utf8), .standard, &step)
      #expect(step.changes == [] && step.orders == [])
      return step.reply
    }
    expect(ask(set("a", url))?.contains(#""code":1003"#), is: true)
    expect(ask(request("lsps0.list_protocols", "{}"))?.contains("[5]"), is: true)
    expect(ask("{")?.contains("-32700"), is: true)
  }

  // MARK: LSPS5's errors

  @Test func `A name counts as it is written in JSON, up to 64 bytes`() throws {
    for name in [
      String(repeating: "a", count: 64), String(repeating: "é", count: 32),
      String(repeating: "\n", count: 32),
      String(repeating: "\"", count: 32), String(repeating: "\u{1}", count: 10) + "abcd", "",
    ] {
      #expect(try ask(set(name, url)).code == nil, "\(name)")
      expect(try ask(set(name + String(repeating: "b", count: 65), url)).code, is: 500)
    }
    for name in [
      String(repeating: "a", count: 65), String(repeating: "é", count: 32) + "a",
      String(repeating: "\n", count: 32) + "a", String(repeating: "\u{1}", count: 11),
    ] {
      expect(try ask(set(name, url)).code, is: 500, "\(name)")
    }
  }

  @Test func `A URL may have 1024 characters`() throws {
    let base = "https://example.org/"
    #expect(try ask(set("a", base + String(repeating: "x", count: 1024 - base.count))).code == nil)
    expect(try ask(set("a", base + String(repeating: "x", count: 1025 - base.count))).code, is: 500)
    expect(try ask(set("a", String(repeating: "é", count: 2000))).code, is: 500)
  }

  @Test(arguments: [
    "", "https", "https:", "https:/", "https:/a", "https://", "https:///a", "https://?a", "//a", "a.org/x",
    "https://a b", "https://a\u{7f}", "https://a\n", "https://ä.org", "https://user@a", "https://u:p@a",
    "https://a:", "https://a:0", "https://a:65536", "https://a:-1", "https://a:+1", "https://a:1x",
    "https://-a", "https://a-", "https://a..b", "https://.a", "https://a.", "https://a_b", "https://[::1",
    "https://[]", "https://[1]", "https://[::1]x", "https://[g::1]", "https://a/%", "https://a/%2",
    "https://a/%2g", "https://a/#x", "https://a#x", "https://a/<", "https://a/\\", "https://a/{",
    "https://a/[",
    "https://a/\u{0}", "https://a/`", "1https://a", "-https://a", "ht tps://a", "mailto:a@b",
    "https://\(String(repeating: "a", count: 64))", "javascript:alert(1)",
  ])
  func `What is no URL of RFC 1738 is a parse error`(_ text: String) throws {
    expect(try ask(set("a", text)).code, is: 501)
  }

  @Test func `An LSP calls https alone, and one for tests only its own machine`() throws {
    for text in ["http://a.org", "ftp://a.org/x", "file://a/b", "ws://a", "gopher://a", "HTTP://127.0.0.1"] {
      expect(try ask(set("a", text)).code, is: 502, "\(text)")
    }
    for text in [
      "https://a.org", "HTTPS://A.org:443/x?y=%20&z", "https://[2001:db8::1]:8443", "https://1.2.3.4?q",
    ] {
      #expect(try ask(set("a", text)).code == nil, "\(text)")
      expect(try ask(set("a", text), reach: .loopback).code, is: 502, "\(text)")
    }
    for text in [
      "http://127.0.0.1:8080/x", "https://127.255.0.9", "http://localhost", "http://LOCALHOST:9",
      "http://[::1]:1/",
    ] {
      #expect(try ask(set("a", text), reach: .loopback).code == nil, "\(text)")
    }
    for text in [
      "http://127.1", "http://0x7f.0.0.1", "http://127.0.0.01", "http://2130706433",
      "http://127.0.0.1.nip.io",
      "http://localhost.evil.org", "http://0.0.0.0", "http://[::]", "http://[::ffff:127.0.0.1]",
      "http://128.0.0.1", "ftp://127.0.0.1", "http://127.0.0.256", "http://169.254.169.254",
    ] {
      expect(try ask(set("a", text), reach: .loopback).code, is: 502, "\(text)")
    }
  }

  @Test func `The eleventh webhook is refused, and a replacement is not`() throws {
    var book = WebhookBook()
    for number in 1...10 {
      let (answer, _) = try ask(set("\(number)", url), &book)
      expect(
        answer.value["result"]?.json, is: #"{"num_webhooks":\#(number),"max_webhooks":10,"no_change":false}"#)
    }
    let (refused, step) = try ask(set("11", url), &book)
    #expect(refused.code == 503 && refused.data?.json == #"{"max_webhooks":10}"# && step.changes == [])
    let (same, unchanged) = try ask(set("3", url), &book)
    #expect(same.value["result"]?["no_change"]?.flag == true && unchanged.changes == [])
    let (early, _) = try ask(set("3", url + "x"), &book)
    #expect(early.value["error"] != nil)
    let (replaced, _) = try ask(set("3", url + "x"), &book, at: Self.cooledDown)
    expect(replaced.value["result"]?.json, is: #"{"num_webhooks":10,"max_webhooks":10,"no_change":false}"#)
    expect(book.webhooks.map(\.name), is: (1...10).map { "\($0)" })
    let (list, _) = try ask(request("lsps5.list_webhooks", "{}"), &book)
    expect(list.value["result"]?["app_names"]?.elements?.compactMap(\.text), is: (1...10).map { "\($0)" })
  }

  @Test func `A webhook is removed by its name, and an unknown name is not found`() throws {
    var book = WebhookBook()
    _ = try ask(set("a", url), &book)
    for name in ["b", "A", "a ", ""] {
      let (answer, step) = try ask(request("lsps5.remove_webhook", #"{"app_name":"\#(name)"}"#), &book)
      #expect(answer.code == 1010 && step.changes == [])
    }
    let (answer, step) = try ask(request("lsps5.remove_webhook", #"{"app_name":"a"}"#), &book)
    #expect(answer.value["result"]?.json == "{}" && step.changes.first == .removed(name: "a"))
    expect(book.webhooks, is: [])
  }

  // MARK: The client

  @Test func `The wallet reads the answers that the LSP gives`() throws {
    var book = WebhookBook()
    var now = Instant(nanoseconds: 0)
    func reply(_ request: WebhookRequest) throws -> Result<WebhookAnswer?, ServiceError> {
      var step = WebhookStep()
      book.hear(request.encoded(id: "7f"), .standard, at: now, &step)
      let text = try #require(step.reply)
      let reply = try #require(ServiceReply(parsing: Array(text.utf8)))
      expect(reply.id, is: "7f")
      return reply.outcome.map { request.answer(reading: $0) }
    }
    let here = "http://127.0.0.1/é".replacing("é", with: "e")
    expect(
      try reply(.set(name: "\"\n\\", url: here)), is: .success(.set(count: 1, max: 10, isUnchanged: false)))
    expect(try reply(.list), is: .success(.list(names: ["\"\n\\"], max: 10)))
    expect(try reply(.protocols), is: .success(.protocols([5])))
    expect(try reply(.remove(name: "x")), is: .failure(.unknownName))
    expect(try reply(.remove(name: "\"\n\\")), is: .success(.removed))
    expect(try reply(.set(name: "a", url: "x")), is: .failure(.unreadableURL))
    expect(try reply(.set(name: "a", url: "https://a.org")), is: .failure(.unsupportedProtocol))
    expect(try reply(.set(name: String(repeating: "a", count: 65), url: here)), is: .failure(.tooLong))
    now = Self.cooledDown
    for number in 0..<10 { _ = try reply(.set(name: "\(number)", url: here)) }
    expect(try reply(.set(name: "a", url: here)), is: .failure(.tooManyWebhooks(max: 10)))
  }

  @Test func `An LSP's unknown members are ignored, and its sentences are not shown`() throws {
    func read(_ text: String) -> ServiceReply? { ServiceReply(parsing: Array(text.utf8)) }
    for text in [
      "", "{}", "[]", #"{"id":"a"}"#, #"{"id":"a","result":5}"#, #"{"id":1,"result":{}}"#,
      #"{"id":null,"result":{}}"#,
      #"{"jsonrpc":"2.0","method":"lsps5.x","params":{}}"#, #"{"id":"a","result":{}"#,
    ] {
      #expect(read(text) == nil, "\(text)")
    }
    let list = try #require(
      read(#"{"id":"a","x":1,"result":{"app_names":["n"],"max_webhooks":3,"more":{"y":[]}}}"#))
    expect(
      list.outcome.map { WebhookRequest.list.answer(reading: $0) }, is: .success(.list(names: ["n"], max: 3)))
    for text in ["{}", #"{"app_names":5,"max_webhooks":3}"#, #"{"app_names":[],"max_webhooks":-1}"#] {
      let result = try #require(JSONValue(parsing: Array(text.utf8)))
      #expect(WebhookRequest.list.answer(reading: result) == nil)
      #expect(WebhookRequest.set(name: "", url: "").answer(reading: result) == nil)
    }
    let error = try #require(read(#"{"id":"a","error":{"code":-5,"message":"<b>\n"}}"#))
    expect(error.outcome, is: .failure(.other(code: -5)))
    for text in [
      #"{"id":"a","error":5}"#, #"{"id":"a","error":{"code":"x"}}"#, #"{"id":"a","error":{"code":503}}"#,
    ] {
      guard case .failure(let error) = try #require(read(text)).outcome, error.word == "error" else {
        Issue.record("\(text)")
        continue
      }
    }
    for error: ServiceError in [
      .badFormat, .unknownMethod, .badParameters(unrecognized: ["a\nb"]), .tooLong, .unreadableURL,
      .unsupportedProtocol, .tooManyWebhooks(max: 3), .noChannel, .unknownName, .other(code: 9),
    ] {
      expect(ServiceError(reading: error.value), is: error)
      #expect(!error.description.contains("\n"))
    }
  }
}
