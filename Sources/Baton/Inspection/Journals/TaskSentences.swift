import PhonePolicy

// Background tasks and audio in words.
extension PhoneSentences {
  package static func of(_ event: TaskEvent) -> [Sentence] {
    switch event {
    case .launchedByHand(let identifier): [Sentence("is told by hand to run the task \(identifier)")]
    case .expiredByHand(let identifier): [Sentence("is told by hand to expire the task \(identifier)")]
    case .submitted, .cancelled, .completed: []
    }
  }

  package static func of(_ record: TaskRecord) -> [Sentence] {
    let name = "the task \(record.request.identifier)"
    switch record.fate {
    case .waits(.tooEarly): return [Sentence("takes \(name) for later", matters: false)]
    case .waits(let hindrance): return [Sentence("keeps \(name) waiting: \(hindrance)", matters: false)]
    case .replaced: return [Sentence("replaces \(name) with a newer request", matters: false)]
    case .cancelled: return [Sentence("forgets \(name), as the app asked", matters: false)]
    case .refused(let refusal): return [Sentence("refuses \(name): \(refusal)")]
    case .runs: return [Sentence("runs \(name)")]
    case .expires(let expiry): return [Sentence("tells the app to end \(name): \(expiry)")]
    case .completed(let isSuccess):
      return [Sentence("\(name) is done\(isSuccess ? "" : ", without success")")]
    case .expired(let expiry): return [Sentence("\(name) has expired without an end: \(expiry)")]
    case .lost: return [Sentence("\(name) is lost with the app or the phone")]
    }
  }

  package static func of(_ message: AudioMessage) -> [Sentence] {
    switch message {
    case .plays: [Sentence("the app plays audio")]
    case .refused(let refusal): [Sentence("the app's audio does not play: \(refusal)")]
    case .interrupted: [Sentence("the app's audio gives way to another")]
    case .ended: [Sentence("the app's audio is over")]
    }
  }
}
