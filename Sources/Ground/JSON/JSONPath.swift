/// Where a value is in its text, and how the names of members are written. A list with a shared beginning: an array would
/// be copied for each value.
enum JSONPath {
  /// Nobody asks for the path: only an error needs it.
  case unknown(JSONNames)
  case root(JSONNames)
  indirect case member(any CodingKey, of: JSONPath)

  var keys: [any CodingKey] {
    switch self {
    case .unknown, .root: []
    case .member(let key, let outer): outer.keys + [key]
    }
  }

  var names: JSONNames {
    switch self {
    case .unknown(let names), .root(let names): names
    case .member(_, let outer): outer.names
    }
  }

  func member(_ key: @autoclosure () -> any CodingKey) -> JSONPath {
    if case .unknown = self { self } else { .member(key(), of: self) }
  }
}
