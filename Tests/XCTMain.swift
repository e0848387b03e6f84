import Testing

/// Runs all tests. SwiftPM takes this file, by its name, in place of a list of XCTest's cases: it would read that list
/// from an index of the sources, which takes the compiler an eighth of the build.
@main
enum XCTMain {
  static func main() async {
    await Testing.__swiftPMEntryPoint() as Never
  }
}
