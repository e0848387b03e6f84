import JSON

/// The page of a phone that runs: it asks its server for what there is to see. Without actions it has no buttons.
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

  private let home: String
  private let token: String
  private let actions: [Action]

  package init(home: String, token: String, actions: [Action]) {
    self.home = home
    self.token = token
    self.actions = actions
  }

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
    let buttons = actions.map { object([("name", $0.name), ("words", $0.words), ("meaning", $0.meaning)]) }
    return .object([
      JSONMember(key: "home", value: .string(home)), JSONMember(key: "token", value: .string(token)),
      JSONMember(key: "actions", value: .array(buttons)),
    ])
  }
}
