import PhonePolicy

/// What `baton serve` prints.
package struct ServeAddress: Report {
  package var home: String
  /// With the token; it opens the page.
  package var url: String
  package var port: Int64
  /// For `Authorization: Bearer`.
  package var token: String
  package var isControlled: Bool

  enum CodingKeys: String, CodingKey {
    case home, url, port, token
    case isControlled = "control"
  }
}

/// The answer to a done action.
package struct ServeDone: Report {
  package var did: String
  package var sentence: String

  package init(_ outcome: LiveOutcome) {
    did = outcome.action.rawValue
    sentence = outcome.sentence
  }
}
