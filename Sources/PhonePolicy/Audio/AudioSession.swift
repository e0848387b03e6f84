import Ground

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
