import DaemonRuntime
import PhonePolicy

// The person presses "send": the app reads the invoice, or the address, and says whether it pays.
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

  /// The wallet moves into this phone's container: asked for, and answered, as a payment is.
  func restore(_ connection: UnixConnection) {
    let request = shell.invoices.take("restore", []) { [weak connection] in connection?.send($0) }
    shell.handle(.paymentWanted(request: request))
  }

  /// Longer than any address.
  static let addressTextMax = 90

  func withdraw(_ message: ControlMessage, _ connection: UnixConnection) throws(ControlMessageError) {
    let address = try message.required("address")
    guard address.utf8.count <= Self.addressTextMax else {
      throw .badValue(name: "address", expected: "at most \(Self.addressTextMax) characters")
    }
    let amount = try message.integer("amount-sat", in: UInt64(1)...2_100_000_000_000_000)
    let fields: [ControlMessage.Field] = [
      .init(name: "amount-sat", value: "\(amount)"), .init(name: "address", value: address),
    ]
    let request = shell.invoices.take("withdraw", fields) { [weak connection] in connection?.send($0) }
    shell.handle(.paymentWanted(request: request))
  }
}
