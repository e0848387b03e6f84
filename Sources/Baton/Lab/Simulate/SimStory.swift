import Simulation

/// The story of one run.
enum SimStory {
  static func of(_ settings: RunSettings) -> WorldStory {
    var story = WorldStory()
    var run = SeedRun(settings, isRecorded: true)
    _ = run.run { story.listen(to: &$0) }
    return story
  }
}
