import DaemonRuntime
import Guardrails
import JSON

extension JSONValue {
  /// Of an object the members of these names in their order, as JSON again.
  func object(of names: [String]) -> String {
    var object = JSONObject()
    for name in names { if let value = self[name] { object.set(name, raw: value.json) } }
    return object.text
  }

  /// As it stands in a cell of a table.
  var word: String {
    switch self {
    case .null: "-"
    case .bool(let flag): flag ? "yes" : "no"
    case .number(let digits): digits
    case .string(let text): text
    case .array(let elements): elements.map(\.word).joined(separator: ", ")
    case .object: "{…}"
    }
  }

  /// Of what a wallet process has said of itself.
  var statusCode: StatusCode? { (self["code"]?.text).flatMap(StatusCode.init) }
}
