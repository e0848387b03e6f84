import Wallet

/// What people ask of the wallet, and what it does in the background, in words. What the node and the guard say about it as
/// well is left to them.
package enum WalletSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: RequestEvent) -> [Sentence] {
    switch event {
    case .asked(_, let request): [Sentence("is asked \(request.words)")]
    case .invoiceNotMade(_, let why): [Sentence("cannot make the invoice: \(why)", matters: false)]
    case .pastNotRead(_, let why): [Sentence("cannot look the payment up: \(why)", matters: false)]
    case .deadlineReached, .invoiceMade, .pastRead, .shown, .placeTaken, .node: []
    }
  }

  package static func of(_ directive: RequestDirective) -> [Sentence] {
    switch directive {
    case .answer(_, .refused(let kind, let why)): [Sentence("refuses \(kind.words): \(why)")]
    case .answer(_, .connected(let epoch, let hasMoved)):
      [Sentence(hasMoved ? "lives in this container now, epoch \(epoch)" : "is connected here already")]
    case .answer, .beginTask, .endTask, .moveHere, .makeInvoice, .readPast, .node: []
    }
  }

  package static func of(_ event: BackgroundEvent) -> [Sentence] {
    switch event {
    case .runBegan(let task, _): [Sentence("begins the task \(task.identifier)")]
    case .runExpires: [Sentence("is told to end its task")]
    case .stepDone(_, .busy(let why)): [Sentence("waits with its task: \(why)", matters: false)]
    case .deadlineReached, .enteredForeground, .enteredBackground, .stepDone: []
    }
  }

  /// The process notes what became of a task.
  package static func of(_ directive: BackgroundDirective) -> [Sentence] { [] }
}
