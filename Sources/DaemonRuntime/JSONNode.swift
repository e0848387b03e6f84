/// One value of a JSON text while it is being built. A class: containers of `Codable` have no end, so what they
/// fill must be shared with whoever writes it out.
final class JSONNode {
  enum Content {
    case raw(String)
    case object([(name: String, node: JSONNode)])
    case array([JSONNode])
  }

  /// A type that encodes nothing at all is an empty object, as Foundation has it.
  var content: Content = .object([])

  func child(named name: String) -> JSONNode {
    var members: [(name: String, node: JSONNode)] = []
    if case .object(let existing) = content { members = existing }
    if let index = members.firstIndex(where: { $0.name == name }) { return members[index].node }
    let node = JSONNode()
    content = .object([])
    members.append((name, node))
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

  func write(to text: inout String) {
    switch content {
    case .raw(let raw): text += raw
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        text += JSONText.quoted(member.name)
        text += ":"
        member.node.write(to: &text)
      }
      text += "}"
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.write(to: &text)
      }
      text += "]"
    }
  }
}
