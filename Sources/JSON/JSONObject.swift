/// A flat JSON object, member by member; for records and answers that have no type of their own.
public struct JSONObject: Sendable {
  private var members: [String] = []

  public init() {}

  public var text: String { "{\(members.joined(separator: ","))}" }

  /// One object of these members and then those of the other.
  public func text(joinedWith other: JSONObject) -> String {
    "{\((members + other.members).joined(separator: ","))}"
  }

  public mutating func set(_ name: String, _ value: String) { set(name, raw: JSONText.quoted(value)) }
  public mutating func set(_ name: String, _ value: some BinaryInteger) { set(name, raw: value.description) }
  public mutating func set(_ name: String, _ value: Bool) { set(name, raw: value ? "true" : "false") }
  public mutating func set(_ name: String, _ value: [String]) {
    set(name, raw: "[\(value.map(JSONText.quoted).joined(separator: ","))]")
  }

  /// Nothing at all for nil: readers treat a missing member as unknown.
  public mutating func set(_ name: String, ifPresent value: String?) { if let value { set(name, value) } }
  public mutating func set(_ name: String, ifPresent value: (some BinaryInteger)?) {
    if let value { set(name, value) }
  }

  /// The value is JSON already.
  public mutating func set(_ name: String, raw: String) { members.append("\(JSONText.quoted(name)):\(raw)") }
}
