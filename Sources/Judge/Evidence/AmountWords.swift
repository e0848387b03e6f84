/// `5,000 sat`, or `1,500 msat` where satoshi cannot say it. What a row has is anybody's to write, also below zero.
func amountWords(_ msat: some BinaryInteger) -> String {
  let isWhole = msat.magnitude % 1000 == 0
  var text = ""
  for (place, digit) in String(isWhole ? msat.magnitude / 1000 : msat.magnitude).reversed().enumerated() {
    if place > 0 && place % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return "\(msat < 0 ? "-" : "")\(String(text.reversed())) \(isWhole ? "sat" : "msat")"
}
