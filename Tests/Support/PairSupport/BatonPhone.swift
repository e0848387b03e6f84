import Baton
import DaemonRuntime
import Foundation
import ProcessSupport
import TestKit

/// A phone of real daemons in a directory of its own, driven by `baton`. At its end it goes down, and its journals are
/// replayed.
open class BatonPhone {
  package let scratch = TemporaryDirectory()
  package var home: String { scratch("phone") }
  package var phone: Phone { Phone(home: home) }

  public init() {}

  deinit {
    _ = try? baton(["down"])
    Journals.replay(of: home)
  }

  package static let isSanitized = getenv("BATON_SANITIZED") != nil

  /// Programs under a sanitizer exceed any phone's memory limit.
  package func words(_ verb: [String]) -> [String] {
    let lifts = Self.isSanitized && verb.first == "up" && !verb.contains("--build")
    return ["--home", home] + verb + (lifts ? ["--build", "debug"] : [])
  }

  package func baton(_ verb: [String], input: Int32? = nil) throws -> Started.Ran {
    try Started.run("baton", words(verb), input: input)
  }
}
