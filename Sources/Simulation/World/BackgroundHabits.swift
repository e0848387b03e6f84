/// What the app does of its own in the background, beside the node: as `mainappd` does by its options.
public struct BackgroundHabits: Hashable, Sendable {
  /// It asks for a processing task too, to remove what is old.
  public var cleansUp = false
  /// In the background it plays what nobody hears.
  public var keepsAwakeByAudio = false

  public init() {}
}
