import PhonePolicy

// Sentences for background tasks and audio.
extension PhoneSentences {
  package static func of(_ event: TaskEvent) -> [Sentence] {
    switch event {
    case .launchedByHand(let identifier): [Sentence("is asked to launch the task \(identifier) now")]
    case .expiredByHand(let identifier): [Sentence("is asked to expire the task \(identifier) now")]
    case .submitted, .cancelled, .completed: []
    }
  }

  package static func of(_ record: TaskRecord) -> [Sentence] {
    let name = "the task \(record.request.identifier)"
    switch record.fate {
    case .waits(.tooEarly): return [Sentence("schedules \(name)", matters: false)]
    case .waits(let hindrance): return [Sentence("keeps \(name) waiting: \(hindrance)", matters: false)]
    case .replaced: return [Sentence("replaces \(name) with a newer request", matters: false)]
    case .cancelled: return [Sentence("cancels \(name), as the app asked", matters: false)]
    case .refused(let refusal): return [Sentence("refuses \(name): \(refusal)")]
    case .runs: return [Sentence("runs \(name)")]
    case .expires(let expiry): return [Sentence("tells the app to end \(name): \(expiry)")]
    case .completed(let isSuccess):
      return [Sentence("\(name) completed\(isSuccess ? "" : " without success")")]
    case .expired(let expiry): return [Sentence("\(name) expired without completing: \(expiry)")]
    case .lost: return [Sentence("\(name) is lost: the app or the phone ended")]
    }
  }

  package static func of(_ message: AudioMessage) -> [Sentence] {
    switch message {
    case .plays: [Sentence("the app plays audio")]
    case .refused(let refusal): [Sentence("the app's audio does not play: \(refusal)")]
    case .interrupted: [Sentence("the app's audio is interrupted by another app")]
    case .ended: [Sentence("the app's audio ended")]
    }
  }
}
