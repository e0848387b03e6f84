/// One parser, and the properties that hold for every input.
protocol FuzzTarget {
  static var name: String { get }
  /// Longer inputs cover nothing new.
  static var longestInput: Int { get }
  /// Well-formed seed inputs, made by the encoders themselves.
  static var seeds: [[UInt8]] { get }
  /// Returns; a trap, a hang or a broken promise ends the process.
  static func feed(_ bytes: [UInt8])
}

/// Ends the process when a promise is broken: libFuzzer keeps the input.
func promise(_ isKept: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String) {
  if !isKept() { fatalError("broken promise: \(sentence())") }
}

/// Texts for people are one line without control characters.
func promiseOneLine(_ sentence: String) {
  promise(!sentence.isEmpty, "an error has no text")
  promise(
    !sentence.unicodeScalars.contains { $0.value < 32 || $0.value == 127 },
    "an error is not one line: \(sentence.debugDescription)")
}

extension FuzzTarget {
  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
