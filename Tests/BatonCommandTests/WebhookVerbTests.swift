import DaemonRuntime
import Ground
import Testing
import WaitingTests

@testable import Baton

@Suite("baton webhook", .waits) struct WebhookVerbTests {
  private static let url = "http://127.0.0.1:9/wake"

  @Test func `The app registers, lists and removes a webhook, and the peer shows what it has called`() throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up", "--only-webhooks", "--webhook-cooldown", "1h")
    #expect(try phone.run("webhook", "list").contains("needs the app in the foreground"))
    try phone.openAndConnect()
    #expect(try phone.run("webhook", "list") == "the wallet has no webhook\n")
    #expect(
      try phone.run("webhook", "set", "mine", Self.url)
        == "the peer calls \(Self.url) from now on, and no longer pushes: only a push of that server wakes the extension (1 of at most 10)\n"
    )
    #expect(
      try phone.run("webhook", "set", "mine", Self.url)
        == "the peer has this webhook already (1 of at most 10)\n")
    #expect(try phone.run("webhook", "set", "a.b", Self.url).contains("(2 of at most 10)"))
    #expect(try phone.run("webhook", "list") == "mine\na.b\n")
    let listed = JSONValue(parsing: Array(try phone.run("webhook", "list", "--json").utf8))
    #expect(listed?.json == #"{"names":["mine","a.b"],"max":10}"#)
    #expect(try phone.run("webhook", "remove", "a.b").contains("forgotten the webhook a.b"))
    let shown = try phone.run("lsp", "webhooks")
    #expect(shown.hasPrefix("mine: \(Self.url)\n") && shown.contains("lsps5.webhook_registered to mine: "))
    #expect(try phone.run("lsp", "notify", "onion_message_incoming").contains("is connected"))
    #expect(try phone.run("webhook", "remove", "mine") == "the peer has forgotten the webhook mine\n")
    #expect(try phone.run("webhook", "remove", "mine").contains("no webhook of this name"))
    #expect(try phone.run("lsp", "webhooks").hasPrefix("the wallet has no webhook"))
    #expect(try phone.run("logs").contains("the wallet has registered the webhook mine"))
    #expect(try phone.run("judge", phone.scratch("phone")).contains("sound"))
  }

  @Test func `What pay says of a held payment is what the peer does to wake the wallet`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up", "--only-webhooks", "--webhook-cooldown", "1h")
    try phone.openAndConnect()
    let invoices = try (0..<3).map { _ in try phone.invoice() }
    func pay(_ number: Int) throws -> String { try phone.run("pay", invoices[number], "--no-wait", "--json") }
    func leave() throws {
      _ = try phone.run("app", "home")
      try phone.waitUntilAway()
    }
    try leave()
    #expect(try pay(0).contains(#""woken_by":"nothing""#))
    try phone.openAndConnect()
    _ = try phone.run("webhook", "set", "mine", Self.url)
    try leave()
    for (number, woken) in [(1, "webhook"), (2, "webhook-later")] {
      let said = try pay(number)
      #expect(said.contains(#""woken_by":"\#(woken)""#), "\(said)")
    }
  }

  @Test func `A URL that the peer does not take is refused with what to write`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    for (name, url, words) in [
      ("a", "here", "write it in ASCII"), ("a", "https://example.org/", "a URL of this machine"),
      (String(repeating: "a", count: 65), Self.url, "a name may have 64 bytes"),
    ] {
      let said = try phone.run("webhook", "set", name, url)
      #expect(said.contains(words) && said.split(separator: "\n").count == 1, "\(said)")
    }
    #expect(try phone.run("lsp", "notify", "expiry_soon").contains("add --timeout HEIGHT"))
    #expect(
      try phone.run("lsp", "notify", "onion_message_incoming", "--timeout", "5").contains(
        "leave --timeout out"))
  }
}
