/// One JSON value while it is being built. A class: `Codable` containers are never closed, so their contents must
/// be shared with the writer.
final class JSONNode {
  struct Member {
    var name: String
    var node: JSONNode
  }

  enum Content {
    /// A number, a boolean or null, as written.
    case raw(String)
    case string(String)
    case object([Member])
    case array([JSONNode])
  }

  /// A type that encodes nothing is an empty object, as in Foundation.
  var content: Content = .object([])

  func child(named name: String) -> JSONNode {
    var members: [Member] = []
    if case .object(let existing) = content { members = existing }
    if let index = members.firstIndex(where: { $0.name == name }) { return members[index].node }
    let node = JSONNode()
    content = .object([])
    members.append(Member(name: name, node: node))
    content = .object(members)
    return node
  }

  func appendedElement() -> JSONNode {
    var elements: [JSONNode] = []
    if case .array(let existing) = content { elements = existing }
    let node = JSONNode()
    content = .array([])
    elements.append(node)
    content = .array(elements)
    return node
  }

  var elementCount: Int { if case .array(let elements) = content { elements.count } else { 0 } }

  func write(to bytes: inout [UInt8]) {
    switch content {
    case .raw(let raw): bytes += raw.utf8
    case .string(let string): JSONText.append(string, to: &bytes)
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.node.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    }
  }
}
