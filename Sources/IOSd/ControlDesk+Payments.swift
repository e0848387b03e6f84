import DaemonRuntime
import PhonePolicy

// The person presses "send": the app reads the invoice, and says whether it pays.
extension ControlDesk {
  /// Longer than any invoice that one message could carry anyway.
  static let invoiceTextMax = 7089

  func send(_ message: ControlMessage, _ connection: UnixConnection) throws(ControlMessageError) {
    let invoice = try message.required("invoice")
    guard invoice.utf8.count <= Self.invoiceTextMax else {
      throw .badValue(name: "invoice", expected: "at most \(Self.invoiceTextMax) characters")
    }
    var fields: [ControlMessage.Field] = [.init(name: "invoice", value: invoice)]
    if let amount = try message.integerIfPresent("amount-msat", in: UInt64(1)...2_100_000_000_000_000_000) {
      fields.append(.init(name: "amount-msat", value: "\(amount)"))
    }
    let request = shell.invoices.take("send", fields) { [weak connection] in connection?.send($0) }
    shell.handle(.paymentWanted(request: request))
  }
}
