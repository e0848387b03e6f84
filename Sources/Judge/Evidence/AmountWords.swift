func amountWords(sat: some BinaryInteger) -> String { "\(sat < 0 ? "-" : "")\(grouped(sat.magnitude)) sat" }

/// `5,000 sat`, or `1,500 msat` where satoshi cannot say it. What a row has is anybody's to write, also below zero.
func amountWords(_ msat: some BinaryInteger) -> String {
  let isWhole = msat.magnitude % 1000 == 0
  let number = grouped(isWhole ? msat.magnitude / 1000 : msat.magnitude)
  return "\(msat < 0 ? "-" : "")\(number) \(isWhole ? "sat" : "msat")"
}

private func grouped(_ number: some BinaryInteger) -> String {
  var text = ""
  for (place, digit) in String(number).reversed().enumerated() {
    if place > 0 && place % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return String(text.reversed())
}
