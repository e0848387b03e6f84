import DaemonRuntime

/// Where Baton's own stories are: beside an installed program, or in the project's directory above a built one.
enum StoryShelf {
  /// Their paths, sorted by name.
  static func all() throws(CommandFailure) -> [String] {
    for place in places {
      let names = (DirectoryListing.names(of: place) ?? []).filter { $0.hasSuffix(".txt") }.sorted()
      if !names.isEmpty { return names.map { "\(place)/\($0)" } }
    }
    throw CommandFailure(
      .badConfiguration,
      "there are no stories in \(places[0]); install Baton with its directory share, or name the stories")
  }

  private static var places: [String] {
    let own = FilePath.ownDirectory
    var places = ["\(FilePath.parent(of: own))/share/baton/stories"]
    var above = own
    while above != "/" {
      places.append("\(above)/Tests/Scenarios")
      above = FilePath.parent(of: above)
    }
    return places
  }
}
