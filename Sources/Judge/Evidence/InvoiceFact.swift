/// An invoice as a journal or a row says that it was made.
struct InvoiceFact: Hashable {
  let paymentHash: String
  let amountMsat: Int64
  let text: String
  let tweak: String
  let expiresAt: Int64

  init?(_ made: JSONValue) {
    guard let paymentHash = made["paymentHash"]?.text, let amountMsat = made["amountMsat"]?.integer,
      let text = made["text"]?.text, let tweak = made["tweak"]?.text,
      let expiresAt = made["expiresAt"]?.integer
    else { return nil }
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.text = text
    self.tweak = tweak
    self.expiresAt = expiresAt
  }

  init(_ entry: InvoiceEntry) {
    paymentHash = hexadecimal(entry.paymentHash)
    amountMsat = entry.amountMsat
    text = entry.text
    tweak = hexadecimal(entry.tweak)
    expiresAt = entry.expiresAt
  }

  /// Made by the node, or given back with a backup.
  static func all(in event: JSONValue) -> [InvoiceFact] {
    let restored = event.payload("backupReceived")?.payload("backup")?["invoices"]?.items ?? []
    return ([event.payload("invoiceMade")].compactMap { $0 } + restored).compactMap(InvoiceFact.init)
  }
}
