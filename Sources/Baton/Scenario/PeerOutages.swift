/// The times in which a story's peer is down: what a line needs of the peer is known before the story is played.
enum PeerOutages {
  static func check(_ steps: [Scenario.Step], sendersRetry: Bool) throws(ScenarioError) {
    var downSince: Int?
    for step in steps {
      if let line = downSince {
        if needsPeer(step.command, sendersRetry) {
          throw ScenarioError(
            step.line,
            "the peer is down since line \(line); write `the peer comes up again` above this line")
        }
        if case .make(.startPeer) = step.command { downSince = nil }
      } else if case .make(.startPeer) = step.command {
        throw ScenarioError(step.line, "the peer is not down; write `the peer goes down` above")
      } else if case .make(.stopPeer) = step.command {
        downSince = step.line
      }
    }
  }

  /// To a sender that tries again a peer that is down is a failure like another.
  private static func needsPeer(_ command: Command, _ sendersRetry: Bool) -> Bool {
    switch command {
    case .make(.pay), .make(.payExpired): !sendersRetry
    case .make(.stopPeer), .make(.restartPeer), .make(.payInParts), .make(.payNextPart),
      .make(.payInReboot), .make(.payInvoice), .make(.failNext), .make(.failChannel),
      .make(.silentPush), .verdict:
      true
    case .given, .make, .wait, .pass, .ask: false
    }
  }
}
