/// `payment_data` of an HTLC: the invoice's payment secret, and the total of all parts.
struct PartData: Hashable {
  let secret: [UInt8]
  let totalMsat: UInt64
}
