import Wallet

// Sentences for the screen of incoming payments, and for the order in which the app opens.
extension WalletSentences {
  package static func of(_ event: IncomingEvent) -> [Sentence] {
    switch event {
    case .told(let announcement?, _) where announcement.paymentHash != nil:
      [Sentence("is told of the payment \(announcement.paymentHash?.hex.prefix(8) ?? "")")]
    case .told: [Sentence("is told of something else than a payment", matters: false)]
    case .linkFollowed(let page): [Sentence("goes to its page \(page.rawValue)")]
    case .pressed(_, let button): [Sentence("the user presses “\(button.title)”")]
    case .recordsRead(let records, _, _) where !records.isEmpty:
      [Sentence("finds \(records.count) announced payments")]
    case .recordsNotRead(let trouble): [Sentence("cannot read the announced payments: \(trouble.text)")]
    case .notRemoved(let trouble):
      [Sentence("cannot remove the ended announcements: \(trouble.text)", matters: false)]
    case .holdEnded(let hash):
      [Sentence("hears that the peer holds the payment \(hash.hex.prefix(8)) no more")]
    case .deadlineReached, .activated, .deactivated, .recordsRead, .removed, .shown, .received, .collecting,
      .tidyAsked:
      []
    }
  }

  package static func of(_ directive: IncomingDirective) -> [Sentence] {
    switch directive {
    case .show(let screen): [Sentence("shows “\(screen.text)”")]
    case .connectAgain: [Sentence("connects again")]
    case .copy: [Sentence("copies the message for the sender")]
    case .answerPress(_, let refusal?): [Sentence("refuses the press: \(refusal)", matters: false)]
    case .remove(let records): [Sentence("removes \(records.count) ended announcements", matters: false)]
    case .withdrawAnnouncement:
      [Sentence("withdraws the announcements of the payment", matters: false)]
    case .answerPress, .read, .tidyWanted, .tidied: []
    }
  }

  package static func of(_ event: OpeningEvent) -> [Sentence] { [] }

  package static func of(_ directive: OpeningDirective) -> [Sentence] {
    switch directive {
    case .enter(let step): [Sentence("opening: \(step.rawValue)", matters: false)]
    case .take(let work): [Sentence("takes a step of deferred work: \(work.rawValue)", matters: false)]
    }
  }
}
