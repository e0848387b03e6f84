/// What the user of a live screen can do to the phone.
package enum LiveAction: String, Hashable, Sendable, CaseIterable {
  case open
  case home
  case quit
  case pay
  case push
  case kill
  case freeze
  case thaw

  /// Whom an action may have to wait for. Actions of one lane wait for each other, and for no other action.
  package enum Lane: Hashable, Sendable, CaseIterable {
    /// iosd, and the app as it leaves.
    case phone
    /// lspd, and the app for an invoice.
    case sender
    /// The kernel, and the app for a second at most.
    case kernel
  }

  package var lane: Lane {
    switch self {
    case .open, .home, .quit, .push: .phone
    case .pay: .sender
    case .kill, .freeze, .thaw: .kernel
    }
  }

  /// In the list of keys.
  package var words: String {
    switch self {
    case .open: "open"
    case .home: "home"
    case .quit: "swipe away"
    case .pay, .push, .kill, .freeze, .thaw: rawValue
    }
  }

  /// A page's explanation.
  package var meaning: String {
    switch self {
    case .open: "bring the app to the front"
    case .home: "go to the home screen: the app enters the background"
    case .quit: "swipe the app away: its process is killed"
    case .pay: "pay the wallet 1,000 sat, as a sender"
    case .push: "deliver a visible push"
    case .kill: "kill the holder of the node with SIGKILL"
    case .freeze: "stop the holder of the node with SIGSTOP"
    case .thaw: "continue every holder of the node that is stopped"
    }
  }
}

/// How an action ended.
package struct LiveOutcome: Hashable, Sendable {
  package var action: LiveAction
  package var sentence: String
  package var isFailure: Bool

  package init(_ action: LiveAction, _ sentence: String, isFailure: Bool = false) {
    self.action = action
    self.sentence = sentence
    self.isFailure = isFailure
  }
}
