import Ground

/// The page of a phone that runs: it asks its server for what there is to see.
package struct LivePage {
  package struct Action: Hashable, Sendable {
    package var name: String
    package var words: String
    package var meaning: String

    package init(_ name: String, _ words: String, _ meaning: String) {
      self.name = name
      self.words = words
      self.meaning = meaning
    }
  }

  package enum Control: Hashable, Sendable {
    case none
    /// The server takes actions, but this page was opened without the token; the browser may have kept it.
    case needsToken([Action])
    case buttons(token: String, [Action])
  }

  private let home: String
  package var control = Control.none

  package init(home: String) { self.home = home }

  package var html: String {
    var frame = PageFrame(
      title: "Baton: \(home)", styles: [PackageResources.frame_css, PackageResources.live_css],
      body: PackageResources.live_body_html, script: PackageResources.live_js)
    frame.asksItsServer = true
    frame.early = [PageFrame.Element(id: "setup", json: setup.json)]
    return frame.html
  }

  private var setup: JSONValue {
    func object(_ members: [(String, String)]) -> JSONValue {
      .object(members.map { JSONMember(key: $0.0, value: .string($0.1)) })
    }
    var members = [JSONMember(key: "home", value: .string(home))]
    func actions(_ all: [Action]) -> JSONMember {
      let buttons = all.map { object([("name", $0.name), ("words", $0.words), ("meaning", $0.meaning)]) }
      return JSONMember(key: "actions", value: .array(buttons))
    }
    switch control {
    case .none: break
    case .needsToken(let all): members.append(actions(all))
    case .buttons(let token, let all):
      members += [JSONMember(key: "token", value: .string(token)), actions(all)]
    }
    return .object(members)
  }
}
