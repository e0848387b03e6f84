/// Where a value is in its text. A list with a shared beginning: an array would be copied for each value.
indirect enum JSONPath {
  case root
  case member(any CodingKey, of: JSONPath)

  var keys: [any CodingKey] {
    switch self {
    case .root: []
    case .member(let key, let outer): outer.keys + [key]
    }
  }
}
