import Testing

@testable import Judge
@testable import TestHomes

/// In the sample the wallet is connected from the middle of the first connection on.
@Suite("The judge and webhooks") struct WebhookCheckTests {
  private static let tables = """
    UPDATE runs SET started_at_ns = 1;
    DELETE FROM pushes;
    CREATE TABLE webhooks(
      id INTEGER PRIMARY KEY, app_name TEXT, url TEXT, set_at_ns INTEGER, ended_at_ns INTEGER) STRICT;
    CREATE TABLE webhook_calls(number INTEGER PRIMARY KEY, webhook INTEGER, method TEXT) STRICT;
    CREATE TABLE webhook_attempts(id INTEGER PRIMARY KEY, call INTEGER, at_ns INTEGER) STRICT;
    INSERT INTO webhooks VALUES (1, 'a', 'http://127.0.0.1/', 10, 1000);
    INSERT INTO webhook_calls VALUES (1, 1, 'lsps5.webhook_registered'), (2, 1, 'lsps5.payment_incoming');
    INSERT INTO webhook_attempts VALUES (1, 1, 10), (2, 2, 20), (3, 2, 1000);
    """

  private func sentences(_ sql: String) throws -> [String] {
    let run = try SampleStory.tell()
    try run.ledger.executeAll(Self.tables + sql)
    return try Judge.verdict(home: run.home).findings.filter {
      $0.invariant == 5 && $0.sentence.contains("webhook")
    }
    .map(\.sentence)
  }

  @Test func `Calls to a registered webhook of a wallet that is away are no findings`() throws {
    #expect(try sentences("") == [])
  }

  @Test(arguments: [
    "UPDATE webhook_attempts SET at_ns = 9 WHERE id = 1",
    "UPDATE webhook_attempts SET at_ns = 1001 WHERE id = 3",
    "UPDATE webhook_calls SET webhook = 5 WHERE number = 1",
    "UPDATE webhooks SET set_at_ns = 11",
    "INSERT INTO webhook_attempts VALUES (4, 9, 30)",
  ])
  func `A call without a registration is found`(_ sql: String) throws {
    #expect(try sentences(sql).first == "The peer called a webhook that was not registered then")
  }

  @Test func `A call while the wallet is connected is found, unless it is of the registration`() throws {
    let connected = """
      UPDATE webhooks SET ended_at_ns = NULL;
      UPDATE connections SET judged_at_ns = 15, closed_at_ns = 9000000000 WHERE id = 1;
      """
    #expect(
      try sentences(connected) == [
        "The peer called a webhook with lsps5.payment_incoming while the wallet was connected",
        "The peer called a webhook with lsps5.payment_incoming while the wallet was connected",
      ])
    #expect(try sentences(connected + "UPDATE webhook_attempts SET call = 1;") == [])
    // A connection that is about to be closed has failed before.
    #expect(try sentences(connected + "UPDATE connections SET closed_at_ns = 1000000000 WHERE id = 1;") == [])
  }

  @Test func `A webhook that does not hear of its registration first is found`() throws {
    #expect(
      try sentences("DELETE FROM webhook_attempts; DELETE FROM webhook_calls WHERE number = 1")
        == ["A webhook's first call is lsps5.payment_incoming, and not its registration"])
  }

  @Test func `A push for a wallet with a webhook is found`() throws {
    let push = """
      INSERT INTO pushes(id, at_ns, reason, attempts, outcome, is_open) VALUES (1, 30, 'IncomingPayment', 0, 'asked', 0);
      """
    #expect(try sentences(push) == ["The peer requested a push for a wallet with a webhook"])
    #expect(try sentences(push + "UPDATE webhooks SET ended_at_ns = 29; DELETE FROM webhook_attempts") == [])
  }
}
