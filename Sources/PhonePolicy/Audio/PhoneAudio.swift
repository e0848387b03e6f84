import Ground

// Background audio: playing keeps the app awake.
extension Phone {
  mutating func react(to event: AudioEvent, at now: Instant) -> [PhoneDirective] {
    switch event {
    case .stopped:
      stopAudio()
      return []
    case .startRequested(let session):
      guard app.isUsable else {
        return app.hasProcess ? [.tell(.app, .audio(.refused(.tooLate)))] : []
      }
      stopAudio()
      if let refusal = refusal(of: session) { return [.tell(.app, .audio(.refused(refusal)))] }
      audio.playing = BackgroundAudio.Playing(
        session: session, since: now, endsAt: session.length.map { now + $0 })
      assertions.hold(.audio, at: now)
      return [.tell(.app, .audio(.plays))]
    }
  }

  private func refusal(of session: AudioSession) -> AudioRefusal? {
    if !configuration.hasAudioMode { return .notDeclared }
    if session.volumeThousandths <= 0 { return .silent }
    return device.playsOtherAudio && !session.mixes ? .otherPlays : nil
  }

  private mutating func stopAudio() {
    audio.playing = nil
    assertions.release(.audio)
  }

  /// Called after each event: ends audio that is over or interrupted, or whose app does not run.
  mutating func updateAudio(at now: Instant) -> [PhoneDirective] {
    guard let playing = audio.playing else { return [] }
    if !app.isUsable {
      stopAudio()
      return []
    }
    if device.playsOtherAudio && !playing.session.mixes {
      stopAudio()
      return [.tell(.app, .audio(.interrupted))]
    }
    guard let endsAt = playing.endsAt, endsAt <= now else { return [] }
    stopAudio()
    return [.tell(.app, .audio(.ended))]
  }
}
