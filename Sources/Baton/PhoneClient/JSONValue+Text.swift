import DaemonRuntime

extension JSONValue {
  /// It as JSON again; of an object the members of these names in their order, or else all by name.
  package func object(of names: [String]) -> String {
    var object = JSONObject()
    for name in names { if let value = self[name] { object.set(name, raw: value.json) } }
    return object.text
  }

  package var json: String {
    switch self {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let value): String(value)
    case .unsigned(let value): String(value)
    case .number(let value): value.isFinite ? String(value) : "null"
    case .string(let text): JSONText.quoted(text)
    case .array(let elements): "[\(elements.map(\.json).joined(separator: ","))]"
    case .object(let members): object(of: members.keys.sorted())
    }
  }
}
