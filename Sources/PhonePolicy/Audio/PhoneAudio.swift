import Ground

// Background audio: playing keeps the app awake.
extension Phone {
  mutating func react(to event: AudioEvent, at now: Instant) -> [PhoneDirective] {
    switch event {
    case .stopped:
      stopAudio()
      return []
    case .startRequested(let session):
      guard app.isUsable else { return app.hasProcess ? [.tell(.app, .audio(.refused(.tooLate)))] : [] }
      stopAudio()
      if let refusal = refusal(of: session) { return [.tell(.app, .audio(.refused(refusal)))] }
      audio.playing = BackgroundAudio.Playing(
        session: session, since: now, endsAt: session.length.map { now + $0 })
      assertions.hold(.audio, at: now)
      return [.tell(.app, .audio(.plays))]
    }
  }

  private func refusal(of session: AudioSession) -> Refusal? {
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

/// The app's audio that plays now.
public struct BackgroundAudio: Hashable, Sendable {
  public struct Playing: Hashable, Codable, Sendable {
    public var session: AudioSession
    public var since: Instant
    var endsAt: Instant?
  }

  public internal(set) var playing: Playing?

  var deadline: Instant? { playing?.endsAt }
}

extension BackgroundAudio: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    playing?.since.shift(by: span)
    playing?.endsAt.shift(by: span)
  }
}

/// The audio that the app asks to play: all that decides whether it counts as playing.
public struct AudioSession: Hashable, Codable, Sendable {
  /// In thousandths of the full volume.
  public var volumeThousandths: Int
  /// `mixWithOthers`: plays beside other apps' audio and is not interrupted by it.
  public var mixes: Bool
  /// How often it is played again; -1 for ever.
  public var loops: Int64
  public var rateHertz: Int64
  public var channels: Int64
  /// Per channel, of one pass.
  public var frames: Int64

  public init(
    volumeThousandths: Int = 10, mixes: Bool = true, loops: Int64 = -1, rateHertz: Int64 = 44_100,
    channels: Int64 = 1, frames: Int64 = 44_100
  ) {
    self.volumeThousandths = volumeThousandths
    self.mixes = mixes
    self.loops = loops
    self.rateHertz = rateHertz
    self.channels = channels
    self.frames = frames
  }

  /// Nil if it never ends by itself.
  var length: TimeSpan? {
    guard loops >= 0 else { return nil }
    let seconds = Double(frames) / Double(max(1, rateHertz)) * (Double(loops) + 1)
    return seconds < 1e9 ? TimeSpan(nanoseconds: Int64(seconds * 1e9)) : nil
  }
}
