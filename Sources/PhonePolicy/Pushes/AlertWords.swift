/// The text of an alert with `loc-key`. iOS looks the key up in the app's `Localizable.strings` and shows an
/// unknown key itself, with the arguments inserted; here every key is unknown.
public enum AlertWords {
  public static func text(key: String, arguments: [String]) -> String {
    var text = ""
    var next = 0
    var rest = key[...]
    while let sign = rest.firstIndex(of: "%") {
      text += rest[..<sign]
      rest = rest[rest.index(after: sign)...]
      let digits = rest.prefix { ("0"..."9").contains($0) }
      let isNumbered = !digits.isEmpty && rest.dropFirst(digits.count).hasPrefix("$@")
      if rest.hasPrefix("@") || isNumbered {
        let place = isNumbered ? (Int(digits) ?? 0) - 1 : next
        if !isNumbered { next += 1 }
        text += arguments.indices.contains(place) ? arguments[place] : ""
        rest = rest.dropFirst(isNumbered ? digits.count + 2 : 1)
      } else {
        text += "%"
        if rest.hasPrefix("%") { rest = rest.dropFirst() }
      }
    }
    return text + rest
  }
}
