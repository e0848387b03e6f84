import Wallet

/// Sentences for user requests and background work. Events that `NodeSentences` or `GuardSentences` covers have none
/// here.
package enum WalletSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: RequestEvent) -> [Sentence] {
    switch event {
    case .asked(_, let request): [Sentence("is asked \(request.words)")]
    case .invoiceNotMade(_, let why): [Sentence("cannot make the invoice: \(why)", matters: false)]
    case .pastNotRead(_, let why):
      [Sentence("cannot read earlier payments of the invoice: \(why)", matters: false)]
    case .deadlineReached, .invoiceMade, .pastRead, .shown, .placeTaken, .node: []
    }
  }

  package static func of(_ directive: RequestDirective) -> [Sentence] {
    switch directive {
    case .answer(_, .refused(let kind, let why)): [Sentence("refuses \(kind.words): \(why)")]
    case .answer(_, .unknown(let kind, let why)):
      [Sentence("does not know the outcome of \(kind.words): \(why)")]
    case .answer(_, .connected(let epoch, let hasMoved)):
      [
        Sentence(
          hasMoved
            ? "moved the wallet into this container, epoch \(epoch)"
            : "moves nothing: the wallet is already in this container, and connected")
      ]
    case .answer, .beginTask, .endTask, .moveHere, .makeInvoice, .readPast, .node: []
    }
  }

  package static func of(_ event: BackgroundEvent) -> [Sentence] {
    switch event {
    case .runBegan(let task, _): [Sentence("begins the scheduled task \(task.identifier)")]
    case .runExpires: [Sentence("is told that its scheduled task expires")]
    case .stepDone(_, .busy(let why)): [Sentence("delays its scheduled task: \(why)", matters: false)]
    case .nodeHindered(let why):
      [Sentence("cannot use the node for its scheduled task: \(why)", matters: false)]
    case .deadlineReached, .enteredForeground, .enteredBackground, .stepDone, .nodeReady, .nodeServed: []
    }
  }

  /// The process writes a note with the task's outcome.
  package static func of(_ directive: BackgroundDirective) -> [Sentence] { [] }
}
