import Ground

/// What a row has is anybody's to write, also below zero.
func amountWords(_ msat: some BinaryInteger) -> String {
  (msat < 0 ? "-" : "") + AmountText.words(msat: UInt64(msat.magnitude))
}

/// Enough to find it again, short enough to be read.
func shortHex(_ bytes: [UInt8]) -> String {
  bytes.count > 8 ? Hexadecimal.encode(bytes.prefix(6)) + "…" : Hexadecimal.encode(bytes)
}
