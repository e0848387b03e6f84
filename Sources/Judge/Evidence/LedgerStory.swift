/// What the peer's own journals say was written into its ledger: every change stands in the directive that ordered it.
struct LedgerStory {
  struct Connection {
    var opened: JournalRecord
    var node: String?
    var verdict: String?
    var closed: JournalRecord?
    var closedReason: String?
  }

  struct Payment {
    var held: JournalRecord
    var paymentHash: String?
    var amountMsat: Int64?
    var holdUntilNs: Int64?
    /// As the journal writes them.
    var secret: String?
    var totalMsat: Int64?
    var state = "held"
    var offered: JournalRecord?
    var htlc: Int64?
    var settled: JournalRecord?
    var preimage: String?
    var failure: String?
  }

  struct Frame {
    let record: JournalRecord
    let connection: Int64?
    let whyNot: String?
    let isCertain: Bool
  }

  struct Push {
    let record: JournalRecord
    let reason: String?
    let paymentHash: String?
    let amountMsat: Int64?
    let isCertain: Bool
  }

  struct Loss {
    let connection: Int64?
    let whose: String?
  }

  var connections: [Int64: Connection] = [:]
  var payments: [Int64: Payment] = [:]
  var frames: [Frame] = []
  var pushes: [Push] = []
  var losses: [Loss] = []
  var revision: Int64?

  /// A process that was killed may have announced a step that it did not live to write: `includingUncertain` says
  /// whether those steps count.
  init(evidence: Evidence, includingUncertain: Bool) {
    for journal in evidence.journals(of: "lspd") {
      revision =
        revision
        ?? journal.configurations(of: "peer").first?["state"]?["channel"]?["record"]?["revision"]?.integer
      let events = journal.events(of: "peer")
      for record in events {
        let isLast = record.line == journal.lastPeerLine && !journal.hasEnded
        let isCertain = !isLast && evidence.isCertain(record)
        if isCertain || includingUncertain { take(record, isCertain) }
      }
    }
  }

  private mutating func take(_ record: JournalRecord, _ isCertain: Bool) {
    for directive in record.directives {
      if let push = directive.payload("requestPush") {
        pushes.append(
          Push(
            record: record, reason: push["reason"]?.text, paymentHash: push["paymentHash"]?.text,
            amountMsat: push["amountMsat"]?.integer, isCertain: isCertain))
      }
      for change in directive.payload("store")?.items ?? [] { take(change, record, isCertain) }
    }
  }

  private mutating func take(_ change: JSONValue, _ record: JournalRecord, _ isCertain: Bool) {
    guard case .object(let members) = change, let name = members.first?.key, let body = members.first?.value
    else { return }
    let connection = body["connection"]?.integer
    switch name {
    case "connectionOpened":
      if let connection { connections[connection] = Connection(opened: record, node: body["node"]?.text) }
    case "connectionJudged":
      if let connection { connections[connection]?.verdict = body["_1"]?.text }
    case "connectionClosed":
      if let connection {
        connections[connection]?.closed = record
        connections[connection]?.closedReason = body["_1"]?.text
      }
    case "frameActedOn", "frameIgnored":
      frames.append(
        Frame(record: record, connection: connection, whyNot: body["_1"]?.text, isCertain: isCertain))
    case "channel": revision = body["_0"]?["revision"]?.integer
    case "dataLoss": losses.append(Loss(connection: connection, whose: body["_1"]?.text))
    default: takePayment(name, body, record)
    }
  }

  private mutating func takePayment(_ name: String, _ body: JSONValue, _ record: JournalRecord) {
    if name == "paymentHeld", let request = body["_0"], let id = request["id"]?.integer {
      payments[id] = Payment(
        held: record, paymentHash: request["paymentHash"]?.text, amountMsat: request["amountMsat"]?.integer,
        holdUntilNs: request["holdUntil"]?.integer, secret: request["paymentData"]?["secret"]?.text,
        totalMsat: request["paymentData"]?["totalMsat"]?.integer)
    }
    guard let id = body["payment"]?.integer else { return }
    switch name {
    case "paymentOffered":
      payments[id]?.state = "offered"
      payments[id]?.offered = record
      payments[id]?.htlc = body["htlc"]?.integer
    case "paymentPaid":
      payments[id]?.state = "paid"
      payments[id]?.settled = record
      payments[id]?.preimage = body["preimage"]?.text
    case "paymentFailed":
      payments[id]?.state = "failed"
      payments[id]?.settled = record
      if case .object(let members)? = body["_1"] { payments[id]?.failure = members.first?.key }
    default: break
    }
  }
}
