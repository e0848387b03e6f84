import Ground

/// Also for the negative amounts of a damaged row.
func amountWords(_ msat: some BinaryInteger) -> String {
  (msat < 0 ? "-" : "") + AmountText.words(msat: UInt64(msat.magnitude))
}

/// The first bytes: enough to search for.
func shortHex(_ bytes: [UInt8]) -> String {
  bytes.count > 8 ? Hexadecimal.encode(bytes.prefix(6)) + "…" : Hexadecimal.encode(bytes)
}
