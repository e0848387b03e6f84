/// Encodes any `Encodable` as one line of compact JSON: members in encoding order, exact integers.
///
/// Canonical: decoding and encoding a record gives the same bytes, which the replay of journals relies on.
public struct JSONLineEncoder: Sendable {
  private let names: JSONNames

  public init(names: JSONNames = .asDeclared) { self.names = names }

  public func encode(_ value: some Encodable) throws(JSONEncodingError) -> String {
    let output = JSONOutput()
    do {
      try value.encode(to: JSONValueWriter(output: output, depth: 0, names: names))
    } catch let error as JSONEncodingError {
      throw error
    } catch {
      throw JSONEncodingError.refused("\(error)")
    }
    output.close()
    return String(decoding: output.bytes, as: UTF8.self)
  }
}

/// A value that cannot be encoded as JSON.
public enum JSONEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
  case notANumber(path: String)
  case refused(String)

  public var description: String {
    switch self {
    case .notANumber(let path):
      "\(path) is not a finite number, which JSON cannot represent; encode it as text"
    case .refused(let reason): "the value cannot be encoded: \(reason)"
    }
  }
}
