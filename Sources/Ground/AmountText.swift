/// An amount for users.
public enum AmountText {
  /// `5,000 sat`, or `1,500 msat` if it is not a whole number of satoshi.
  public static func words(msat: UInt64) -> String {
    msat % 1000 == 0 ? "\(grouped(msat / 1000)) sat" : "\(grouped(msat)) msat"
  }

  /// The same for whole satoshi.
  public static func words(sat: UInt64) -> String { "\(grouped(sat)) sat" }

  /// `1,234,567`.
  public static func grouped(_ number: UInt64) -> String {
    var text = ""
    for (place, digit) in String(number).reversed().enumerated() {
      if place > 0 && place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
